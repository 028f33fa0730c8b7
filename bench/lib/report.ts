/** The results of the benchmark as values, and what they say about the targets. Pure. */
import { bootstrapped, costRatio, median, seeded, spreadOf, type Ratio, type Spread } from './stats.ts';
import { targetFor, THROUGHPUT_TARGET } from './targets.ts';
import type { Measured, Plan } from './measure.ts';
import type { Operation } from './wire.ts';

export const SIDES = ['floor', 'ours', 'plain'] as const;
export type Side = (typeof SIDES)[number];

export interface SideResult {
  readonly ms: Spread;
  readonly perSecond: number;
  readonly cpuMs: number;
}

export interface Cell extends Plan {
  readonly operation: Operation;
  readonly sides: Readonly<Record<Side, SideResult>>;
  /** With one connection: plain's cost above the floor divided by ours. With more: our throughput divided by plain's. */
  readonly measures: 'cost' | 'throughput';
  readonly ratio: Ratio;
  /** The same of the CPU time of the processes, which the load of the machine hardly changes. */
  readonly cpuRatio: number;
  readonly target: number;
  readonly holds: boolean;
}

const SEED = 1;

export function cellOf(operation: Operation, plan: Plan, measured: ReadonlyMap<string, Measured>): Cell {
  const side = (name: Side): Measured => {
    const found = measured.get(name);
    if (found === undefined) throw new Error(`Nothing was measured of ${name}`);
    return found;
  };
  const [floor, ours, plain] = [side('floor'), side('ours'), side('plain')];
  const measures = plan.concurrency === 1 ? 'cost' : 'throughput';
  const target = measures === 'cost' ? targetFor(operation, plan.tools) : THROUGHPUT_TARGET;
  const ratio =
    measures === 'cost'
      ? bootstrapped([plain.ms, ours.ms, floor.ms], costRatio, seeded(SEED))
      : bootstrapped(
          [ours, plain].map(({ perSecond }) => perSecond.map((one) => [one])),
          ([mine = [], theirs = []]) => median(mine) / median(theirs),
          seeded(SEED),
        );
  return {
    operation,
    ...plan,
    sides: { floor: resultOf(floor), ours: resultOf(ours), plain: resultOf(plain) },
    measures,
    ratio: { value: round(ratio.value), low: round(ratio.low), high: round(ratio.high) },
    cpuRatio: round((plain.cpuMs - floor.cpuMs) / (ours.cpuMs - floor.cpuMs)),
    target,
    holds: ratio.value >= target,
  };
}

function resultOf({ ms, perSecond, cpuMs }: Measured): SideResult {
  const { n, ...spread } = spreadOf(ms.flat());
  const { p25, p75, p95 } = spread;
  return {
    ms: { median: round(spread.median), p25: round(p25), p75: round(p75), p95: round(p95), n },
    perSecond: round(median(perSecond)),
    cpuMs: round(cpuMs),
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
