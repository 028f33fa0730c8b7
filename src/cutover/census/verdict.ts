/**
 * May a client leave the legacy half? A table of what it was seen to do against what its lane without sessions does about
 * it. A 2025 client goes to the compat lane, a 2026 client is on the modern one. Pure.
 */
import { USES, type SeenEra, type SeenRoute, type Use } from './seen.ts';

export type ClientVerdict = 'ready' | { readonly blockedBy: readonly Use[] };

/** How long a use counts against a client: longer than a fortnight of holidays is rare, and clients get updates. */
export const USE_REMEMBERED_MS = 14 * 24 * 60 * 60 * 1000;

export interface Ruling {
  readonly blocks: boolean;
  readonly why: string;
}

const blocks = (why: string): Ruling => ({ blocks: true, why });
const passes = (why: string): Ruling => ({ blocks: false, why });

const SAME_DOOR = 'Both routes have the same door, with the same limits and lists.';

export const RULINGS: Readonly<Record<Use, Readonly<Record<SeenEra, Ruling>>>> = {
  get_stream: {
    // The official clients open one in every session, and go on after 405: to block them would block every client.
    '2025': passes('The stream is optional: clients go on after 405, and nothing is ever sent on it here.'),
    '2026': passes('The protocol has no GET stream: clients go on after 405, and listen with subscriptions/listen.'),
  },
  last_event_id: {
    '2025': blocks(
      'It resumes answers after a broken connection. Here the answer is lost, and a retry runs the tool twice.',
    ),
    '2026': blocks('The protocol has no resumption. The answer is lost, and a retry runs the tool twice.'),
  },
  pushed_question: {
    '2025': blocks('Without a session there is no way to ask its user: the tool answers with an error.'),
    '2026': passes('A question ends the call with input_required, and the client calls again with the answer.'),
  },
  ping: {
    '2025': passes('The compat lane answers it.'),
    '2026': blocks('The protocol has no ping: "Method not found". server/discover checks that a server is there.'),
  },
  batch: {
    '2025': passes('The compat lane answers batches.'),
    '2026': blocks('The protocol has no batches: the whole batch is refused.'),
  },
  large_body: { '2025': passes(SAME_DOOR), '2026': passes(SAME_DOOR) },
  browser_origin: { '2025': passes(SAME_DOOR), '2026': passes(SAME_DOOR) },
  log_level: {
    '2025': passes('The compat lane takes the level and does not remember it; log messages are no part of an answer.'),
    '2026': passes('Each request names its own level.'),
  },
  subscription: {
    '2025': passes('It is answered; resources change by deployment only, so there is nothing to be told about.'),
    '2026': passes('subscriptions/listen is served.'),
  },
};

/** On this transport the stream is the connection itself: such a client needs another URL and another transport. */
const SSE_TRANSPORT = blocks('It speaks the HTTP+SSE transport, which is a GET stream; the other route has none.');

export const rulingOn = (use: Use, era: SeenEra, route: SeenRoute): Ruling =>
  use === 'get_stream' && route === '/legacy/sse' ? SSE_TRANSPORT : RULINGS[use][era];

export interface UseSeen {
  readonly use: Use;
  readonly route: SeenRoute;
  readonly lastSeenAt: number;
}

export function verdictOf(era: SeenEra, uses: readonly UseSeen[], now: number): ClientVerdict {
  const blocking = new Set(
    uses
      .filter(({ use, route, lastSeenAt }) => now - lastSeenAt < USE_REMEMBERED_MS && rulingOn(use, era, route).blocks)
      .map(({ use }) => use),
  );
  return blocking.size === 0 ? 'ready' : { blockedBy: USES.filter((use) => blocking.has(use)) };
}
