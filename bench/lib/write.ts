/** Keeps the results: all of them as JSON, and the table of each run in the documentation, between two marks. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';
import type { Machine } from './machine.ts';
import { renderCells } from './render.ts';
import type { BenchRun } from './run.ts';

export interface BenchResults {
  readonly machine: Machine;
  readonly runs: readonly BenchRun[];
}

const JSON_FILE = path.join(PROJECT_ROOT, 'docs/bench/latest.json');
const PAGE = path.join(PROJECT_ROOT, 'docs/performance.md');

export async function writeResults(results: BenchResults): Promise<void> {
  await writeFile(JSON_FILE, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(PAGE, between(await readFile(PAGE, 'utf8'), 'bench', pageText(results)));
}

/** The page with other text between the marks of this name. */
export function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: begin, written by a script -->`, `<!-- ${name}: end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no marks "${begin}" and "${end}"`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}

function pageText({ machine, runs }: BenchResults): string {
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}, storage in ${machine.storage}; ${versions.join(', ')}.`;
  const tables = runs.map(
    ({ cells, startedAt, load }, index) =>
      `Run ${index + 1}, ${startedAt}, load average ${load.before} before and ${load.after} after. ${renderCells(cells)}`,
  );
  return `\n${where}\n\n${tables.join('\n')}`;
}
