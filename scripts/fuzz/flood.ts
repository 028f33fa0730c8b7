/** Opens sessions and says no more, and looks at what is left of them on disk once the server has ended. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'flood', version: '1' } },
});

/** @returns How many were opened. */
export async function openAndLeave(url: string, sessions: number, parallel: number): Promise<number> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  let started = 0;
  let opened = 0;
  const one = async (): Promise<void> => {
    while (started < sessions) {
      started += 1;
      const response = await fetch(`${url}/legacy/mcp`, { method: 'POST', headers, body: INITIALIZE });
      await response.text();
      if (response.headers.has('mcp-session-id')) opened += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, one));
  return opened;
}

export interface Leftovers {
  /** Agents that were ever made. */
  readonly agents: number;
  /** Tables that are still there, over all of them. */
  readonly tables: readonly string[];
}

/** @param folder Where the server kept its Durable Objects; it must have ended. */
export function leftoversIn(folder: string): Leftovers {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /LegacyAgent[/\\][0-9a-f]{64}\.sqlite$/.test(file),
  );
  const tables = files.flatMap((file) => {
    const database = new DatabaseSync(path.join(folder, file));
    try {
      const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      return names.map(({ name }) => `${path.basename(file)}: ${String(name)}`);
    } finally {
      database.close();
    }
  });
  return { agents: files.length, tables };
}
