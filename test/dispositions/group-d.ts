/** Group D: sessions and state. */
import type { Disposition } from './types.ts';

const STREAMS = 'test/contract/legacy-streams.test.ts';
const HAND_OFF = 'test/contract/legacy-hand-off.test.ts';
const EXPIRY = 'test/contract/expiry.test.ts';
const LEGACY_EXPIRY = 'test/contract/legacy-expiry.test.ts';
const CALLERS = 'test/contract/callers.test.ts';
const SUBJECTS = 'test/contract/legacy-subjects.test.ts';
const HANDLES = 'test/contract/legacy-handles.test.ts';
const CASES = 'test/contract/cases.ts';

export const GROUP_D: readonly Disposition[] = [
  {
    id: 'D1',
    title:
      'A field of the agent belongs to a session; a global of the other package belongs to everybody in the isolate',
    plain: { legacy: 'per session', compat: 'shared by all users', modern: 'shared by all users' },
    disposition: 'identical',
    now: 'State is a reducer over a named state; a tool has no `this` and no storage to share by mistake.',
    proof: [
      { file: CASES, tests: ['a call without state starts at the initial state', 'a handle goes on with its state'] },
    ],
  },
  {
    id: 'D2',
    title: 'Fields in memory are lost after some idle seconds, while the session goes on',
    plain: { legacy: 'lost', compat: 'no session', modern: 'no session' },
    disposition: 'identical',
    now: 'All state is in storage, and outlives the object in memory.',
    proof: [{ file: SUBJECTS, tests: ['the state of a %s session outlives its object in memory'] }],
  },
  {
    id: 'D3',
    title: 'setState, SQL and schedules have no counterpart without sessions',
    plain: { legacy: 'in the agent', compat: 'nowhere', modern: 'nowhere' },
    disposition: 'identical',
    now: 'One definition with a reducer; the lane chooses where the state lives, and the handle reaches it from any lane.',
    proof: [{ file: HAND_OFF, tests: ['its handle works on every lane before, during and after'] }],
  },
  {
    id: 'D4',
    title: 'Existing state is keyed by the session id, so nobody else can find it',
    plain: { legacy: 'found by its session', compat: 'not found', modern: 'not found' },
    disposition: 'identical',
    now: 'The handle is derived from the session id, so a drained session finds its state under its own id.',
    proof: [
      { file: HAND_OFF, tests: ['a drained session is answered by the compat lane under the same id, with its state'] },
    ],
  },
  {
    id: 'D5',
    title: 'Abandoned sessions are never removed',
    plain: { legacy: 'kept for ever', compat: 'no session', modern: 'no session' },
    disposition: 'identical',
    now: 'Sessions and state objects that nobody uses remove themselves.',
    proof: [
      {
        file: LEGACY_EXPIRY,
        tests: [
          'a legacy session that nobody uses is gone after its idle time, with its storage',
          'a session that was only opened expires too',
          'a legacy session in use stays',
        ],
      },
      { file: EXPIRY, tests: ['a state object is empty after its idle time'] },
    ],
  },
  {
    id: 'D6',
    title: 'DELETE answers at once and tears the session down a second later',
    plain: { legacy: '204, then an alarm', compat: '405', modern: '405' },
    disposition: 'documented',
    ours: {
      legacy: '204; the session is gone at once, its state stays with its handle',
      compat: '204; a call for its state is told that it has ended, its state stays with its handle',
      modern: '405',
    },
    reference: 'spec 2026-07-28, changelog: sessions are removed',
    why: 'A client of the modern lane has no session to end, and its transport asks for 405. The agent’s own storage is still freed a second later. Clients that close by DELETE come back with the handle, so the state waits for them as long as any that nobody uses.',
    proof: [
      { file: LEGACY_EXPIRY, tests: ['DELETE ends a legacy session at once'] },
      { file: EXPIRY, tests: ['DELETE leaves the state of a compat session to its handle, for the idle time'] },
      { file: HANDLES, tests: ['%s: goes on on %s', '%s: the session itself has ended'] },
    ],
  },
  {
    id: 'D7',
    title: 'The properties of the caller are read once a wake of the agent, and with each request otherwise',
    plain: { legacy: 'stale in a warm session', compat: 'fresh', modern: 'fresh' },
    disposition: 'identical',
    now: 'A tool is told the caller of its very call, a refreshed token included; a request of another subject is refused before it reaches the agent.',
    proof: [
      { file: CALLERS, tests: ['a token that was refreshed reaches the next call'] },
      { file: SUBJECTS, tests: ['the session id of a legacy session is of no use to another subject'] },
    ],
  },
  {
    id: 'D8',
    title: 'One server for two requests at once fails',
    plain: { legacy: 'one a session', compat: '500 on the second', modern: '500 on the second' },
    disposition: 'refused',
    now: 'Servers are made by us, one an exchange; a tool never sees one.',
    proof: [
      {
        file: HAND_OFF,
        tests: ['1,000 increments from 50 clients over both routes during hand-offs are exactly 1,000'],
      },
    ],
  },
  {
    id: 'D9',
    title: 'The same import by another path selects the deprecated handler with sessions',
    plain: { legacy: 'its own', compat: 'by path', modern: 'by path' },
    disposition: 'refused',
    now: 'Only one folder may import each package; a lint rule, a test on the sources and a test on the bundle say so.',
    proof: [
      { file: 'test/node/layers.test.ts', tests: ['keep each SDK in its own lane'] },
      { file: 'test/node/bundle.test.ts', tests: ['the stateless half holds no SDK v1 and no legacy code'] },
    ],
  },
  {
    id: 'D10',
    title: 'Options of the old handler throw when the new one is made, in a request if it is made there',
    plain: { legacy: 'accepted', compat: 'TypeError', modern: 'TypeError' },
    disposition: 'refused',
    now: 'The handler is made once, when the Worker starts, with options of ours: a wrong one is seen at the first start.',
    proof: [
      {
        file: 'test/e2e/start.test.ts',
        tests: ['says where it is and what to try, which works, and leaves nothing behind'],
      },
    ],
  },
  {
    id: 'D11',
    title: 'Two requests of a session with the same id at the same time share what cancels them',
    plain: { legacy: 'shared', compat: 'apart', modern: 'apart' },
    disposition: 'documented',
    ours: {
      legacy: 'each is answered on its own stream; a cancellation reaches the later one',
      compat: 'apart',
      modern: 'apart',
    },
    reference: 'JSON-RPC 2.0, section 4: the id is the client’s, and answers are told apart by nothing else',
    why: 'A client that uses an id twice at once cannot tell the answers apart either. No answer reaches another stream.',
    proof: [{ file: STREAMS, tests: ['two calls with the same id are answered each on its own stream'] }],
  },
];
