/** The report as JUnit XML: one test per tool and candidate, one for each surface, one for the run itself. */
import builder from 'junit-report-builder';
import type { RunReport } from '../run/report.ts';
import { answersText, listingLines, surfaceLines } from './grouped.ts';
import { legible } from './legible.ts';
import { answerColumns, COLUMN } from './table.ts';
import { headline, leftName, otherFindings, sidesOf } from './words.ts';

export function renderJunit(raw: RunReport): string {
  const report = legible(raw);
  const file = builder.newBuilder();
  for (const { name } of report.candidates) {
    const suite = file
      .testSuite()
      .name(`parity of ${report.control.name} and ${name}`)
      .timestamp(report.startedAt)
      .time(report.durationMs / 1000);
    const surface = report.surface.filter(({ target }) => target === name);
    const test = suite.testCase().className('surface').name('surface');
    const fails = surfaceLines({ ...report, surface: surface.filter((finding) => finding.fails) });
    if (fails.length > 0) test.failure(clean(fails.join('\n')), 'surface');
    for (const { group, tool, candidates, calls, noisyPaths, answers, succeededInputs } of report.groups) {
      const counts = candidates.find((each) => each.name === name)?.counts;
      if (counts === undefined) continue;
      const one = suite.testCase().className('calls').name(clean(group));
      one.standardOutput(
        clean(
          [
            answerColumns(report)
              .map((kind) => `${answersText(kind, answers, report)} ${COLUMN[kind]}`)
              .join(', '),
            ...(tool && succeededInputs === 0 ? ['never succeeded on the control'] : []),
            ...(noisyPaths.length > 0 ? [`noisy: ${noisyPaths.join(', ')}`] : []),
          ].join('\n'),
        ),
      );
      const found = report.failures.filter((failure) => failure.group === group && failure.candidate === name);
      if (counts.mismatch > 0 || found.length > 0)
        one.failure(
          clean(
            [`${counts.mismatch} of ${calls} calls differ`, ...found.map((each) => failureText(each, report))].join(
              '\n\n',
            ),
          ),
          'mismatch',
        );
      else if (counts.harness_error > 0) one.error(clean(harnessText(report, group)), 'harness error');
    }
    for (const { group, reason } of report.notCompared) {
      suite.testCase().className('calls').name(clean(group)).skipped();
      suite.property(clean(`not compared: ${group}`), clean(reason));
    }
  }
  const run = file.testSuite().name('parity run');
  const whole = run.testCase().className('run').name('run');
  const known = listingLines(report, false);
  if (known.length > 0) whole.standardOutput(clean(known.join('\n')));
  const others = otherFindings(report);
  if (others.length > 0) {
    const said = clean([headline(report), ...others].join('\n'));
    if (report.exitCode === 2) whole.error(said, report.outcome);
    else whole.failure(said, report.outcome);
  }
  return file.build();
}

function failureText(failure: RunReport['failures'][number], { control }: RunReport): string {
  const { id, minimal, differences, help, candidate } = failure;
  const left = leftName(failure, control.name);
  return [
    id,
    ...(minimal?.differences ?? differences).slice(0, 8).flatMap((each) => sidesOf(each, left, candidate)),
    help.replay,
  ].join('\n');
}

const harnessText = ({ harnessErrors }: RunReport, group: string): string =>
  harnessErrors
    .filter(({ where }) => where === group)
    .map(({ target, cause }) => `${target}: ${cause}`)
    .join('\n') || 'could not be asked';

/** XML has no place for control characters and lone surrogates, which hostile inputs are full of. */
const clean = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  text.toWellFormed().replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '�');
