/** A bounded share of the walk; `npm run prove:own-walk` takes 100 clients, and puts the plain class back once more. */
import process from 'node:process';
import { describe, it } from 'vitest';
import { walk } from './support/own-walk.ts';

const CLIENTS = Number(process.env['WALK_CLIENTS'] ?? 12);
const TWICE = process.env['WALK_CLIENTS'] !== undefined;

describe('a class of one’s own', () => {
  it(
    'goes from plain to hosted and back while clients count, and none of them sees an error or loses a count',
    { timeout: CLIENTS * 3_000 + 240_000 },
    async ({ expect }) => {
      const summary = await walk(CLIENTS, TWICE);
      console.log(JSON.stringify({ proof: 'walk', ...summary }));
      expect(summary.problems).toEqual([]);
      expect(summary.clients).toBe(CLIENTS);
      expect(summary.acknowledged).toBeGreaterThanOrEqual(CLIENTS * 10);
      expect(summary.cutShort).toBeGreaterThan(0);
      expect(summary.open).toBeGreaterThan(0);
      expect(summary.drained).toBe(Math.ceil(summary.open / 2));
      // Those that began on the compat lane too.
      expect(summary.takenBack).toBeGreaterThan(summary.drained);
      const beyondLegacy = summary.stages.map(({ stage, lanes: { legacy, ...others } }) => {
        expect(legacy).toBeGreaterThan(0);
        return `${stage}: ${Object.keys(others).sort().join(', ')}`;
      });
      expect(beyondLegacy).toEqual([
        'plain: ',
        'wrapped: ',
        ...(TWICE ? ['plain again: ', 'wrapped again: '] : []),
        'hosted for half: compat, modern',
        'killed: compat, modern',
        'half drained: compat, modern',
        'taken back: modern',
        'plain at last: ',
        'hosted once more: modern',
      ]);
    },
  );
});
