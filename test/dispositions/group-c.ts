/** Group C: protocol, headers and versions. */
import type { Disposition } from './types.ts';

const PROTOCOL = 'test/workerd/protocol.test.ts';
const REFUSALS = 'test/workerd/door-refusals.test.ts';
const ANSWERS = 'test/workerd/door-answers.test.ts';
const DEADLINES = 'test/workerd/door-deadlines.test.ts';
const ROUTES = 'test/workerd/routes.test.ts';
const FORWARD = 'test/node/router/forward.test.ts';
const SHAPE = 'test/node/router/shape.test.ts';
const CONTRACT = 'test/contract/cases.ts';
const CLIENTS = 'test/e2e/clients.test.ts';

export const GROUP_C: readonly Disposition[] = [
  {
    id: 'C1',
    title: 'initialize, ping, logging/setLevel and resources/subscribe are methods of the 2025 protocols only',
    plain: { legacy: 'answered', compat: 'answered', modern: '404, -32601' },
    disposition: 'documented',
    ours: { legacy: 'answered', compat: 'answered', modern: '404, -32601' },
    reference:
      'spec 2026-07-28, changelog: initialize, ping, logging/setLevel and subscriptions by resource are removed',
    why: 'A method that a protocol does not have must be refused. /healthz is the probe that needs no protocol.',
    proof: [
      {
        file: PROTOCOL,
        tests: ['%s', 'initialize does not exist on modern, and belongs to compat without an envelope'],
      },
      { file: ROUTES, tests: ['/healthz answers in JSON'] },
    ],
  },
  {
    id: 'C2',
    title: 'server/discover without an envelope is a 2025 request',
    plain: { legacy: '400 without a session', compat: '200, method not found', modern: 'needs the envelope' },
    disposition: 'documented',
    ours: { legacy: '200, method not found', compat: '200, method not found', modern: 'answered with the envelope' },
    reference: 'spec 2026-07-28, basic/versioning: the envelope names the version of a request',
    why: 'Without the envelope nothing says that the client speaks 2026-07-28, and the 2025 protocols have no such method.',
    proof: [{ file: PROTOCOL, tests: ['server/discover without an envelope is an unknown method: %s', '%s'] }],
  },
  {
    id: 'C3',
    title: 'A modern request needs its headers, and a proxy that drops them breaks it',
    plain: { legacy: 'not looked at', compat: 'not looked at', modern: '400, -32020 where one is missing' },
    disposition: 'documented',
    ours: { legacy: 'not looked at', compat: 'not looked at', modern: '400, -32020 where one is missing' },
    reference: 'spec 2026-07-28, basic/transports/streamable-http: standard request headers',
    why: 'The headers are the protocol’s own demand. The door hands every header of the client on as it came.',
    proof: [
      {
        file: FORWARD,
        tests: ['keeps every header of the client', 'is the very same one where nothing has to change'],
      },
      { file: PROTOCOL, tests: ['are all that a call needs', 'a call without %s is refused'] },
    ],
  },
  {
    id: 'C4',
    title: 'Header and body that disagree about the version',
    plain: { legacy: 'initialize with any version', compat: 'does not arise', modern: '-32602, -32022 or -32020' },
    disposition: 'documented',
    ours: { legacy: '400, -32000 for a modern header', compat: 'does not arise', modern: '-32602, -32022 or -32020' },
    reference: 'spec 2026-07-28, basic/versioning: header and envelope must agree',
    why: 'A 2026 request never reaches SDK v1; on /mcp the package’s own three answers tell the client what to mend.',
    proof: [{ file: PROTOCOL, tests: ['%s is refused', 'do not open the legacy route'] }],
  },
  {
    id: 'C5',
    title: 'Accept: wildcards and absent headers',
    plain: { legacy: '406', compat: '406', modern: 'not looked at' },
    disposition: 'documented',
    ours: {
      legacy: 'a wildcard counts; 406 where no stream is accepted',
      compat: 'a wildcard counts; 406 where no stream is accepted',
      modern: 'not looked at',
    },
    reference: 'RFC 9110, section 12.5.1; spec 2025-11-25, basic/transports/streamable-http',
    why: 'The 2025 lanes answer in streams, so a client that rules streams out cannot be answered; modern answers in JSON.',
    proof: [
      {
        file: ANSWERS,
        tests: [
          'may be absent or a wildcard: %s',
          'must allow a stream where the answer is one: %s',
          'may name JSON alone on modern, whose answer is JSON',
        ],
      },
      { file: FORWARD, tests: ['%j is read as %j'] },
    ],
  },
  {
    id: 'C6',
    title: 'Content-Type: a substring or a media type',
    plain: { legacy: 'any that contains the words', compat: '415', modern: '415' },
    disposition: 'identical',
    now: 'The media type itself is read; anything but application/json is 415 on both routes.',
    proof: [{ file: REFUSALS, tests: ['takes the content type for what it is: %s'] }],
  },
  {
    id: 'C7',
    title: 'The session header',
    plain: { legacy: 'needed; 404 where unknown; refused on initialize', compat: 'ignored', modern: 'ignored' },
    disposition: 'documented',
    ours: {
      legacy: 'needed; 404 where unknown; ignored on initialize',
      compat: 'names the state; ignored where unknown; ignored on initialize',
      modern: 'ignored',
    },
    reference: 'spec 2025-11-25, basic/transports/streamable-http: session management',
    why: 'A legacy session is an object that must exist. The stateless lanes need none, so a stale id must not lock a client out.',
    proof: [
      { file: PROTOCOL, tests: ['to %s with a session id of %s'] },
      {
        file: ANSWERS,
        tests: [
          'initialize starts anew, whatever session id it carries: %s',
          'are unknown to the streamable transport: %s',
        ],
      },
    ],
  },
  {
    id: 'C8',
    title: 'initialize on /mcp gives no session id, and the negotiated version is forgotten',
    plain: { legacy: 'session id; version kept', compat: 'no id; version by header', modern: 'no handshake' },
    disposition: 'identical',
    now: 'initialize gives an id on both routes, and later requests are answered with or without a version header.',
    proof: [
      {
        file: PROTOCOL,
        tests: [
          'initialize gives a session id, and later requests need no version header: %s',
          'of any served version are answered: %s',
        ],
      },
      { file: CLIENTS, tests: ['keeps one counter a session on %s'] },
    ],
  },
  {
    id: 'C9',
    title: 'GET and DELETE',
    plain: { legacy: 'stream, 204', compat: '405 without Allow', modern: '405 without Allow' },
    disposition: 'documented',
    ours: { legacy: 'stream, 204', compat: 'GET 405 with Allow; DELETE 204', modern: 'GET 405 with Allow' },
    reference: 'RFC 9110, section 15.5.6; spec 2026-07-28, changelog: the GET stream is removed',
    why: 'There is nothing to listen to without a session. DELETE removes the state that a compat session names.',
    proof: [
      { file: PROTOCOL, tests: ['GET listens and DELETE ends on legacy; on compat only DELETE has something to end'] },
      { file: ROUTES, tests: ['%s %s is 405 and says what is allowed'] },
    ],
  },
  {
    id: 'C10',
    title: 'PUT and other methods',
    plain: { legacy: '404', compat: '405', modern: '405' },
    disposition: 'identical',
    now: '405 with Allow on both routes.',
    proof: [
      { file: ANSWERS, tests: ['%s is 405 with Allow on both routes'] },
      { file: ROUTES, tests: ['%s %s is 405 and says what is allowed'] },
    ],
  },
  {
    id: 'C11',
    title: 'Batches',
    plain: { legacy: 'run; empty is 202', compat: 'run, up to 100; empty is 400', modern: 'refused' },
    disposition: 'documented',
    ours: { legacy: 'run, 1 to 100', compat: 'run, 1 to 100', modern: 'refused' },
    reference: 'spec 2025-03-26, basic: batching; removed in 2025-06-18',
    why: 'Clients of 2025-03-26 may send them. What could never be answered (an id twice, a call with its own cancellation) is refused at the door.',
    proof: [
      { file: PROTOCOL, tests: ['run as a batch: %s', 'a batch with a modern message is refused'] },
      { file: REFUSALS, tests: ['refuses a batch that would not end: %.40s'] },
    ],
  },
  {
    id: 'C12',
    title: 'A posted JSON-RPC error response',
    plain: { legacy: 'a stream that stays open for ever', compat: '202', modern: 'refused' },
    disposition: 'identical',
    now: '202 without a body on both 2025 lanes, alone and in a batch.',
    proof: [{ file: ANSWERS, tests: ['a posted error response is accepted and opens nothing: %s'] }],
  },
  {
    id: 'C13',
    title: 'What is no JSON-RPC',
    plain: { legacy: '-32700', compat: '-32600', modern: '-32600' },
    disposition: 'identical',
    now: '400 with -32700 for what is no JSON and -32600 for what is no JSON-RPC, with the id where there is one.',
    proof: [
      {
        file: REFUSALS,
        tests: [
          'answers what is no JSON with a parse error: %s',
          'answers what is no JSON-RPC as an invalid request: %s',
        ],
      },
      { file: SHAPE, tests: ['%j is not JSON-RPC'] },
    ],
  },
  {
    id: 'C14',
    title: 'Size of a body without Content-Length',
    plain: { legacy: 'no limit', compat: 'counted', modern: 'counted' },
    disposition: 'identical',
    now: 'Bytes are counted as they come, on both routes; 413 at the limit, and nothing past it is read.',
    proof: [
      {
        file: REFUSALS,
        tests: ['counts the bytes of a body that does not say its length', 'believes a body that says it is too large'],
      },
    ],
  },
  {
    id: 'C15',
    title: 'A configured body limit is not kept for 2025 requests',
    plain: { legacy: 'header only', compat: 'not kept, or a wrong error', modern: 'kept' },
    disposition: 'identical',
    now: 'MAX_BODY_BYTES is the door’s, and the lanes are given what it has read.',
    proof: [{ file: DEADLINES, tests: ['keeps to a smaller body limit of its own: %s'] }],
  },
  {
    id: 'C16',
    title: 'Spellings of the path',
    plain: { legacy: 'a pattern', compat: 'exact', modern: 'exact' },
    disposition: 'identical',
    now: 'Slashes at the end mean the same; every other spelling is 404. A lane sees one spelling.',
    proof: [
      { file: REFUSALS, tests: ['answers at its path with slashes at the end, and at no other spelling'] },
      { file: SHAPE, tests: ['%s means %s', '%s means nothing'] },
    ],
  },
  {
    id: 'C17',
    title: 'What a handler is given about its request has other names on the other SDK',
    plain: { legacy: 'extra', compat: 'ctx', modern: 'ctx' },
    disposition: 'identical',
    now: 'A tool gets the project’s own context, with the same members on every lane.',
    proof: [
      { file: CONTRACT, tests: ['progress and log messages do not change the result'] },
      { file: 'test/contract/notifications.test.ts', tests: ['progress comes on the stream of its call, in order'] },
    ],
  },
  {
    id: 'C18',
    title: 'Where the request’s body can still be read',
    plain: { legacy: 'nowhere', compat: 'in the factory', modern: 'nowhere' },
    disposition: 'identical',
    now: 'The door reads the body once. Neither a tool nor a factory is given a request.',
    proof: [{ file: FORWARD, tests: ['is the very same one where nothing has to change'] }],
  },
  {
    id: 'C19',
    title: 'Headers that steer the bridge between the Worker and a legacy agent',
    plain: { legacy: 'a client can send them itself', compat: 'none', modern: 'none' },
    disposition: 'identical',
    now: 'What steers the bridge from outside, in headers and in the query, is taken away at the door.',
    proof: [
      {
        file: FORWARD,
        tests: [
          'has no header %s, which steers the legacy package from inside',
          'has no query, which steers it too, except the session of the old transport',
        ],
      },
      { file: ANSWERS, tests: ['%s does not reach the legacy agent'] },
    ],
  },
  {
    id: 'C20',
    title: 'What a server knows about its client',
    plain: { legacy: 'kept for the session', compat: 'nothing after initialize', modern: 'in each request' },
    disposition: 'documented',
    ours: { legacy: 'name and version', compat: 'unknown', modern: 'name and version' },
    reference: 'spec 2025-11-25, basic/lifecycle: clientInfo comes with initialize only',
    why: 'Without a session there is nothing to remember it in. `ctx.client` is undefined there, and its type says so.',
    proof: [{ file: 'test/e2e/interaction.test.ts', tests: ['is the one that connected, where the lane knows it'] }],
  },
  {
    id: 'C21',
    title: 'Capabilities that a stateless server cannot keep',
    plain: { legacy: 'listChanged', compat: 'listChanged', modern: 'listChanged' },
    disposition: 'identical',
    now: 'No lane promises that a list changes: a catalogue changes by deployment.',
    proof: [{ file: PROTOCOL, tests: ['the lists of capabilities promise no changes of lists on any lane'] }],
  },
];
