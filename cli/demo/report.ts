/** Runs the rows on connected lanes and weighs the outcome. Does not connect, print or exit. */
import type { RowResult } from '../../src/parity/run-table.ts';
import { runTable } from '../../src/parity/run-table.ts';
import { DifferenceLedger } from '../../src/parity/known.ts';
import type { Verdict } from '../../src/parity/compare.ts';
import { isPlainObject } from '../../src/shared/json.ts';
import type { ConnectedLane } from './clients.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { ROWS } from './rows.ts';

export interface DemoReport {
  readonly url: string;
  readonly lanes: readonly Pick<ConnectedLane, 'name' | 'client' | 'protocol' | 'path'>[];
  readonly rows: readonly RowResult[];
  readonly counts: Readonly<Record<Verdict, number>>;
  /** Tools that a lane lists and no row calls. */
  readonly uncovered: readonly string[];
  /** Known differences that did not happen: they must be deleted. */
  readonly stale: readonly string[];
}

export async function compareLanes(url: string, lanes: readonly ConnectedLane[]): Promise<DemoReport> {
  const ledger = new DifferenceLedger(KNOWN_DIFFERENCES);
  const rows = await runTable(ROWS, lanes, ledger, () => performance.now());
  return {
    url,
    lanes: lanes.map(({ name, client, protocol, path }) => ({ name, client, protocol, path })),
    rows,
    counts: countVerdicts(rows),
    uncovered: uncoveredTools(rows),
    stale: ledger.stale().map(({ id }) => id),
  };
}

/** 0 all equal but for known differences, 1 something differs or the rows have to be mended, 2 a lane was not asked. */
export function exitCodeOf({ counts, uncovered, stale }: DemoReport): 0 | 1 | 2 {
  if (counts.mismatch > 0) return 1;
  // A row that could not be asked may be why another one looks stale or uncovered.
  if (counts.harness_error + counts.inconclusive > 0) return 2;
  return uncovered.length + stale.length > 0 ? 1 : 0;
}

function countVerdicts(rows: readonly RowResult[]): Record<Verdict, number> {
  const counts = { match: 0, known_difference: 0, mismatch: 0, harness_error: 0, inconclusive: 0 };
  for (const { verdict } of rows) counts[verdict] += 1;
  return counts;
}

function uncoveredTools(rows: readonly RowResult[]): readonly string[] {
  const called = new Set(rows.map(({ call }) => (call.method === 'tools/call' ? call.params?.['name'] : undefined)));
  const listed = rows
    .filter(({ call }) => call.method === 'tools/list')
    .flatMap(({ answers }) => answers)
    .flatMap(({ saw }) => (saw.kind === 'result' ? namesOf(saw.result['tools']) : []));
  return [...new Set(listed)].filter((name) => !called.has(name));
}

function namesOf(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) =>
    isPlainObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [],
  );
}
