/** The figures that the benchmark judges by. */
import { describe, it } from 'vitest';
import { bootstrapped, costRatio, median, seeded, spreadOf } from '../../../bench/lib/stats.ts';
import { targetFor } from '../../../bench/lib/targets.ts';
import { between } from '../../../bench/lib/write.ts';

describe('statistics', () => {
  it('gives median and quartiles, whatever the order', ({ expect }) => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, p25: 2, p75: 4, p95: 4.8, n: 5 });
  });

  it('divides the costs above the floor, not the times', ({ expect }) => {
    expect(costRatio([[9], [5], [1]])).toBe(2);
  });

  it('resamples whole rounds, the same ones of each side', ({ expect }) => {
    // In the second round the machine was ten times slower, for everybody: no choice of rounds changes the ratio.
    const slow = [[9], [90]];
    const ratio = bootstrapped([slow, [[5], [50]], [[1], [10]]], costRatio, seeded(7));
    expect(ratio).toEqual({ value: 2, low: 2, high: 2 });
    const noisy = bootstrapped(
      [
        [[9], [19]],
        [[5], [5]],
        [[1], [1]],
      ],
      costRatio,
      seeded(7),
    );
    expect(noisy).toEqual({ value: 3.25, low: 2, high: 4.5 });
  });

  it('repeats itself with the same seed', ({ expect }) => {
    const [a, b] = [seeded(3), seeded(3)];
    const values = [a(), a(), a()];
    expect([b(), b(), b()]).toEqual(values);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(new Set(values).size).toBe(3);
  });
});

describe('targets', () => {
  it.for([
    ['modern tools/call', 1, 1],
    ['modern tools/call', 10, 1],
    ['compat tools/call', 50, 1.3],
    ['modern tools/call', 200, 1.6],
    ['compat tools/list', 1, 1],
    ['modern tools/list', 50, 3],
    ['compat tools/list', 200, 7],
    ['legacy tools/call', 200, 0.95],
    ['legacy initialize + call', 1, 0.95],
  ] as const)('%s with %d tools: %d', ([operation, tools, target], { expect }) => {
    expect(targetFor(operation, tools)).toBe(target);
  });
});

describe('the table in the documentation', () => {
  const page = 'Before\n<!-- bench: begin, written by a script -->\nold\n<!-- bench: end -->\nAfter\n';

  it('is put between its marks', ({ expect }) => {
    expect(between(page, 'bench', 'new')).toBe(
      'Before\n<!-- bench: begin, written by a script -->\nnew\n<!-- bench: end -->\nAfter\n',
    );
  });

  it('is not put where there are none', ({ expect }) => {
    expect(() => between(page, 'other', 'new')).toThrow('The page has no marks');
  });
});
