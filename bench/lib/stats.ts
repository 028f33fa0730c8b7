/** Medians with their spread, and the ratio of two costs with its confidence interval. Pure: randomness is given. */

/** @param sorted Ascending, not empty. */
function quantileOf(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

export const median = (values: readonly number[]): number => quantileOf(ascending(values), 0.5);

export interface Spread {
  readonly median: number;
  readonly p25: number;
  readonly p75: number;
  readonly p95: number;
  readonly n: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = ascending(values);
  const [p25, middle, p75, p95] = [0.25, 0.5, 0.75, 0.95].map((q) => quantileOf(sorted, q)) as [
    number,
    number,
    number,
    number,
  ];
  return { median: middle, p25, p75, p95, n: values.length };
}

/** Values by round: what was measured in one round was measured under the same load of the machine. */
export type Rounds = readonly (readonly number[])[];

export interface Ratio {
  readonly value: number;
  /** 95 % of the resamplings of whole rounds lie between. */
  readonly low: number;
  readonly high: number;
}

const RESAMPLINGS = 400;

/** @param statistic Of the same choice of rounds of each series. */
export function bootstrapped(
  series: readonly Rounds[],
  statistic: (series: readonly (readonly number[])[]) => number,
  random: () => number,
): Ratio {
  const rounds = Math.min(...series.map(({ length }) => length));
  const of = (chosen: readonly number[]): number =>
    statistic(series.map((one) => chosen.flatMap((round) => [...(one[round] ?? [])])));
  const all = Array.from({ length: rounds }, (_, round) => round);
  const values = Array.from({ length: RESAMPLINGS }, () => of(all.map(() => Math.floor(random() * rounds))));
  const sorted = ascending(values.filter((value) => Number.isFinite(value)));
  return { value: of(all), low: quantileOf(sorted, 0.025), high: quantileOf(sorted, 0.975) };
}

/** Plain's median above the floor's, divided by ours. */
export const costRatio = ([plain = [], ours = [], floor = []]: readonly (readonly number[])[]): number => {
  const base = median(floor);
  return (median(plain) - base) / (median(ours) - base);
};

/** A small generator with a seed, so that the same measurements give the same interval. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
