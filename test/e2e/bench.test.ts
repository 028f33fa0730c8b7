/** `npm run bench -- --short`: that it measures what it says, and that no ratio of costs has fallen grossly. */
import { describe, it } from 'vitest';
import { bench } from '../../bench/bench.ts';

describe('npm run bench -- --short', () => {
  it('measures ours and the plain packages side by side, and finds no gross regression', async ({ expect }) => {
    let out = '';
    const exitCode = await bench(['--short', '--json'], (text) => {
      out += text;
    });
    const { machine, runs } = JSON.parse(out);
    expect(machine.versions).toMatchObject({ agents: expect.any(String), workerd: expect.any(String) });
    expect(runs).toHaveLength(1);
    const { cells } = runs[0];
    expect(cells.map(({ operation }: { operation: string }) => operation)).toEqual([
      'modern tools/call',
      'modern tools/list',
      'compat tools/call',
      'legacy tools/call',
      'wrapped tools/call',
      'hosted tools/call',
    ]);
    for (const { operation, sides } of cells) {
      expect(sides.floor.ms.n, operation).toBe(64);
      expect(sides.plain.ms.median, operation).toBeGreaterThan(sides.floor.ms.median);
    }
    expect(exitCode).toBe(0);
  });
});
