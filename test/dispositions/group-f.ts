/** Group F: sign-in, CORS, Origin and Host. */
import type { Disposition } from './types.ts';

const HOSTS = 'test/node/router/hosts.test.ts';
const REFUSALS = 'test/workerd/door-refusals.test.ts';
const ANSWERS = 'test/workerd/door-answers.test.ts';
const PROTOCOL = 'test/workerd/protocol.test.ts';
const CONFIG = 'test/node/router/config.test.ts';
const SUBJECTS = 'test/contract/legacy-subjects.test.ts';
const BY_SUBJECT = 'a handle that %s gave one subject is unknown to another on %s';

export const GROUP_F: readonly Disposition[] = [
  {
    id: 'F1',
    title: 'A page on the server’s own domain',
    plain: { legacy: 'no check of Origin', compat: '403 by default', modern: '403 by default' },
    disposition: 'identical',
    now: 'The request’s own host and localhost may call; ALLOWED_ORIGINS names others. The same on both routes. What a browser sends for a page of another site without Origin, such as an image, is refused by Sec-Fetch-Site.',
    proof: [
      {
        file: HOSTS,
        tests: ['%s with %s passes', '%s with %s is refused', 'is configured by variable, with a wildcard for labels'],
      },
      { file: REFUSALS, tests: ['refuses what a browser sends without Origin: %s %s from %s'] },
    ],
  },
  {
    id: 'F2',
    title: 'A refused origin gets a header that allows it',
    plain: { legacy: 'no refusal', compat: '403 with Access-Control-Allow-Origin: *', modern: 'the same' },
    disposition: 'identical',
    now: 'A refused page gets no CORS header at all, to its request as to its preflight.',
    proof: [
      {
        file: REFUSALS,
        tests: ['refuses a page of %s without any CORS header', 'refuses the preflight of a foreign page'],
      },
    ],
  },
  {
    id: 'F3',
    title: 'Requests without a Host header, as through a binding',
    plain: { legacy: 'served', compat: '403', modern: '403' },
    disposition: 'identical',
    now: 'The host of the URL counts where there is no header.',
    proof: [{ file: HOSTS, tests: ['is not needed, as requests through a binding have none'] }],
  },
  {
    id: 'F4',
    title: 'Headers that a page may send',
    plain: { legacy: 'none of 2026', compat: 'some of 2026', modern: 'no Mcp-Param-*, no Last-Event-ID' },
    disposition: 'identical',
    now: 'Both routes allow the headers of both generations, Last-Event-ID, and each Mcp-Param-* that is asked for; ALLOWED_HEADERS adds others.',
    proof: [
      {
        file: ANSWERS,
        tests: ['get the same answer to a preflight everywhere: %s', 'can read answers, refusals and session ids: %s'],
      },
    ],
  },
  {
    id: 'F5',
    title: 'CORS options that are not set',
    plain: { legacy: '*', compat: 'the word undefined', modern: 'the word undefined' },
    disposition: 'identical',
    now: 'The packages’ CORS never reaches a client; an empty or absent variable is the default, a bad one an error.',
    proof: [
      {
        file: CONFIG,
        tests: ['may all be absent', 'may all be empty', 'a bad one is named, and its value is not: %j'],
      },
    ],
  },
  {
    id: 'F6',
    title: 'A provider of sign-in wants an object with fetch',
    plain: { legacy: 'an object', compat: 'a function: throws at start-up', modern: 'the same' },
    disposition: 'identical',
    now: 'Both routes are one object with fetch.',
    proof: [
      { file: PROTOCOL, tests: ['the Worker is an object with fetch, as a provider of sign-in wants its handlers'] },
    ],
  },
  {
    id: 'F7',
    title: 'One protected resource for two routes',
    plain: { legacy: '/legacy/mcp', compat: 'construction refuses', modern: 'construction refuses' },
    disposition: 'documented',
    ours: { legacy: 'signs nobody in itself', compat: 'signs nobody in itself', modern: 'signs nobody in itself' },
    reference: '@cloudflare/workers-oauth-provider 1.2.3, docs/migration-1.x.md: a resource is an origin or one path',
    why: 'Sign-in stands in front of the Worker. With the bare origin as the resource one token serves both routes, and both see the same subject.',
    proof: [{ file: SUBJECTS, tests: [BY_SUBJECT] }],
  },
  {
    id: 'F8',
    title: 'A token is bound to one resource',
    plain: { legacy: 'token for /legacy/mcp', compat: 'token for /mcp', modern: 'token for /mcp' },
    disposition: 'documented',
    ours: { legacy: 'state by subject', compat: 'state by subject', modern: 'state by subject' },
    reference: '@cloudflare/workers-oauth-provider 1.2.3: token_audience_unbound; RFC 8707',
    why: 'Where the routes are two resources a client signs in again when it moves; its state belongs to the subject and is there.',
    proof: [{ file: SUBJECTS, tests: [BY_SUBJECT] }],
  },
  {
    id: 'F9',
    title: 'Where a handler finds who calls',
    plain: { legacy: 'this.props only', compat: 'authInfo or props', modern: 'authInfo or props' },
    disposition: 'identical',
    now: 'The router reads the subject from the execution context, and a tool finds it at the same place on every lane.',
    proof: [
      { file: SUBJECTS, tests: [BY_SUBJECT, 'the session id of a legacy session is of no use to another subject'] },
    ],
  },
  {
    id: 'F10',
    title: 'The sign-in is lost between handler.fetch and handler()',
    plain: { legacy: 'does not arise', compat: 'lost with handler.fetch', modern: 'lost with handler.fetch' },
    disposition: 'identical',
    now: 'The subject does not travel through the package, so it cannot be lost in it.',
    proof: [{ file: SUBJECTS, tests: ['a signed-in modern client has its state without a handle', BY_SUBJECT] }],
  },
  {
    id: 'F11',
    title: 'A malformed mark of a sign-in on the execution context',
    plain: { legacy: 'ignored', compat: '500', modern: '500' },
    disposition: 'identical',
    now: 'No lane is given the execution context of the request to look for marks.',
    proof: [{ file: PROTOCOL, tests: ['an execution context of another make changes no answer: %s'] }],
  },
  {
    id: 'F12',
    title: 'Lists that depend on a request’s headers',
    plain: { legacy: 'fixed for the session', compat: 'new each request', modern: 'new each request' },
    disposition: 'refused',
    now: 'A definition is given no request, so a list cannot depend on one; every client gets the same list.',
    proof: [{ file: PROTOCOL, tests: ['lists are the same whatever headers come with it: %s'] }],
  },
  {
    id: 'F13',
    title: 'DNS rebinding',
    plain: { legacy: 'no check of Host', compat: 'checked', modern: 'checked' },
    disposition: 'identical',
    now: 'One guard in front of both routes, for Host and for Origin.',
    proof: [
      { file: HOSTS, tests: ['%s with %s is refused'] },
      { file: REFUSALS, tests: ['refuses a foreign host without any CORS header'] },
    ],
  },
];
