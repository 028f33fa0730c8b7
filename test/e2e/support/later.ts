/**
 * Lets time pass for what a stopped local server has stored, so that a rehearsal need not wait for days. Only what waits for
 * the time is changed: the alarms of legacy sessions, and when the census saw something last.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { serialize } from 'node:v8';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Nobody has used a legacy session for so many days, and its alarm is due. The runtime has the alarm's time in two places, and
 * takes an alarm for outdated where they differ.
 */
export function alarmsDue(store: string, days: number): Promise<number> {
  const dueNs = BigInt(Date.now()) * 1_000_000n;
  const usedAt = serialize(Date.now() - days * DAY_MS);
  return changeAll(store, 'LegacyAgent', (database, file) => {
    if (file === 'metadata.sqlite') database.prepare('UPDATE _cf_ALARM SET scheduled_time = ?').run(dueNs);
    else if (hasTable(database, 'cf_agents_jobs')) {
      database.prepare('UPDATE _cf_METADATA SET value = ? WHERE key = 1').run(dueNs);
      database.exec('UPDATE cf_agents_jobs SET time = 0');
      database.prepare("UPDATE _cf_KV SET value = ? WHERE key = 'hybrid-mcp:used-at'").run(usedAt);
    }
  });
}

/** What the census has seen, it has seen so many days earlier. */
export const daysPassFor = (store: string, days: number): Promise<number> =>
  changeAll(store, 'CensusObject', (database, file) => {
    if (file === 'metadata.sqlite') return;
    for (const table of ['call_rows', 'use_rows'])
      database.exec(`UPDATE ${table} SET last_seen = last_seen - ${days * DAY_MS}`);
  });

/** What has ended has no tables any more. */
const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;

/** @returns In how many objects something was changed. */
async function changeAll(
  store: string,
  className: string,
  change: (database: DatabaseSync, file: string) => void,
): Promise<number> {
  const folder = path.join(store, 'v3/do', `hybrid-mcp-${className}`);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sqlite'));
  for (const file of files) {
    const database = new DatabaseSync(path.join(folder, file));
    try {
      change(database, file);
    } finally {
      database.close();
    }
  }
  return files.filter((file) => file !== 'metadata.sqlite').length;
}
