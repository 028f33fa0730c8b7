/**
 * `npm run bench`: ours against what people deploy otherwise, from the same tools, side by side in workerd.
 *
 *   --short        one size, few rounds; fails only when a ratio is less than half of its target
 *   --runs <n>     so many full runs in a row
 *   --only <word>  only the operations whose names begin with it; given again, more of them
 *   --tools <n>    only with so many tools
 *   --write        keeps the results in docs/bench/latest.json and their table in docs/performance.md
 *   --json         prints the results as JSON instead of tables
 *
 * Ends with 0 when every target holds in every run, with 1 when one does not, with 2 when it could not run.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildAll } from './lib/build.ts';
import { machine } from './lib/machine.ts';
import { FULL, SHORT, type Scope } from './lib/plan.ts';
import { renderCells } from './lib/render.ts';
import type { Cell } from './lib/report.ts';
import { MEASURED, runBench, type BenchRun } from './lib/run.ts';
import { GROSS } from './lib/targets.ts';
import { writeResults } from './lib/write.ts';

export async function bench(args: readonly string[], print: (text: string) => void): Promise<0 | 1> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean', default: false },
      runs: { type: 'string', default: '1' },
      only: { type: 'string', multiple: true },
      tools: { type: 'string' },
      write: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const scope = part(values.short ? SHORT : FULL, values);
  if (values.write && (values.only ?? values.tools) !== undefined) {
    throw new TypeError('The page has whole runs: leave out --only and --tools, or --write.');
  }
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const scratch = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-bundles-'));
  try {
    const bundles = await buildAll(MEASURED, scratch);
    const runs: BenchRun[] = [];
    for (let run = 0; run < Number(values.runs); run += 1) {
      runs.push(await runBench(bundles, scope, say));
    }
    const results = { machine: await machine(), runs };
    if (values.write) await writeResults(results);
    print(values.json ? JSON.stringify(results, undefined, 2) : runs.map(({ cells }) => renderCells(cells)).join('\n'));
    const fails = values.short ? isGross : ({ holds }: Cell): boolean => !holds;
    const missed = runs.flatMap(({ cells }) => cells.filter(fails));
    if (!values.json) print(missed.length === 0 ? 'Every target holds.' : `${missed.length} targets are missed.`);
    return missed.length === 0 ? 0 : 1;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function part(scope: Scope, { only, tools }: { readonly only?: string[]; readonly tools?: string }): Scope {
  const operations = scope.operations.filter((name) => only?.some((word) => name.startsWith(word)) ?? true);
  if (operations.length === 0) throw new TypeError(`Nothing to measure: --only takes ${scope.operations.join(', ')}.`);
  return { ...scope, operations, ...(tools !== undefined && { sizes: [Number(tools)] }) };
}

/** A blunder shows in the time and in the CPU time; on a busy machine the time alone may lie. */
const isGross = ({ ratio, cpuRatio, target }: Cell): boolean =>
  ![ratio.value, cpuRatio].some((value) => value >= target * GROSS);

/** So that the servers are ended with it. */
const stopAtOnce = (): void => {
  // oxlint-disable-next-line unicorn/no-process-exit -- a signal ends a program, and here nothing is left to be written
  process.exit(2);
};

if (import.meta.main) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stopAtOnce);
  try {
    process.exitCode = await bench(process.argv.slice(2), (text) => console.log(text));
  } catch (cause) {
    console.error(cause);
    process.exitCode = 2;
  }
}
