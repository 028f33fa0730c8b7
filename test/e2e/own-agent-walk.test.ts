/** A bounded share of the walk; `npm run prove:own-walk` takes 100 clients. */
import process from 'node:process';
import { describe, it } from 'vitest';
import { walk } from './support/own-walk.ts';

const CLIENTS = Number(process.env['WALK_CLIENTS'] ?? 12);

describe('a class of one’s own', () => {
  it(
    'goes from plain to hosted and back while clients count, and none of them sees an error or loses a count',
    { timeout: CLIENTS * 3_000 + 240_000 },
    async ({ expect }) => {
      const summary = await walk(CLIENTS);
      console.log(JSON.stringify({ proof: 'walk', ...summary }));
      expect(summary.problems).toEqual([]);
      expect(summary.clients).toBe(CLIENTS);
      expect(summary.acknowledged).toBeGreaterThanOrEqual(CLIENTS * 10);
      expect(summary.cutShort).toBeGreaterThan(0);
      expect(summary.open).toBeGreaterThan(0);
      expect(summary.drained).toBe(Math.ceil(summary.open / 2));
      // Those that began on the compat lane too.
      expect(summary.takenBack).toBeGreaterThan(summary.drained);
      expect(summary.stages.map(({ stage, lanes }) => `${stage}: ${Object.keys(lanes).sort().join(', ')}`)).toEqual([
        'plain: legacy',
        'wrapped: legacy',
        'plain again: legacy',
        'wrapped again: legacy',
        'hosted for half: compat, legacy, modern',
        'killed: compat, legacy, modern',
        'half drained: compat, legacy, modern',
        'taken back: legacy, modern',
        'plain at last: legacy',
        'hosted once more: legacy, modern',
      ]);
    },
  );
});
