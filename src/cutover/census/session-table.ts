/**
 * The sessions of a shard: whose they are, when they began and were last used, and which lane serves them now. A session
 * that has ended stays for a while, so that an isolate that tells late of its start does not bring it back, and so that a
 * client that goes on with it has a name. Where there is no room, what has ended gives way first, then sessions of the
 * compat lane, which hold nothing, then legacy ones that were never used after their start. Synchronous, for a caller that makes it one transaction.
 */
import { isCompatSessionId } from '../../state/handle.ts';
import type { Began, Ended, OpenSession, SessionCount, SessionFilter, SessionLane, Touched } from './rows.ts';
import { UNKNOWN_CLIENT, type Client } from './seen.ts';

const MAX_SESSIONS = 20_000;
/** Of those, sessions of the compat lane: anybody can begin as many as they like, and none costs anything. */
const MAX_COMPAT = 5_000;
/** So many give way at once: each time is a look at all of them. */
const GIVING_WAY = 500;
/** As long as a use counts against a client. */
const ENDED_KEPT_MS = 14 * 24 * 60 * 60 * 1000;
/** So often a client may still come with a session that has ended, until it goes on with it for good. */
const LOST_AFTER = 5;
/** What an isolate takes to tell, at most. */
const TOLD_WITHIN_MS = 60_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, name TEXT, version TEXT, lane TEXT, transport TEXT, began_at INTEGER, last_seen INTEGER,
    drained INTEGER, standing_at INTEGER, ended_at INTEGER
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS refused_sessions (id TEXT PRIMARY KEY, refused INTEGER) WITHOUT ROWID;
`;

/** Sessions of the old transport live as long as their stream, so they end without a word where it does. */
export interface Lifetimes {
  readonly idleMs: number;
  readonly listenStreamMs: number;
}

export class SessionTable {
  readonly #sql: SqlStorage;
  readonly #lifetimes: Lifetimes;
  #rows = 0;
  #compat = 0;
  /** Open legacy sessions that gave way, since the last question. */
  #gaveWay = 0;
  /** So many sessions of each lane are turned away before room is looked for again. */
  readonly #unasked: Record<SessionLane, number> = { legacy: 0, compat: 0 };

  constructor(sql: SqlStorage, lifetimes: Lifetimes) {
    this.#sql = sql;
    this.#lifetimes = lifetimes;
    sql.exec(SCHEMA);
    this.#count();
  }

  /** How many open legacy sessions are no longer in the table since this was asked last. */
  takeGaveWay(): number {
    const gaveWay = this.#gaveWay;
    this.#gaveWay = 0;
    return gaveWay;
  }

  /** False where there is no room for another session. */
  began({ id, client, lane, transport, at }: Began): boolean {
    // A request of the session, or its end, may have been told of before.
    const known = this.#sql.exec(
      `UPDATE sessions SET name = coalesce(?, name), version = coalesce(?, version), began_at = min(began_at, ?)
       WHERE id = ? RETURNING 1`,
      client?.name ?? null,
      client?.version ?? null,
      at,
      id,
    );
    return known.toArray().length > 0 || this.#insert({ id, client, lane, transport, at, endedAt: null });
  }

  /** False where there is no room for a session that nobody told the start of: it began before the census did. */
  touched({ id, client, lane, transport, at }: Touched): boolean {
    const known = this.#sql.exec(
      `UPDATE sessions SET last_seen = max(last_seen, ?1), name = coalesce(name, ?4), version = coalesce(version, ?5), drained = CASE WHEN ?1 > standing_at THEN ?2 ELSE drained END,
       standing_at = max(standing_at, ?1) WHERE id = ?3 RETURNING 1`,
      at,
      lane === 'legacy' ? 0 : 1,
      id,
      client?.name ?? null,
      client?.version ?? null,
    );
    if (known.toArray().length > 0) return true;
    // The compat lane answers to any id of the form that it gives out, so such an id proves no session. Any other one is
    // told of only when its agent has said that the session is there.
    return isCompatSessionId(id) || this.#insert({ id, client, lane, transport, at, endedAt: null });
  }

  /** Told twice where the request and the agent both know. */
  ended({ id, at }: Ended): void {
    const [known] = this.#sql
      .exec<{ endedAt: number | null }>('SELECT ended_at AS endedAt FROM sessions WHERE id = ?', id)
      .toArray();
    if (known?.endedAt === null) this.#sql.exec('UPDATE sessions SET ended_at = ? WHERE id = ?', at, id);
    // Any id of a compat session's form can be ended, and what never began is no reason to write.
    if (known !== undefined || isCompatSessionId(id)) return;
    this.#insert({ id, client: undefined, lane: 'legacy', transport: 'streamable', at, endedAt: at });
  }

  /** True where the client has come so often with a session that has ended that it does not begin another. */
  isLost(id: string, refused: number): boolean {
    const [row] = this.#sql
      .exec<{ refused: number }>(
        `INSERT INTO refused_sessions SELECT id, ?2 FROM sessions WHERE id = ?1 AND ended_at IS NOT NULL
         ON CONFLICT DO UPDATE SET refused = refused + ?2 RETURNING refused`,
        id,
        refused,
      )
      .toArray();
    return row !== undefined && row.refused >= LOST_AFTER;
  }

  setDrained(ids: readonly string[], drained: boolean, now: number): void {
    for (const id of ids) {
      this.#sql.exec('UPDATE sessions SET drained = ?, standing_at = ? WHERE id = ?', drained ? 1 : 0, now, id);
    }
  }

  clientOf(id: string): Client | undefined {
    const [row] = this.#sql
      .exec<{ name: string; version: string }>(
        'SELECT name, version FROM sessions WHERE id = ? AND name IS NOT NULL',
        id,
      )
      .toArray();
    return row;
  }

  /** The open ones that are alike. */
  counts(now: number): SessionCount[] {
    return this.#sql
      .exec<Omit<SessionCount, 'drained'> & { drained: number } & Record<string, string | number>>(
        `SELECT coalesce(name, ?1) AS name, coalesce(version, ?2) AS version, lane, transport, drained,
         count(*) AS sessions FROM sessions
         WHERE ended_at IS NULL AND last_seen > ?3 AND (transport <> 'sse' OR began_at > ?4) GROUP BY 1, 2, 3, 4, 5`,
        UNKNOWN_CLIENT.name,
        UNKNOWN_CLIENT.version,
        this.#openSince(now),
        now - this.#lifetimes.listenStreamMs - TOLD_WITHIN_MS,
      )
      .toArray()
      .map(({ drained, ...row }) => ({ ...row, drained: drained === 1 }));
  }

  /** The open legacy ones that can be drained or taken back, in any order. */
  open({ client, version, olderThanMs = 0 }: SessionFilter, now: number): OpenSession[] {
    return this.#sql
      .exec<{ id: string; name: string; version: string; beganAt: number; drained: number }>(
        `SELECT id, coalesce(name, ?1) AS name, coalesce(version, ?2) AS version, began_at AS beganAt, drained
         FROM sessions WHERE lane = 'legacy' AND transport = 'streamable' AND ended_at IS NULL AND last_seen > ?3
         AND (?4 IS NULL OR coalesce(name, ?1) = ?4) AND (?5 IS NULL OR coalesce(version, ?2) = ?5) AND began_at <= ?6`,
        UNKNOWN_CLIENT.name,
        UNKNOWN_CLIENT.version,
        this.#openSince(now),
        client ?? null,
        version ?? null,
        now - olderThanMs,
      )
      .toArray()
      .map(({ id, name, version, beganAt, drained }) => ({
        id,
        client: { name, version },
        beganAt,
        drained: drained === 1,
      }));
  }

  mayBeOpen(lastSeenAt: number, now: number): boolean {
    return lastSeenAt > this.#openSince(now);
  }

  prune(now: number): void {
    this.#sql.exec(
      'DELETE FROM sessions WHERE ended_at < ? OR (ended_at IS NULL AND last_seen <= ?)',
      now - ENDED_KEPT_MS,
      this.#openSince(now),
    );
    this.#sql.exec('DELETE FROM refused_sessions WHERE id NOT IN (SELECT id FROM sessions)');
    this.#count();
  }

  /** A session ends by itself between one and 1.2 idle times after its last use, of which the census may know late. */
  #openSince(now: number): number {
    return now - this.#lifetimes.idleMs * 1.5 - TOLD_WITHIN_MS;
  }

  #insert({ id, client, transport, at, endedAt, ...begun }: Began & { readonly endedAt: number | null }): boolean {
    // The compat lane can begin a session of an agent: that is one of the legacy lane, drained from its start.
    const isDrained = begun.lane === 'compat' && !isCompatSessionId(id);
    const lane = isDrained ? 'legacy' : begun.lane;
    if (lane === 'compat' && this.#compat >= MAX_COMPAT) this.#giveWay("lane = 'compat'");
    if (this.#rows >= MAX_SESSIONS) this.#makeRoom(lane);
    if (this.#rows >= MAX_SESSIONS) return false;
    this.#sql.exec(
      'INSERT INTO sessions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?8, ?6, ?7)',
      id,
      client?.name ?? null,
      client?.version ?? null,
      lane,
      transport,
      at,
      endedAt,
      isDrained ? 1 : 0,
    );
    this.#rows += 1;
    if (lane === 'compat') this.#compat += 1;
    return true;
  }

  #makeRoom(lane: SessionLane): void {
    // Where nothing gives way, a look at all rows for each session that comes would be what a flood wants.
    if (this.#unasked[lane] > 0) {
      this.#unasked[lane] -= 1;
      return;
    }
    if (this.#giveWay('ended_at IS NOT NULL') + this.#giveWay("lane = 'compat'") > 0) return;
    const gaveWay = lane === 'compat' ? 0 : this.#giveWay('last_seen = began_at');
    this.#gaveWay += gaveWay;
    if (gaveWay === 0) this.#unasked[lane] = GIVING_WAY;
  }

  /** Of these, those that were never used first, and among them those that were not seen for longest. */
  #giveWay(which: string): number {
    const gone = this.#sql
      .exec<{ lane: string }>(
        `DELETE FROM sessions WHERE id IN (
           SELECT id FROM sessions WHERE ${which} ORDER BY last_seen > began_at, last_seen LIMIT ${GIVING_WAY}
         ) RETURNING lane`,
      )
      .toArray();
    this.#rows -= gone.length;
    this.#compat -= gone.filter(({ lane }) => lane === 'compat').length;
    return gone.length;
  }

  #count(): void {
    const { rows, compat } = this.#sql
      .exec<{ rows: number; compat: number }>(
        "SELECT count(*) AS rows, coalesce(sum(lane = 'compat'), 0) AS compat FROM sessions",
      )
      .one();
    this.#rows = rows;
    this.#compat = compat;
  }
}
