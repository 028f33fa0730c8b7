/** A bounded share of the kill proof; `npm run prove:kill` kills many more times. */
import process from 'node:process';
import { describe, it } from 'vitest';
import { proveKills } from './support/kill-proof.ts';

const KILLS = Number(process.env['KILLS'] ?? 1);

describe('a server that is killed', () => {
  it(
    'has each acknowledged increment exactly once when it is back',
    { timeout: KILLS * 20_000 + 60_000 },
    async ({ expect }) => {
      const summary = await proveKills({ kills: KILLS, load: 60, counters: 6 });
      console.log(JSON.stringify({ proof: 'kill', ...summary }));
      expect(summary.wrong).toEqual([]);
      expect(summary.acknowledged).toBeGreaterThanOrEqual(KILLS * 60);
      expect(summary.waited).toBeGreaterThan(KILLS * 20);
      expect(summary.cutShort).toBeGreaterThan(0);
    },
  );
});
