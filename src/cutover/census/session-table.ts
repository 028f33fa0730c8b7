/**
 * The sessions of a shard: whose they are, when they began and were last used, and which lane serves them now. A session
 * that has ended stays for a moment, so that an isolate that tells late of its start does not bring it back.
 * Synchronous, for a caller that makes it one transaction.
 */
import { isCompatSessionId } from '../../state/handle.ts';
import type { Began, Ended, OpenSession, SessionCount, SessionFilter, Touched } from './rows.ts';
import { UNKNOWN_CLIENT, type Client } from './seen.ts';

const MAX_SESSIONS = 20_000;
/** Longer than any isolate may take to tell. */
const ENDED_KEPT_MS = 10 * 60 * 1000;
/** What an isolate takes to tell, at most. */
const TOLD_WITHIN_MS = 60_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, name TEXT, version TEXT, lane TEXT, transport TEXT, began_at INTEGER, last_seen INTEGER,
    drained INTEGER, standing_at INTEGER, ended_at INTEGER
  ) WITHOUT ROWID;
`;

export class SessionTable {
  readonly #sql: SqlStorage;
  readonly #idleMs: number;
  #rows: number;

  constructor(sql: SqlStorage, idleMs: number) {
    this.#sql = sql;
    this.#idleMs = idleMs;
    sql.exec(SCHEMA);
    this.#rows = this.#count();
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
  touched({ id, lane, transport, at }: Touched): boolean {
    const known = this.#sql.exec(
      `UPDATE sessions SET last_seen = max(last_seen, ?1), drained = CASE WHEN ?1 > standing_at THEN ?2 ELSE drained END,
       standing_at = max(standing_at, ?1) WHERE id = ?3 RETURNING 1`,
      at,
      lane === 'legacy' ? 0 : 1,
      id,
    );
    if (known.toArray().length > 0) return true;
    // The compat lane answers to any id of the right form, so what comes there proves no session.
    return lane !== 'legacy' || this.#insert({ id, client: undefined, lane, transport, at, endedAt: null });
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
        `SELECT coalesce(name, ?) AS name, coalesce(version, ?) AS version, lane, transport, drained,
         count(*) AS sessions FROM sessions WHERE ended_at IS NULL AND last_seen > ? GROUP BY 1, 2, 3, 4, 5`,
        UNKNOWN_CLIENT.name,
        UNKNOWN_CLIENT.version,
        this.#openSince(now),
      )
      .toArray()
      .map(({ drained, ...row }) => ({ ...row, drained: drained === 1 }));
  }

  /** The open legacy ones that can be drained, in any order. */
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
      'DELETE FROM sessions WHERE ended_at < ? OR last_seen <= ?',
      now - ENDED_KEPT_MS,
      this.#openSince(now),
    );
    this.#rows = this.#count();
  }

  /** A session ends by itself between one and 1.2 idle times after its last use, of which the census may know late. */
  #openSince(now: number): number {
    return now - this.#idleMs * 1.5 - TOLD_WITHIN_MS;
  }

  #insert({ id, client, lane, transport, at, endedAt }: Began & { readonly endedAt: number | null }): boolean {
    if (this.#rows >= MAX_SESSIONS) return false;
    this.#sql.exec(
      'INSERT INTO sessions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 0, ?6, ?7)',
      id,
      client?.name ?? null,
      client?.version ?? null,
      lane,
      transport,
      at,
      endedAt,
    );
    this.#rows += 1;
    return true;
  }

  #count(): number {
    return this.#sql.exec<{ rows: number }>('SELECT count(*) AS rows FROM sessions').one().rows;
  }
}
