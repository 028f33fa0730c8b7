/** Turns a report of the demo into text: one table, and below it every difference with both sides. Pure. */
import type { Difference, Verdict } from '../../src/parity/compare.ts';
import type { RowResult } from '../../src/parity/run-table.ts';
import type { Json } from '../../src/shared/json.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import type { DemoReport } from './report.ts';

const VERDICT_TEXT: Readonly<Record<Verdict, string>> = {
  match: 'match',
  known_difference: 'known difference',
  mismatch: 'MISMATCH',
  harness_error: 'HARNESS ERROR',
  inconclusive: 'inconclusive',
};
const LONGEST_SIDE = 400;

export function renderReport(report: DemoReport): string {
  return [
    `One catalogue on three lanes, asked by three real clients at ${report.url}`,
    renderTable(report),
    summary(report),
    ...report.rows.flatMap(explain),
    ...report.uncovered.map((name) => `No row calls the tool ${name}. Add one to cli/demo/rows.ts.`),
    ...report.stale.map((id) => `The known difference ${id} did not happen. Delete it from known-differences.ts.`),
  ].join('\n\n');
}

function renderTable({ lanes, rows }: DemoReport): string {
  const head = [
    ['call', ...lanes.map(({ name }) => name), 'verdict'],
    ['', ...lanes.map(({ client }) => client), ''],
    ['', ...lanes.map(({ protocol }) => protocol), ''],
    ['', ...lanes.map(({ path }) => path), ''],
  ];
  const body = rows.map(({ name, answers, verdict }) => [
    name,
    ...answers.map(({ ms }) => `${ms.toFixed(1)} ms`),
    VERDICT_TEXT[verdict],
  ]);
  const widths = ['', ...lanes, ''].map((_column, at) =>
    Math.max(...[...head, ...body].map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        // Names and verdicts are read from the left, times from the right.
        return column === 0 || column === cells.length - 1 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width));
  return [...head.map(line), line(rule), ...body.map(line)].join('\n');
}

function summary({ rows, counts }: DemoReport): string {
  const parts = [
    `${counts.match} match`,
    `${counts.known_difference} known difference`,
    `${counts.mismatch} mismatch`,
    `${counts.harness_error} harness error`,
    `${counts.inconclusive} inconclusive`,
  ];
  return `${rows.length} calls on each lane: ${parts.join(', ')}`;
}

function explain({ name, answers, comparisons }: RowResult): readonly string[] {
  const control = answers[0]?.lane ?? '';
  return comparisons
    .filter(({ verdict }) => verdict !== 'match')
    .map((comparison) => {
      const { candidate, verdict, cause, known, differences } = comparison;
      return [
        `${name}, ${control} against ${candidate}: ${VERDICT_TEXT[verdict]}`,
        ...(cause === undefined ? [] : [`  ${cause}`]),
        ...differences.map((difference) => sides(difference, control, candidate)),
        ...reasons(known, control, candidate),
      ].join('\n');
    });
}

/** Each place with both sides, and what they have in common once. */
function reasons(ids: readonly string[], control: string, candidate: string): readonly string[] {
  const rows = KNOWN_DIFFERENCES.filter(({ id }) => ids.includes(id));
  const places = rows.map(({ path, controlValue, candidateValue }) =>
    sides({ path, control: controlValue, candidate: candidateValue }, control, candidate),
  );
  return [...new Set(rows.map(({ why, reference }) => `  ${why} (${reference})`)), ...places];
}

function sides({ path, control, candidate }: Difference, controlLane: string, candidateLane: string): string {
  const width = Math.max(controlLane.length, candidateLane.length);
  return [
    `  ${path}`,
    `    ${controlLane.padEnd(width)}  ${shown(control)}`,
    `    ${candidateLane.padEnd(width)}  ${shown(candidate)}`,
  ].join('\n');
}

function shown(value: Json | undefined): string {
  if (value === undefined) return '(nothing)';
  const text = JSON.stringify(value);
  return text.length > LONGEST_SIDE ? `${text.slice(0, LONGEST_SIDE)}… (${text.length} characters)` : text;
}
