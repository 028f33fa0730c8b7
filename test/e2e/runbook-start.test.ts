/**
 * Step 1 of the runbook on an untouched project, word for word: what compares both halves is green there, so that whatever
 * is red is a team's own. A Worker of its own, because the rehearsal's census counts every call.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'vitest';
import { startDevServer } from '../../scripts/lib/dev-server.ts';
import { COMPARED, Runbook } from './support/runbook.ts';

describe('the first step of the runbook', () => {
  it('is green on an untouched project', { timeout: 600_000 }, async ({ expect }) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-first-step-'));
    try {
      await using server = await startDevServer({ vars: { LOG_LEVEL: 'error' }, startTimeoutMs: 120_000 });
      const runbook = await Runbook.read();
      const env = { MCP_PARITY_KEY: 'the-key-of-a-first-step-of-at-least-thirty-two-characters', FOLDER: folder };
      for (const command of COMPARED) {
        const { code, out, error } = await runbook.run(command, { url: server.url, token: '' }, env);
        expect({ command, code, said: code === 0 ? '' : `${out}\n${error}` }).toEqual({ command, code: 0, said: '' });
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
