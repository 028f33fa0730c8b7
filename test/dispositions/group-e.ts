/** Group E: streams, notifications, questions and cancellation. */
import type { Disposition } from './types.ts';

const STREAMS = 'test/contract/streams.test.ts';
const LEGACY_STREAMS = 'test/contract/legacy-streams.test.ts';
const NOTIFICATIONS = 'test/contract/notifications.test.ts';
const ASKING = 'test/contract/asking.test.ts';
const LISTINGS = 'test/contract/listings.test.ts';

export const GROUP_E: readonly Disposition[] = [
  {
    id: 'E1',
    title: 'Cancelling a call',
    plain: {
      legacy: 'stops it, and its stream never ends',
      compat: 'reaches nobody',
      modern: 'by closing the response',
    },
    disposition: 'documented',
    ours: {
      legacy: 'stops it, and ends its stream',
      compat: 'accepted, and the call goes on; closing the response stops it',
      modern: 'by closing the response',
    },
    reference: 'spec 2025-11-25, basic/utilities/cancellation; spec 2026-07-28, changelog, item 1 (no sessions)',
    why: 'A notification without a session may reach any isolate, so it cannot find the call.',
    proof: [
      { file: LEGACY_STREAMS, tests: ['a cancelled call ends its stream'] },
      {
        file: STREAMS,
        tests: [
          'legacy: a cancelled notification stops the call',
          'compat: a cancelled notification is accepted and reaches nobody',
          '%s: a client that goes away stops its call',
        ],
      },
    ],
  },
  {
    id: 'E2',
    title: 'Where progress arrives',
    plain: {
      legacy: 'on the call, or on the GET stream',
      compat: 'on the call, or nowhere',
      modern: 'on the call, or nowhere',
    },
    disposition: 'identical',
    now: 'On the stream of its call, in order; there is no other way to send it.',
    proof: [
      {
        file: NOTIFICATIONS,
        tests: [
          'progress comes on the stream of its call, in order',
          'progress that nobody asked for does not come',
          'what is sent without a pause keeps its order',
        ],
      },
    ],
  },
  {
    id: 'E3',
    title: 'Answers forced to be JSON lose their progress',
    plain: { legacy: 'no such option', compat: 'progress comes', modern: 'progress is lost' },
    disposition: 'identical',
    now: 'The option is not used: a body becomes a stream as soon as something comes before the answer, and is one from the start if the client asks for progress or the tool may take long.',
    proof: [
      { file: STREAMS, tests: ['%s: the answer alone is %s, with progress before it %s'] },
      { file: NOTIFICATIONS, tests: ['progress comes on the stream of its call, in order'] },
    ],
  },
  {
    id: 'E4',
    title: 'Log messages',
    plain: {
      legacy: 'on the GET stream',
      compat: 'nowhere, or at any level',
      modern: 'where the request names a level',
    },
    disposition: 'documented',
    ours: {
      legacy: 'on the call, at the level of the session',
      compat: 'on the call, at any level',
      modern: 'on the call, where the request names a level',
    },
    reference: 'spec 2025-11-25, server/utilities/logging; spec 2026-07-28, server/utilities/logging',
    why: 'The newer protocol sends none unasked, and compat has no session to keep a level in. Messages themselves are the same.',
    proof: [
      {
        file: NOTIFICATIONS,
        tests: [
          '%s: without a wish of the client',
          'modern: at the level that the request names',
          'legacy keeps the level that the session was set to, and compat has nothing to keep it in',
        ],
      },
    ],
  },
  {
    id: 'E5',
    title: 'News that a list has changed',
    plain: { legacy: 'on the GET stream', compat: 'never', modern: 'on a stream that the client opened for it' },
    disposition: 'identical',
    now: 'Never: lists change by deployment, and no lane declares otherwise.',
    proof: [
      { file: LISTINGS, tests: ['no lane declares that its lists change: %s'] },
      {
        file: STREAMS,
        tests: [
          'modern: a client that listens is told that there is nothing to listen to',
          '%s: there is no such method',
          'compat: there is no stream to push on',
        ],
      },
    ],
  },
  {
    id: 'E6',
    title: 'Notifications from a handler reach its own isolate only, or every tenant of it',
    plain: { legacy: 'per session', compat: 'per isolate', modern: 'per isolate' },
    disposition: 'identical',
    now: 'None are sent outside of a call, so none can reach somebody else.',
    proof: [
      { file: LISTINGS, tests: ['no lane declares that its lists change: %s'] },
      { file: STREAMS, tests: ['modern: a client that listens is told that there is nothing to listen to'] },
    ],
  },
  {
    id: 'E7',
    title: 'Taking up a call after the connection was lost',
    plain: { legacy: 'replays, and the stream never ends', compat: 'the call is lost', modern: 'the call is lost' },
    disposition: 'documented',
    ours: { legacy: 'replays, and the stream ends', compat: 'the call is lost', modern: 'the call is lost' },
    reference: 'spec 2026-07-28, changelog, item 9',
    why: 'Resumption is gone from the newer protocol, and there is no session to keep events in. State that moves is safe to retry by its handle.',
    proof: [
      { file: LEGACY_STREAMS, tests: ['a resumed stream ends after the last answer'] },
      {
        file: STREAMS,
        tests: ['only legacy numbers its events: the other lanes have nothing to take a dropped call up from'],
      },
    ],
  },
  {
    id: 'E8',
    title: 'How a question reaches the user',
    plain: { legacy: 'pushed', compat: 'a tool error', modern: 'throws with an instruction' },
    disposition: 'documented',
    ours: {
      legacy: 'pushed on the call',
      compat: 'a tool error that says where it works',
      modern: '`input_required`, in rounds',
    },
    reference: 'spec 2025-11-25, client/elicitation; spec 2026-07-28, changelog (multi round-trip requests)',
    why: 'One `ctx.ask` for tools. The questions and the final answer are the same on both lanes that can ask; compat has no way back to the client.',
    proof: [
      {
        file: ASKING,
        tests: [
          'two questions at once, a question asked again and one more come to one answer',
          'a declined question is declined for the tool',
          'a cancelled question is cancelled for the tool',
          'compat: no question reaches the client, and the error says where it would',
        ],
      },
    ],
  },
  {
    id: 'E9',
    title: 'An accepted question fails, because code cannot be compiled in a Worker',
    plain: { legacy: 'fails', compat: 'cannot ask', modern: 'fine' },
    disposition: 'identical',
    now: "The question's own schema checks the answer; nothing is compiled.",
    proof: [
      {
        file: ASKING,
        tests: [
          'two questions at once, a question asked again and one more come to one answer',
          'an answer that does not fit its question ends the call',
        ],
      },
    ],
  },
  {
    id: 'E10',
    title: 'Questions go to a GET stream that many clients do not open',
    plain: { legacy: 'on the GET stream, else a timeout', compat: 'cannot ask', modern: 'in the answer' },
    disposition: 'identical',
    now: 'On the stream of the call itself, or in its answer.',
    proof: [
      {
        file: ASKING,
        tests: ['two questions at once, a question asked again and one more come to one answer'],
      },
    ],
  },
  {
    id: 'E11',
    title: 'A question to a client that did not say that it can be asked',
    plain: { legacy: 'throws', compat: 'a tool error', modern: '-32021 with HTTP 400' },
    disposition: 'documented',
    ours: {
      legacy: 'a tool error that names the capability',
      compat: 'a tool error that says where it works',
      modern: '-32021 with HTTP 400',
    },
    reference:
      'spec 2026-07-28, basic (missing client capability); `MissingRequiredClientCapabilityError` of @modelcontextprotocol/server',
    why: 'The newer protocol has an error for it. The state between rounds is signed, belongs to one call and ends after ten minutes.',
    proof: [
      {
        file: ASKING,
        tests: ['a client without the capability: a tool error on legacy, -32021 with HTTP 400 on modern'],
      },
      {
        file: 'test/contract/request-state.test.ts',
        tests: [
          'is refused when it is %s',
          'is refused for another call than its own',
          'is good for ten minutes and refused after them',
          'ignores answers to questions that were never asked',
        ],
      },
    ],
  },
  {
    id: 'E12',
    title: 'Comments that keep a stream alive',
    plain: { legacy: 'every 25 s on calls', compat: 'every 15 s', modern: 'every 15 s' },
    disposition: 'documented',
    ours: { legacy: 'every 25 s on every stream', compat: 'every 15 s', modern: 'every 15 s' },
    reference: 'WHATWG HTML, 9.2.6 (a line that starts with a colon is ignored); `sseKeepAlive` of both packages',
    why: 'A comment has no meaning by definition, and how often it must come is a matter of each transport.',
    proof: [
      {
        file: 'test/node/wire.test.ts',
        tests: ['comments that keep a stream alive are no messages', 'nor are they in pieces of %d bytes'],
      },
    ],
  },
  {
    id: 'E13',
    title: 'A client that goes away in the middle of a call',
    plain: {
      legacy: 'the call goes on, its answer is kept',
      compat: 'the call is stopped',
      modern: 'the call is stopped',
    },
    disposition: 'documented',
    ours: {
      legacy: 'the call goes on, its answer is kept',
      compat: 'the call is stopped',
      modern: 'the call is stopped',
    },
    reference:
      'spec 2025-11-25, basic/transports (a lost connection is no cancellation); spec 2026-07-28, basic/utilities/cancellation',
    why: 'Only a session can give the answer to a client that comes back. A tool sees `ctx.signal` on every lane.',
    proof: [
      {
        file: STREAMS,
        tests: ['legacy: a client that goes away does not stop its call', '%s: a client that goes away stops its call'],
      },
      {
        file: LEGACY_STREAMS,
        tests: ['an answer that came while nobody listened is replayed and the stream ends'],
      },
    ],
  },
];
