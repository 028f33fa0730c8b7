/**
 * May a client leave the legacy half? A table of what it was seen to do against what its lane without sessions does about
 * it. A 2025 client goes to the compat lane, a 2026 client is on the modern one. Pure.
 */
import { USES, type SeenEra, type SeenLane, type SeenRoute, type Use } from './seen.ts';

/**
 * `unproven` is a client of which nothing is known: it was refused, or only began something, or goes without a session
 * where there has to be one. Anybody can look so with one request, so it is no reason to wait, and none to be sure.
 */
export type ClientVerdict = 'ready' | 'unproven' | { readonly blockedBy: readonly Use[] };

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
  lost_session: {
    '2025': blocks(
      'It goes on with a session that has ended, and begins no other. It is answered again once the route is at stateless, without a session; the state goes along by handle only.',
    ),
    '2026': passes('The protocol has no sessions.'),
  },
};

/** On this transport the stream is the connection itself: such a client needs another URL and another transport. */
const SSE_TRANSPORT = blocks('It speaks the HTTP+SSE transport, which is a GET stream; the other route has none.');

export const rulingOn = (use: Use, era: SeenEra, route: SeenRoute): Ruling =>
  use === 'get_stream' && route === '/legacy/sse' ? SSE_TRANSPORT : RULINGS[use][era];

export interface UseSeen {
  readonly use: Use;
  readonly route: SeenRoute;
  readonly lane: SeenLane;
  readonly lastSeenAt: number;
}

/**
 * Whether a use keeps a client on the legacy half. One on another lane does not: that client has moved. A lost session is
 * refused, so it has no lane.
 */
export const keepsOnLegacy = ({ use, route, lane }: Omit<UseSeen, 'lastSeenAt'>, era: SeenEra): boolean =>
  (lane === 'legacy' || use === 'lost_session') && rulingOn(use, era, route).blocks;

export interface ClientSeen {
  readonly era: SeenEra;
  readonly uses: readonly UseSeen[];
  /** True where it was served more than a beginning. */
  readonly worked: boolean;
  /** When a request without a session, or with an unknown one, was refused last, and nobody knows whose. */
  readonly strayedAt: number | undefined;
}

export function verdictOf({ era, uses, worked, strayedAt }: ClientSeen, now: number): ClientVerdict {
  const isRemembered = (at: number): boolean => now - at < USE_REMEMBERED_MS;
  const blocking = new Set(
    uses.filter((seen) => isRemembered(seen.lastSeenAt) && keepsOnLegacy(seen, era)).map(({ use }) => use),
  );
  if (!worked) return 'unproven';
  if (blocking.size > 0) return { blockedBy: USES.filter((use) => blocking.has(use)) };
  return strayedAt !== undefined && isRemembered(strayedAt) ? 'unproven' : 'ready';
}
