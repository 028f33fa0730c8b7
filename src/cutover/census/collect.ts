/**
 * Counts requests in memory, and hands the counts over in the background. Nothing here waits on the request path, and
 * no failure of the census can change an answer. What an isolate that is ended has not handed over yet, a few seconds
 * of counts at most, is lost.
 */
import type { ClientInfo } from '../../shared/define/context.ts';
import { isCompatSessionId } from '../../state/handle.ts';
import { idleMs } from '../../state/times.ts';
import { Buffer } from './buffer.ts';
import { Flusher } from './flusher.ts';
import type { SessionLane, Transport } from './rows.ts';
import { cleanClient, cleanText, knownProtocol, UNKNOWN_CLIENT, type Seen } from './seen.ts';
import { SessionCache } from './session-cache.ts';
import { shardIn, shardOf, type CensusEnv } from './shards.ts';

export interface SessionBegun {
  readonly id: string;
  readonly client: ClientInfo | undefined;
  readonly lane: SessionLane;
  /** Streamable HTTP where it is not said. */
  readonly transport?: Transport;
}

/** Where work goes on after the answer. */
export type Background = Pick<ExecutionContext, 'waitUntil'>;

export interface Census {
  /** Synchronous: adds to memory, and lets the handing over follow. */
  note(env: CensusEnv, ctx: Background, seen: Seen): void;
  sessionBegan(env: CensusEnv, ctx: Background, session: SessionBegun): void;
  /**
   * Of a legacy session it is told at once, and not with the next counts: it may be the session's agent that says it,
   * which is about to be gone. Never rejects.
   */
  sessionEnded(env: CensusEnv, sessionId: string): Promise<void>;
  /** Hands over everything now, for an operator who wants to see what this isolate has just counted. */
  flush(env: CensusEnv): Promise<void>;
}

export interface CensusOptions {
  readonly onError?: (cause: unknown) => void;
  /** How often an isolate may write. */
  readonly flushEveryMs?: number;
}

const FLUSH_EVERY_MS = 1000;
/** Longer than any id that a lane gives out. */
const MAX_SESSION_ID = 128;
/** How exactly it is known when a session was last used: each time is a write. */
const SEEN_EVERY_MS = 10 * 60 * 1000;

export function createCensus(options: CensusOptions = {}): Census {
  const onError = (cause: unknown): void => {
    try {
      options.onError?.(cause);
    } catch {
      // Reporting must never change an answer.
    }
  };
  const buffer = new Buffer();
  const sessions = new SessionCache();
  /** Of the environment, which is one and the same in an isolate. */
  let everyMs: number | undefined;
  const flusher = new Flusher(buffer, {
    everyMs: options.flushEveryMs ?? FLUSH_EVERY_MS,
    onError,
    onTaken: ({ clients }) => {
      for (const [id, client] of clients) sessions.name(id, client);
    },
  });

  return {
    note: (env, ctx, seen) => inBackground(env, ctx, () => note(env, seen)),
    sessionBegan: (env, ctx, session) => inBackground(env, ctx, () => began(session)),
    async sessionEnded({ CENSUS_OBJECT: objects }, id) {
      if (objects === undefined || id.length > MAX_SESSION_ID) return;
      const session = { id, at: Date.now() };
      buffer.forget(id);
      sessions.forget(id);
      // Anybody can end an invented session of the compat lane, and such an end is in no hurry.
      if (isCompatSessionId(id)) return buffer.ended(session);
      try {
        await shardIn(objects, shardOf(id)).end(session);
      } catch (cause) {
        buffer.ended(session);
        onError(cause);
      }
    },
    flush: (env) => flusher.all(env),
  };

  function inBackground(env: CensusEnv, ctx: Background, add: () => void): void {
    if (env.CENSUS_OBJECT === undefined) return;
    try {
      add();
      const work = flusher.start(env);
      if (work !== undefined) ctx.waitUntil(work);
    } catch (cause) {
      onError(cause);
    }
  }

  function note(env: CensusEnv, seen: Seen): void {
    const { era, route, lane, reason, uses, opens = false, continues = false } = seen;
    const now = Date.now();
    const sessionId =
      seen.sessionId !== undefined && seen.sessionId.length <= MAX_SESSION_ID ? seen.sessionId : undefined;
    let client = seen.client === undefined ? undefined : cleanClient(seen.client);
    if (sessionId === undefined) client ??= UNKNOWN_CLIENT;
    else {
      // Of a session that has ended the shard knows how often it was refused, and whose it was.
      if (lane !== 'none') client ??= sessions.clientOf(sessionId);
      const servedBy = servedSession(lane, reason, sessionId);
      if (servedBy !== undefined && sessions.isNews(sessionId, servedBy, now, (everyMs ??= seenEveryMs(env))))
        buffer.touched({ id: sessionId, client, lane: servedBy, transport: transportOf(route), at: now });
    }
    buffer.count(
      {
        client,
        sessionId,
        era,
        protocolVersion: knownProtocol(seen.protocolVersion),
        userAgent: cleanText(seen.userAgent),
        route,
        lane,
        reason,
        uses,
        opens,
        continues,
      },
      now,
    );
  }

  function began({ id, lane, transport = 'streamable', ...session }: SessionBegun): void {
    if (id.length > MAX_SESSION_ID) return;
    const client = session.client === undefined ? undefined : cleanClient(session.client);
    const at = Date.now();
    buffer.began({ id, client, lane, transport, at });
    sessions.began(id, client, lane, at);
  }
}

/**
 * The lane that has the session now. A legacy session's id on the compat lane is one of a drained session, or a stale
 * one: that a client still sends it is no session.
 */
function servedSession(lane: Seen['lane'], reason: string, sessionId: string): SessionLane | undefined {
  if (lane === 'legacy') return lane;
  return lane === 'compat' && (reason === 'drained' || isCompatSessionId(sessionId)) ? lane : undefined;
}

const transportOf = (route: Seen['route']): Transport => (route === '/legacy/sse' ? 'sse' : 'streamable');

/** More often where sessions end soon, so that one that is used never looks abandoned. */
const seenEveryMs = (env: CensusEnv): number => Math.min(SEEN_EVERY_MS, idleMs(env) / 10);
