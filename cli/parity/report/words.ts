/** How verdicts, values and sides are written in every report for people. Pure. */
import type { Difference, Verdict } from '../../../src/parity/compare.ts';
import { listingLines } from './grouped.ts';
import { shown } from './legible.ts';
import type { Failure, RunReport } from '../run/report.ts';

export const VERDICT_TEXT: Readonly<Record<Verdict, string>> = {
  match: 'match',
  known_difference: 'allowed',
  mismatch: 'MISMATCH',
  harness_error: 'HARNESS ERROR',
  inconclusive: 'noisy',
};

export function headline(report: RunReport): string {
  const { outcome, counts, control, candidates, groups } = report;
  const names = [control, ...candidates].map(({ name }) => name).join(' and ');
  const calls = groups.reduce((sum, group) => sum + group.calls, 0);
  const verdicts = (Object.keys(VERDICT_TEXT) as Verdict[])
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${VERDICT_TEXT[verdict]}`);
  const said = {
    equal: `${names} answer the same`,
    different: `${names} differ`,
    could_not_run: `${names} could not be compared`,
  }[outcome];
  return `${said}: ${calls} calls${verdicts.length === 0 ? '' : `, ${verdicts.join(', ')}`}`;
}

/** Tools of which only errors and refusals were compared. */
export const neverSucceeded = ({ groups }: RunReport): readonly string[] =>
  groups.filter(({ tool, succeededInputs }) => tool && succeededInputs === 0).map(({ group }) => group);

/** Where, and both sides below each other. */
export function sidesOf({ path, control, candidate }: Difference, left: string, right: string): readonly string[] {
  const width = Math.max(left.length, right.length);
  return [path, `  ${left.padEnd(width)}  ${shown(control)}`, `  ${right.padEnd(width)}  ${shown(candidate)}`];
}

export const leftName = ({ note }: Failure, control: string): string => (note === undefined ? control : 'expected');

/** Everything that makes a run not equal beside differences of calls, one line each. */
export function otherFindings(report: RunReport): readonly string[] {
  return [
    ...(report.aborted === undefined ? [] : [`Ended early: ${report.aborted}.`]),
    ...report.harnessErrors.map(
      ({ target, where, reason, cause, count }) =>
        `Harness error at ${target}, ${where} (${reason}${count > 1 ? `, ${count} times` : ''}): ${cause}`,
    ),
    ...listingLines(report, true),
    ...report.allowed.stale.map((id) => `The allowed difference ${id} did not happen. Delete the row.`),
    ...report.allowed.expired.map(
      (id) => `The allowed difference ${id} is past its last day. Mend the difference or decide again.`,
    ),
  ];
}
