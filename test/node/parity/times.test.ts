/** Times in reports: as many digits as were measured, and two sides that differ by more than that are told apart. */
import { describe, it } from 'vitest';
import { Tally } from '../../../cli/parity/run/tally.ts';

function p50Of(times: readonly number[]): number | undefined {
  const tally = new Tally(['new']);
  for (const ms of times) tally.time('add', 'new', ms);
  return tally.groups(() => [])[0]?.times['new']?.p50;
}

describe('a median time', () => {
  it.for([0.011, 0.12, 0.47, 1, 1.3, 2.1, 4.9, 9.6, 13, 47, 98, 110, 560, 1_300, 59_000])(
    'of %d ms is that',
    (ms, { expect }) => {
      const p50 = p50Of([ms, ms, ms]) ?? Number.NaN;
      // Two digits: a fiftieth, or half of the last digit.
      expect(Math.abs(p50 - ms) / ms).toBeLessThan(0.06);
      expect(
        String(p50)
          .replace(/^0\.0*|\./g, '')
          .replace(/0+$/, '').length,
      ).toBeLessThanOrEqual(2);
    },
  );

  it.for([
    [10, 11],
    [1.2, 1.3],
    [0.5, 0.53],
    [97, 102],
    [4_000, 4_300],
  ] as const)('tells %d ms from %d ms', ([one, other], { expect }) => {
    expect(p50Of([one])).not.toBe(p50Of([other]));
  });

  it('is the middle one of many', ({ expect }) => {
    expect(p50Of([1, 1, 1, 5, 90, 90, 90])).toBe(5);
  });
});
