/**
 * The tables of a shard, calls and uses. The number of rows is bounded, because clients name themselves: what comes
 * beyond is counted under "other". Synchronous, for a caller that makes it one transaction.
 */
import type { CallRow, Counted, UseRow } from './rows.ts';
import { OTHER, OTHER_CLIENT, USES, type Client } from './seen.ts';

const MAX_ROWS = 5000;
/** A client that has not come for so long is gone, and its rows make room. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS calls (
    name TEXT, version TEXT, era TEXT, protocol TEXT, user_agent TEXT, route TEXT, lane TEXT, reason TEXT,
    calls INTEGER, last_seen INTEGER,
    PRIMARY KEY (name, version, era, protocol, user_agent, route, lane, reason)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS uses (
    name TEXT, version TEXT, era TEXT, user_agent TEXT, route TEXT, used TEXT, count INTEGER, last_seen INTEGER,
    PRIMARY KEY (name, version, era, user_agent, route, used)
  ) WITHOUT ROWID;
`;

/** What has its client's name, the shard's own or the one that the isolate knew. */
export interface Named extends Omit<Counted, 'client'> {
  readonly client: Client;
}

export class CensusTables {
  readonly #sql: SqlStorage;
  readonly #rows: { calls: number; uses: number };

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
    this.#rows = { calls: this.#countOf('calls'), uses: this.#countOf('uses') };
  }

  add(counted: Named): void {
    const kept = this.#addCalls(counted) ? counted : other(counted);
    if (kept !== counted) this.#addCalls(kept);
    this.#addUses(kept);
  }

  calls(): CallRow[] {
    return this.#sql
      .exec<CallRow & Columns>(
        `SELECT name, version, era, protocol AS protocolVersion, user_agent AS userAgent, route, lane, reason, calls,
         last_seen AS lastSeenAt FROM calls`,
      )
      .toArray();
  }

  uses(): UseRow[] {
    return this.#sql
      .exec<UseRow & Columns>(
        `SELECT name, version, era, user_agent AS userAgent, route, used AS "use", count, last_seen AS lastSeenAt FROM uses`,
      )
      .toArray();
  }

  prune(now: number): void {
    this.#sql.exec('DELETE FROM calls WHERE last_seen < ?', now - KEPT_MS);
    this.#sql.exec('DELETE FROM uses WHERE last_seen < ?', now - KEPT_MS);
    this.#rows.calls = this.#countOf('calls');
    this.#rows.uses = this.#countOf('uses');
  }

  /** False where there is no room for another row. */
  #addCalls(counted: Named): boolean {
    const { client, era, protocolVersion, userAgent, route, lane, reason, calls, lastSeenAt } = counted;
    const key = [client.name, client.version, era, protocolVersion, userAgent, route, lane, reason];
    const known = this.#sql.exec(
      `UPDATE calls SET calls = calls + ?, last_seen = max(last_seen, ?) WHERE name = ? AND version = ? AND era = ?
       AND protocol = ? AND user_agent = ? AND route = ? AND lane = ? AND reason = ? RETURNING 1`,
      calls,
      lastSeenAt,
      ...key,
    );
    if (known.toArray().length > 0) return true;
    if (this.#rows.calls >= MAX_ROWS && !isOther(counted)) return false;
    this.#sql.exec('INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', ...key, calls, lastSeenAt);
    this.#rows.calls += 1;
    return true;
  }

  #addUses(counted: Named): void {
    for (const use of USES) {
      const count = counted.uses[use] ?? 0;
      if (count === 0) continue;
      if (!this.#addUse(counted, use, count)) this.#addUse(other(counted), use, count);
    }
  }

  #addUse(counted: Named, use: string, count: number): boolean {
    const { client, era, userAgent, route, lastSeenAt } = counted;
    const key = [client.name, client.version, era, userAgent, route, use];
    const known = this.#sql.exec(
      `UPDATE uses SET count = count + ?, last_seen = max(last_seen, ?) WHERE name = ? AND version = ? AND era = ?
       AND user_agent = ? AND route = ? AND used = ? RETURNING 1`,
      count,
      lastSeenAt,
      ...key,
    );
    if (known.toArray().length > 0) return true;
    if (this.#rows.uses >= MAX_ROWS && !isOther(counted)) return false;
    this.#sql.exec('INSERT INTO uses VALUES (?, ?, ?, ?, ?, ?, ?, ?)', ...key, count, lastSeenAt);
    this.#rows.uses += 1;
    return true;
  }

  #countOf(table: 'calls' | 'uses'): number {
    return this.#sql.exec<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).one().rows;
  }
}

/** A type for rows, which the platform wants to be indexable. */
type Columns = Record<string, string | number>;

/** A client may call itself "other", but no client has the family "other" and no version in more than a few rows. */
const isOther = ({ client, userAgent }: Named): boolean =>
  client.name === OTHER && client.version === '' && userAgent === OTHER;

/** There are a few of these at most, so they always have room. */
const other = (counted: Named): Named => ({
  ...counted,
  client: OTHER_CLIENT,
  protocolVersion: '',
  userAgent: OTHER,
  reason: OTHER,
});
