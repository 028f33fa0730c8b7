/**
 * The tables of a shard, calls and uses. The number of rows is bounded, because clients name themselves. Where there is no
 * room, rows that few calls speak for give way, those that were not seen for longest first, and are added up under "other":
 * whoever comes next always has a row. Synchronous, for a caller that makes it one transaction.
 */
import { addEarlierTables } from './earlier-tables.ts';
import { IS_OTHER, isOther, otherOf } from './other.ts';
import type { CallRow, Counted, UseRow } from './rows.ts';
import { OTHER, UNKNOWN_CLIENT, USES, type Client } from './seen.ts';

const MAX_ROWS = 5000;
/** So many give way at once: each time is a look at all rows. */
const GIVING_WAY = 250;
/** A client that has not come for so long is gone, and its rows make room. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

const CALLS_KEY = 'name, version, era, protocol, user_agent, route, lane, reason';
const USES_KEY = 'name, version, era, user_agent, route, lane, used';
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS call_rows (
    name TEXT, version TEXT, era TEXT, protocol TEXT, user_agent TEXT, route TEXT, lane TEXT, reason TEXT,
    calls INTEGER, worked INTEGER, last_seen INTEGER, PRIMARY KEY (${CALLS_KEY})
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS use_rows (
    name TEXT, version TEXT, era TEXT, user_agent TEXT, route TEXT, lane TEXT, used TEXT,
    count INTEGER, last_seen INTEGER, PRIMARY KEY (${USES_KEY})
  ) WITHOUT ROWID;
`;
/** Served in a session whose client has a name: an id that was invented has none. */
const IN_SESSION = `worked > 0 AND lane IN ('legacy', 'compat') AND name <> '${UNKNOWN_CLIENT.name}'`;
const CALL_COLUMNS = `name, version, era, protocol AS protocolVersion, user_agent AS userAgent, route, lane, reason, calls,
  worked, last_seen AS lastSeenAt`;
const USE_COLUMNS = `name, version, era, user_agent AS userAgent, route, lane, used AS "use", count, last_seen AS lastSeenAt`;

/** What has its client's name, the shard's own or the one that the isolate knew. */
export interface Named extends Omit<Counted, 'client'> {
  readonly client: Client;
}

type Table = 'call_rows' | 'use_rows';

export class CensusTables {
  readonly #sql: SqlStorage;
  readonly #rows: Record<Table, number>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
    this.#rows = { call_rows: this.#countOf('call_rows'), use_rows: this.#countOf('use_rows') };
    addEarlierTables(sql, { addCall: (row) => this.#addCall(row), addUse: (row) => this.#addUse(row) });
  }

  add({ client, uses, ...row }: Named): void {
    this.#addCall({ ...row, ...client, worked: row.worked ?? row.calls });
    for (const use of USES) {
      const count = uses[use] ?? 0;
      if (count > 0) this.#addUse({ ...row, ...client, use, count });
    }
  }

  calls(): CallRow[] {
    return this.#sql.exec<CallRow & Columns>(`SELECT ${CALL_COLUMNS} FROM call_rows`).toArray();
  }

  uses(): UseRow[] {
    return this.#sql.exec<UseRow & Columns>(`SELECT ${USE_COLUMNS} FROM use_rows`).toArray();
  }

  prune(now: number): void {
    for (const table of ['call_rows', 'use_rows'] as const) {
      this.#sql.exec(`DELETE FROM ${table} WHERE last_seen < ?`, now - KEPT_MS);
      this.#rows[table] = this.#countOf(table);
    }
  }

  /** @returns When the legacy lane served the last of the calls that are forgotten; 0 where it served none. */
  forget({ name, version }: Client, before: number): number {
    const where = 'WHERE name = ? AND version = ? AND last_seen <= ?';
    const calls = this.#sql
      .exec<{ lane: string; at: number }>(
        `DELETE FROM call_rows ${where} RETURNING lane, last_seen AS at`,
        name,
        version,
        before,
      )
      .toArray();
    const uses = this.#sql.exec(`DELETE FROM use_rows ${where} RETURNING 1`, name, version, before).toArray();
    this.#rows.call_rows -= calls.length;
    this.#rows.use_rows -= uses.length;
    return calls.reduce((last, { lane, at }) => (lane === 'legacy' ? Math.max(last, at) : last), 0);
  }

  #addCall(row: CallRow): void {
    const { name, version, era, protocolVersion, userAgent, route, lane, reason, calls, worked, lastSeenAt } = row;
    const key = [name, version, era, protocolVersion, userAgent, route, lane, reason];
    const known = this.#sql.exec(
      `UPDATE call_rows SET calls = calls + ?, worked = worked + ?, last_seen = max(last_seen, ?) WHERE name = ?
       AND version = ? AND era = ? AND protocol = ? AND user_agent = ? AND route = ? AND lane = ? AND reason = ?
       RETURNING 1`,
      ...[calls, worked, lastSeenAt, ...key],
    );
    if (known.toArray().length > 0) return;
    this.#oneMore('call_rows', row);
    this.#sql.exec(`INSERT INTO call_rows VALUES (${marks(11)})`, ...key, calls, worked, lastSeenAt);
  }

  #addUse(row: UseRow): void {
    const { name, version, era, userAgent, route, lane, use, count, lastSeenAt } = row;
    const key = [name, version, era, userAgent, route, lane, use];
    const known = this.#sql.exec(
      `UPDATE use_rows SET count = count + ?, last_seen = max(last_seen, ?) WHERE name = ? AND version = ? AND era = ?
       AND user_agent = ? AND route = ? AND lane = ? AND used = ? RETURNING 1`,
      ...[count, lastSeenAt, ...key],
    );
    if (known.toArray().length > 0) return;
    this.#oneMore('use_rows', row);
    this.#sql.exec(`INSERT INTO use_rows VALUES (${marks(9)})`, ...key, count, lastSeenAt);
  }

  #oneMore(table: Table, row: CallRow | UseRow): void {
    if (this.#rows[table] >= MAX_ROWS && !isOther(row)) this.#giveWay(table);
    this.#rows[table] += 1;
  }

  /**
   * The rows of a client here speak for each other, so that one is not lost whose calls are of several kinds; and work in a
   * session, which takes more than one request, speaks for it beside their number. Of uses, those of the legacy lane go
   * last: they are what keeps a client there.
   */
  #giveWay(table: Table): void {
    const [key, columns, few] =
      table === 'call_rows'
        ? [
            CALLS_KEY,
            CALL_COLUMNS,
            `(sum(calls) OVER own > 1) + (sum(calls) OVER own > 9) + max(${IN_SESSION}) OVER own`,
          ]
        : [USES_KEY, USE_COLUMNS, `(lane = 'legacy') * 3 + (count > 1) + (count > 9)`];
    const gone = this.#sql
      .exec<(CallRow | UseRow) & Columns>(
        `DELETE FROM ${table} WHERE (${key}) IN (
           SELECT ${key} FROM ${table} WHERE NOT (${IS_OTHER}) WINDOW own AS (PARTITION BY name, version, user_agent)
           ORDER BY ${few}, last_seen LIMIT ${GIVING_WAY}
         ) RETURNING ${columns}`,
      )
      .toArray();
    this.#rows[table] -= gone.length;
    for (const { name, version, ...row } of gone) {
      const { client, ...rest } = otherOf({
        ...row,
        client: { name, version },
        protocolVersion: '',
        reason: reasonIn(row),
      });
      if ('calls' in rest) this.#addCall({ ...rest, ...client });
      else this.#addUse({ ...rest, ...client });
    }
  }

  #countOf(table: Table): number {
    return this.#sql.exec<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).one().rows;
  }
}

const marks = (values: number): string => Array.from({ length: values }, () => '?').join(', ');

/** A type for rows, which the platform wants to be indexable. */
type Columns = Record<string, string | number>;

const reasonIn = (row: object): string => ('reason' in row && typeof row.reason === 'string' ? row.reason : OTHER);
