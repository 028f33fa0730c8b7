/** One run of the benchmark: starts the Workers of each size side by side, and measures every operation on them. */
import { load } from './machine.ts';
import { measure, type Target } from './measure.ts';
import type { Scope } from './plan.ts';
import { cellOf, type Cell } from './report.ts';
import type { WorkerName } from './build.ts';
import type { Operation } from './wire.ts';
import { startWorkerd, type Workerd } from './workerd.ts';

/** Everybody without a session, by a class that keeps no state: by a few of its objects. */
export const HOSTED = {
  LEGACY_ROUTE_STAGE: 'stateless',
  MCP_ROUTE_STAGE: 'stateless',
  AGENT_KEEPS_NO_STATE: 'on',
} as const;

export const MEASURED = [
  'floor',
  'ours',
  'plain-handler',
  'plain-agent',
  'own-agent',
] as const satisfies readonly WorkerName[];
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
  await using wrapped = await startWorkerd(bundles['own-agent'], options);
  await using hosted = await startWorkerd(bundles['own-agent'], { vars: { ...options.vars, ...HOSTED } });
  const cells: Cell[] = [];
  for (const operation of scope.operations) {
    const [one, other] = pairOf(operation, { ours, handler, agent, wrapped, hosted });
    const targets: readonly Target[] = [
      { name: 'floor', server: floor, constant: true },
      { name: 'plain', constant: false, ...one },
      { name: 'ours', server: other, constant: false },
    ];
    for (const plan of scope.plans(operation, tools)) {
      const cell = cellOf(operation, plan, await measure(targets, operation, plan));
      say(`${operation}, ${tools} tools, ${plan.concurrency} connections: ${cell.ratio.value.toFixed(2)}`);
      cells.push(cell);
    }
  }
  return cells;
}

type Servers = Readonly<Record<'ours' | 'handler' | 'agent' | 'wrapped' | 'hosted', Workerd>>;

/** Plain and ours for an operation. */
function pairOf(
  operation: Operation,
  { ours, handler, agent, wrapped, hosted }: Servers,
): [plain: Pick<Target, 'server' | 'instead'>, ours: Workerd] {
  switch (operation) {
    case 'wrapped tools/call':
    case 'wrapped initialize + call':
      return [{ server: agent }, wrapped];
    case 'hosted tools/call':
      // The plain class answers in sessions only.
      return [{ server: agent, instead: 'legacy tools/call' }, hosted];
    case 'legacy tools/call':
    case 'legacy initialize + call':
      return [{ server: agent }, ours];
    case 'modern tools/call':
    case 'modern tools/list':
    case 'compat tools/call':
    case 'compat tools/list':
      return [{ server: handler }, ours];
  }
}
