/** A flood of sessions that nobody uses leaves nothing behind. FLOOD_SESSIONS=10000 for the whole of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { leftoversIn, openAndLeave } from '../../scripts/fuzz/flood.ts';
import { startDevServer } from '../../scripts/lib/dev-server.ts';

const SESSIONS = Number(process.env['FLOOD_SESSIONS'] ?? 100);
const IDLE_MS = 1_000;
/** An alarm comes on the second, and an idle session ends 1.2 idle times after its last use at the latest. */
const UNTIL_ENDED_MS = 5_000;

describe('a flood of sessions', () => {
  it('expires to nothing', { timeout: 60_000 + SESSIONS * 500 }, async ({ expect }) => {
    const persistTo = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-flood-'));
    try {
      const vars = { SESSION_IDLE_MS: String(IDLE_MS), LOG_LEVEL: 'error' };
      const server = await startDevServer({ vars, persistTo });
      const opened = await openAndLeave(server.url, SESSIONS, 8);
      await delay(UNTIL_ENDED_MS);
      await server.stop();
      const { agents, tables } = leftoversIn(persistTo);
      expect([opened, agents]).toEqual([SESSIONS, SESSIONS]);
      expect(tables).toEqual([]);
    } finally {
      await rm(persistTo, { recursive: true, force: true });
    }
  });
});
