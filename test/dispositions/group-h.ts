/** Group H: what clients do. */
import type { Disposition } from './types.ts';

const STAGES = 'test/contract/legacy-stages.test.ts';
const HAND_OFF = 'test/contract/legacy-hand-off.test.ts';
const CLIENTS = 'test/e2e/clients.test.ts';
const DOOR = 'test/workerd/door-answers.test.ts';
const LISTINGS = 'test/contract/listings.test.ts';
const DECIDE = 'test/node/cutover/decide.test.ts';
const NO_2026 = 'never gives a 2026 request to SDK v1, but a probe that it refuses on the stream of the old transport';
const WIRE = 'test/contract/legacy-wire.test.ts';

export const GROUP_H: readonly Disposition[] = [
  {
    id: 'H1',
    title: 'A client drops its session id between two requests',
    plain: { legacy: '400', compat: 'served', modern: 'no session' },
    disposition: 'documented',
    ours: { legacy: '400 at stage legacy, served once the route is at stateless', compat: 'served', modern: 'served' },
    reference: 'spec 2025-11-25, basic/transports, "Session Management"',
    why: 'A server that gives out session ids should refuse requests without one, and at the first stage the route answers as before. Such clients are the first to move.',
    proof: [
      {
        file: STAGES,
        tests: [
          'is refused by the legacy lane while the route stands at legacy',
          'is answered statelessly once the route has left the legacy lane',
        ],
      },
    ],
  },
  {
    id: 'H2',
    title: 'A client of the new generation probes first, and falls back where it is refused in JSON-RPC',
    plain: { legacy: '400 as text', compat: 'answered', modern: 'answered' },
    disposition: 'identical',
    now: 'The legacy route refuses the probe in JSON-RPC with its id, over HTTP+SSE on the stream, and the client falls back to `initialize`.',
    proof: [
      { file: DOOR, tests: ['a 2026 probe of the legacy route is 400 in JSON-RPC, with its id, and wakes nothing'] },
      {
        file: WIRE,
        tests: ['is told on the stream of the old transport that its probe is unknown, and falls back (legacy)'],
      },
      { file: CLIENTS, tests: ['pinned to 2026-07-28 on /legacy/mcp fails at once and says why'] },
    ],
  },
  {
    id: 'H3',
    title: 'Some versions of a client take 405 to GET for a failure',
    plain: { legacy: 'a stream', compat: '405', modern: '405' },
    disposition: 'documented',
    ours: { legacy: 'a stream', compat: '405 with Allow', modern: '405 with Allow' },
    reference: 'spec 2025-11-25, basic/transports: a server without a stream must answer 405',
    why: 'There is nothing to listen to on the stateless lanes. Such a client is kept on the legacy lane by a rule for its name, and the census shows who opens streams.',
    proof: [
      { file: 'test/workerd/routes.test.ts', tests: ['%s %s is 405 and says what is allowed'] },
      { file: 'test/node/cutover/flags.test.ts', tests: ['give named clients and a percentage the next stage'] },
    ],
  },
  {
    id: 'H4',
    title: 'A client hangs on a 405 that does not say what is allowed',
    plain: { legacy: 'no 405', compat: 'no Allow', modern: 'no Allow' },
    disposition: 'identical',
    now: 'Every 405 has Allow.',
    proof: [{ file: 'test/workerd/routes.test.ts', tests: ['%s %s is 405 and says what is allowed'] }],
  },
  {
    id: 'H5',
    title: 'Old configurations name the HTTP+SSE transport, which the new package does not serve',
    plain: { legacy: 'served', compat: 'none', modern: 'none' },
    disposition: 'identical',
    now: 'Served on the legacy route until the operator ends it, on its own and before the rest; then 410 with the new URL.',
    proof: [
      { file: DOOR, tests: ['works on legacy from its endpoint event to an answer'] },
      {
        file: STAGES,
        tests: [
          'lets the old transport go first',
          'says where to go, to new and to living sessions, on POST, GET and DELETE',
        ],
      },
    ],
  },
  {
    id: 'H6',
    title: 'A new client fails on an answer of the old generation',
    plain: { legacy: 'answers in its own form', compat: 'not reached', modern: 'answers in the new form' },
    disposition: 'identical',
    now: 'No 2026 request is ever answered by SDK v1, whatever the flags and the brake say; a probe over HTTP+SSE is refused by it.',
    proof: [
      { file: DECIDE, tests: [NO_2026] },
      { file: LISTINGS, tests: ['only modern puts the envelope of its protocol around a list: %s'] },
    ],
  },
  {
    id: 'H7',
    title: 'A v1 client sees an unknown tool reject on one route and resolve on the other',
    plain: { legacy: 'resolves with isError', compat: 'rejects', modern: 'rejects' },
    disposition: 'identical',
    now: 'It rejects on both routes.',
    proof: [{ file: CLIENTS, tests: ['gets the server error of an unknown tool as an error, on both routes'] }],
  },
  {
    id: 'H8',
    title: 'Clients that never initialize again after 404',
    plain: { legacy: '404 for ever', compat: 'served', modern: 'no session' },
    disposition: 'identical',
    now: 'A drained session goes on under its own id, with its state; a stale one is answered once the route has left the legacy lane.',
    proof: [
      { file: HAND_OFF, tests: ['a drained session is answered by the compat lane under the same id, with its state'] },
      { file: STAGES, tests: ['is answered statelessly once the route has left the legacy lane'] },
    ],
  },
  {
    id: 'H9',
    title: 'A client remembers what a URL spoke, and does not notice a change',
    plain: { legacy: '2025 only', compat: 'both, or refused by an option', modern: 'both, or refused by an option' },
    disposition: 'identical',
    now: '/mcp answers both generations at every stage but off, and /legacy speaks one for as long as it lives.',
    proof: [{ file: DECIDE, tests: [NO_2026, '%s, at %o'] }],
  },
  {
    id: 'H10',
    title: 'A client that caches lists keeps tools that a flag has taken away',
    plain: { legacy: 'no hints', compat: 'no hints', modern: 'ttlMs 0 unless set' },
    disposition: 'identical',
    now: 'No list has a hint that would let a client keep it, and tools change by deployment only.',
    proof: [{ file: LISTINGS, tests: ['only modern puts the envelope of its protocol around a list: %s'] }],
  },
];
