/** Measures several Workers in interleaved rounds, so that whatever else the machine does meets all of them alike. */
import { createClient } from './client.ts';
import { cpuMsOf } from './process.ts';
import { operation, type Operation, type Run } from './wire.ts';
import type { Workerd } from './workerd.ts';

export interface Target {
  readonly name: string;
  readonly server: Workerd;
  readonly constant: boolean;
  /** What its clients do instead, for a Worker that has the same only in another way. */
  readonly instead?: Operation;
}

export interface Plan {
  readonly tools: number;
  readonly concurrency: number;
  readonly rounds: number;
  /** Operations of one Worker in one round. */
  readonly batch: number;
  readonly warmup: number;
}

export interface Measured {
  /** Milliseconds of each operation, by round. */
  readonly ms: readonly (readonly number[])[];
  /** Operations a second, by round. */
  readonly perSecond: readonly number[];
  /** CPU time of the Worker's process an operation, in milliseconds, over all rounds. */
  readonly cpuMs: number;
}

export async function measure(
  targets: readonly Target[],
  name: Operation,
  plan: Plan,
): Promise<ReadonlyMap<string, Measured>> {
  const opened = await Promise.all(targets.map((target) => open(target, name, plan)));
  try {
    for (const target of opened) await batch(target.runs, plan.warmup);
    for (let round = 0; round < plan.rounds; round += 1) {
      // Each round starts with another one, so that nobody always runs after the most expensive.
      for (let index = 0; index < opened.length; index += 1) {
        await measureOnce(opened[(index + round) % opened.length], plan.batch);
      }
    }
    return new Map(
      opened.map(({ target, ms, perSecond, cpu }) => [
        target.name,
        { ms, perSecond, cpuMs: cpu / (plan.rounds * plan.batch) },
      ]),
    );
  } finally {
    for (const { close } of opened) close();
  }
}

interface Opened {
  readonly target: Target;
  readonly runs: readonly Run[];
  readonly close: () => void;
  readonly ms: number[][];
  readonly perSecond: number[];
  cpu: number;
}

async function open(target: Target, name: Operation, { concurrency, tools }: Plan): Promise<Opened> {
  const client = createClient(target.server.url, concurrency);
  const runs: Run[] = [];
  for (let index = 0; index < concurrency; index += 1) {
    runs.push(await operation(client, target.instead ?? name, tools, target.constant));
  }
  return { target, runs, close: () => client.close(), ms: [], perSecond: [], cpu: 0 };
}

async function measureOnce(opened: Opened | undefined, size: number): Promise<void> {
  if (opened === undefined) return;
  const { pid } = opened.target.server;
  const cpuBefore = cpuMsOf(pid);
  const startedAt = performance.now();
  opened.ms.push(await batch(opened.runs, size));
  opened.perSecond.push((size * 1000) / (performance.now() - startedAt));
  opened.cpu += cpuMsOf(pid) - cpuBefore;
}

/** A closed loop: each runner starts its next operation when its last one has ended. */
async function batch(runs: readonly Run[], size: number): Promise<number[]> {
  const ms: number[] = [];
  let left = size;
  await Promise.all(
    runs.map(async (run) => {
      while (left > 0) {
        left -= 1;
        const startedAt = performance.now();
        await run();
        ms.push(performance.now() - startedAt);
      }
    }),
  );
  return ms;
}
