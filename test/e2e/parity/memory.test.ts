/**
 * Recorded calls take the memory of the calls in flight, however many there are. `npm run prove:parity` sends 100,000.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, it } from 'vitest';
import { startBad } from './support/bad-servers.ts';

const CALLS = Number(process.env['PARITY_RECORDED'] ?? 2_000);
const MOST_BYTES = 200 * 1024 * 1024;
const PROGRAM = path.resolve(import.meta.dirname, '../../../packages/mcp-parity/mcp-parity.js');
const MEASURED = new URL('support/measured.ts', import.meta.url).href;

describe(`${CALLS} recorded calls`, () => {
  it('are compared in less than 200 MB', { timeout: 20 * 60_000 }, async ({ expect }) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'parity-'));
    await using server = await startBad();
    try {
      const file = path.join(folder, 'calls.ndjson');
      const line = (at: number): string =>
        JSON.stringify({ tool: 'echo', arguments: { text: `${at} ${'x'.repeat(500)}` } });
      await writeFile(file, `${Array.from({ length: CALLS }, (_each, at) => line(at)).join('\n')}\n`);
      const args = ['--control', server.url, '--candidate', server.url, '--cases', '0', '--recorded', file, '--quiet'];
      const ndjson = ['--ndjson', path.join(folder, 'verdicts.ndjson')];
      // Rejects on any exit code but 0.
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, ...args, ...ndjson], {
        env: { ...process.env, NODE_OPTIONS: `--import=${MEASURED}` },
      });
      expect(stdout).toContain(`answer the same: ${CALLS} calls, ${CALLS} match`);
      const bytes = Math.max(...[...stderr.matchAll(/^maxRSS (\d+)$/gm)].map(([, each]) => Number(each)));
      console.log(`${CALLS} recorded calls: ${(bytes / 1024 / 1024).toFixed(0)} MB at most`);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(MOST_BYTES);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
