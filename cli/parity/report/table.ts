/** The report for a terminal: one line per tool, then every difference with what helps to see it again. Pure. */
import { styleText } from 'node:util';
import { ANSWER_KINDS, type AnswerCounts } from '../../../src/parity/answer-kind.ts';
import type { Verdict } from '../../../src/parity/compare.ts';
import type { Failure, GroupReport, RunReport } from '../run/report.ts';
import { answersText, listingLines, notComparedLines, surfaceLines, timeText } from './grouped.ts';
import { sessionHints } from './hint.ts';
import { legible, shown } from './legible.ts';
import { headline, leftName, neverSucceeded, otherFindings, sidesOf, VERDICT_TEXT } from './words.ts';

type Paint = (style: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string;

/** @param colour Whether the reader sees colours. */
export function renderTable(raw: RunReport, colour: boolean): string {
  const report = legible(raw);
  const paint: Paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const sections = [
    paint('bold', headline(report)),
    targets(report),
    groups(report, paint),
    list('Surface', surfaceLines(report)),
    list(
      'Noisy: the control answers the same call differently',
      report.noisy.map(({ group, paths }) => `${group}: ${paths.join(', ')}`),
    ),
    never(report),
    list('Not compared', notComparedLines(report)),
    list('To be known', listingLines(report, false)),
    ...report.failures.map((failure) => explain(failure, report, paint)),
    list('', sessionHints(report.failures)),
    report.moreFailures === 0
      ? ''
      : `${report.moreFailures} more differences of these kinds are counted above and not shown.`,
    list('', otherFindings(report)),
    `seed ${report.seed}, ${(report.durationMs / 1000).toFixed(1)} s, exit code ${report.exitCode}`,
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function targets({ control, candidates }: RunReport): string {
  return [control, ...candidates]
    .map(({ name, address, protocol, server }, at) => {
      const what = server === undefined ? 'not opened' : `${server.name} ${server.version}, MCP ${protocol}`;
      return `${at === 0 ? 'control  ' : 'candidate'}  ${name}  ${address}  (${what})`;
    })
    .join('\n');
}

function groups(report: RunReport, paint: Paint): string {
  if (report.groups.length === 0) return '';
  const names = [report.control, ...report.candidates].map(({ name }) => name);
  const kinds = answerColumns(report);
  const head = [
    '',
    'calls',
    'inputs',
    ...kinds.map((kind) => COLUMN[kind]),
    ...names.map((name) => `${name} p50`),
    'verdict',
  ];
  const rows = folded(report.groups, MOST_ROWS).map((group) => [
    group.group,
    String(group.calls),
    String(group.distinctInputs),
    ...kinds.map((kind) => answersText(kind, group.answers, report)),
    ...names.map((name) => (group.times[name] === undefined ? '-' : timeText(group.times[name].p50))),
    verdictOf(group),
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 || column === cells.length - 1
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const tint = (text: string): string => (/MISMATCH|HARNESS/.test(text) ? paint('red', text) : text);
  return [paint('dim', line(head)), ...rows.map((row) => tint(line(row)))].join('\n');
}

/** So many tools that match and succeed are shown one by one in what has to fit on a screen. */
export const MOST_ROWS = 12;

export const COLUMN = { result: 'results', error: 'errors', refusal: 'refusals', unfinished: 'unfinished' } as const;

/** Answers that are none yet are so rare that they get a column only where there are any. */
export function answerColumns({ groups }: RunReport): readonly (keyof typeof COLUMN)[] {
  const some = groups.some(({ answers }) => Object.values(answers).some(({ unfinished }) => unfinished > 0));
  return some ? ['result', 'error', 'refusal', 'unfinished'] : ['result', 'error', 'refusal'];
}

/**
 * Resources and prompts that match are one line each kind, and so are tools where there are more than so many: nothing is to
 * be said of them.
 */
export function folded(all: readonly GroupReport[], mostTools = Infinity): readonly GroupReport[] {
  const rest: GroupReport[] = [];
  const quiet = new Map<string, GroupReport[]>();
  const isQuiet = (group: GroupReport): boolean =>
    verdictOf(group) === VERDICT_TEXT.match && (!group.tool || group.succeededInputs > 0);
  const foldsTools = all.filter((group) => group.tool && isQuiet(group)).length > mostTools;
  for (const group of all) {
    const kind = group.tool ? (foldsTools ? 'tool' : undefined) : /^(resource|prompt) /.exec(group.group)?.[1];
    if (kind === undefined || !isQuiet(group)) rest.push(group);
    else quiet.set(kind, [...(quiet.get(kind) ?? []), group]);
  }
  const sums = [...quiet].flatMap(([kind, groups]): readonly GroupReport[] => {
    const [first] = groups;
    if (first === undefined || groups.length === 1) return groups;
    const sum = (key: 'calls' | 'distinctInputs' | 'succeededInputs'): number =>
      groups.reduce((total, group) => total + group[key], 0);
    const answers = Object.fromEntries(
      Object.keys(first.answers).map((name) => [
        name,
        Object.fromEntries(
          ANSWER_KINDS.map((each) => [
            each,
            groups.reduce((total, group) => total + (group.answers[name]?.[each] ?? 0), 0),
          ]),
        ) as AnswerCounts,
      ]),
    );
    const sums = {
      calls: sum('calls'),
      distinctInputs: sum('distinctInputs'),
      succeededInputs: sum('succeededInputs'),
    };
    return [{ ...first, ...sums, group: `${groups.length} ${kind}s`, answers, times: {} }];
  });
  return [...rest, ...sums];
}

export function verdictOf({ candidates, noisyPaths }: GroupReport): string {
  const sum = (verdict: Verdict): number => candidates.reduce((total, { counts }) => total + counts[verdict], 0);
  const others = (['mismatch', 'harness_error', 'known_difference', 'inconclusive'] as const).filter(
    (each) => sum(each) > 0,
  );
  const noisy = noisyPaths.length > 0 && sum('inconclusive') === 0 ? ', noisy' : '';
  if (others.length === 0) return `${VERDICT_TEXT.match}${noisy}`;
  return others.map((each) => `${sum(each)} ${VERDICT_TEXT[each]}`).join(', ') + noisy;
}

function never(report: RunReport): string {
  const tools = neverSucceeded(report);
  return tools.length === 0
    ? ''
    : `Never succeeded on the control: ${tools.join(', ')}. Nothing is proven of them; give calls that do with --examples.`;
}

function list(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return title === '' ? lines.join('\n') : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function explain(failure: Failure, { control }: RunReport, paint: Paint): string {
  const { id, candidate, kind, call, differences, minimal, reproduced, help, note } = failure;
  const left = leftName(failure, control.name);
  const place = minimal ?? { call, differences };
  return [
    paint('red', `${id}${kind === undefined ? '' : ` (${kind} input)`}: ${left} and ${candidate} differ`),
    ...place.differences
      .slice(0, 8)
      .flatMap((difference) => sidesOf(difference, left, candidate))
      .map((line) => `  ${line}`),
    ...(place.differences.length > 8 ? [`  … and ${place.differences.length - 8} places more`] : []),
    ...(note === undefined ? [] : [`  ${note}`]),
    `  ${minimal === undefined ? 'call' : `smallest call that differs (${minimal.tried} tried)`}: ${shown({ method: place.call.method, ...(place.call.params !== undefined && { params: place.call.params }) }, 2_000)}`,
    ...(reproduced === false ? ['  It did not differ when it was asked again.'] : []),
    `  again:     ${help.replay}`,
    `  control:   ${help.controlRequest.replaceAll('\n', '\n             ')}`,
    `  candidate: ${help.candidateRequest.replaceAll('\n', '\n             ')}`,
  ].join('\n');
}
