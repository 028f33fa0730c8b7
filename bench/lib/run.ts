/** One run of the benchmark: starts the Workers of each size side by side, and measures every operation on them. */
import { load } from './machine.ts';
import { measure, type Target } from './measure.ts';
import type { Scope } from './plan.ts';
import { cellOf, type Cell } from './report.ts';
import type { WorkerName } from './build.ts';
import { startWorkerd } from './workerd.ts';

export const MEASURED = ['floor', 'ours', 'plain-handler', 'plain-agent'] as const satisfies readonly WorkerName[];
export type Bundles = Readonly<Record<(typeof MEASURED)[number], string>>;

export interface BenchRun {
  readonly startedAt: string;
  /** The load average of the machine over a minute, before and after. */
  readonly load: { readonly before: number; readonly after: number };
  readonly cells: readonly Cell[];
}

export async function runBench(bundles: Bundles, scope: Scope, say: (text: string) => void): Promise<BenchRun> {
  const startedAt = new Date().toISOString();
  const before = load();
  const cells: Cell[] = [];
  for (const tools of scope.sizes) cells.push(...(await measureSize(bundles, scope, tools, say)));
  return { startedAt, load: { before, after: load() }, cells };
}

async function measureSize(
  bundles: Bundles,
  scope: Scope,
  tools: number,
  say: (text: string) => void,
): Promise<readonly Cell[]> {
  const options = { vars: { TOOLS: String(tools) } };
  await using floor = await startWorkerd(bundles.floor, options);
  await using ours = await startWorkerd(bundles.ours, options);
  await using handler = await startWorkerd(bundles['plain-handler'], options);
  await using agent = await startWorkerd(bundles['plain-agent'], options);
  const cells: Cell[] = [];
  for (const operation of scope.operations) {
    const targets: readonly Target[] = [
      { name: 'floor', server: floor, constant: true },
      { name: 'plain', server: operation.startsWith('legacy') ? agent : handler, constant: false },
      { name: 'ours', server: ours, constant: false },
    ];
    for (const plan of scope.plans(operation, tools)) {
      const cell = cellOf(operation, plan, await measure(targets, operation, plan));
      say(`${operation}, ${tools} tools, ${plan.concurrency} connections: ${cell.ratio.value.toFixed(2)}`);
      cells.push(cell);
    }
  }
  return cells;
}
