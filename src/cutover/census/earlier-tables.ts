/**
 * The tables that earlier versions of this Worker kept. They did not tell a use's lane, nor what began something from what
 * did more. What is in them is added to the tables of today, and they are dropped: an earlier version that is deployed once
 * more makes them again, and loses nothing of its own.
 */
import type { CallRow, UseRow } from './rows.ts';

interface Adding {
  readonly addCall: (row: CallRow) => void;
  readonly addUse: (row: UseRow) => void;
}

type Columns = Record<string, string | number>;

export function addEarlierTables(sql: SqlStorage, { addCall, addUse }: Adding): void {
  if (exists(sql, 'calls')) {
    const rows = sql.exec<CallRow & Columns>(
      `SELECT name, version, era, protocol AS protocolVersion, user_agent AS userAgent, route, lane, reason, calls,
       CASE lane WHEN 'none' THEN 0 ELSE calls END AS worked, last_seen AS lastSeenAt FROM calls`,
    );
    for (const row of rows.toArray()) addCall(row);
    sql.exec('DROP TABLE calls');
  }
  if (exists(sql, 'uses')) {
    // Only the modern lane serves the era of 2026. Of 2025 clients the use may have been on the legacy lane: it counts.
    const rows = sql.exec<UseRow & Columns>(
      `SELECT name, version, era, user_agent AS userAgent, route, CASE era WHEN '2026' THEN 'modern' ELSE 'legacy' END AS lane,
       used AS "use", count, last_seen AS lastSeenAt FROM uses`,
    );
    for (const row of rows.toArray()) addUse(row);
    sql.exec('DROP TABLE uses');
  }
}

const exists = (sql: SqlStorage, table: string): boolean =>
  sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table).toArray().length > 0;
