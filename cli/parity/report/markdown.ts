/** The report as Markdown, for the summary of a CI job or a comment on a pull request. Pure. */
import type { RunReport } from '../run/report.ts';
import { answersText, listingLines, notComparedLines, surfaceLines, timeText } from './grouped.ts';
import { legible, shown } from './legible.ts';
import { answerColumns, COLUMN, folded, MOST_ROWS, verdictOf } from './table.ts';
import { headline, leftName, neverSucceeded, otherFindings } from './words.ts';

const MARK = { equal: '✅', different: '❌', could_not_run: '⚠️' } as const;
/** A summary of a job may be 1 MiB; a reader wants less. */
const MOST_FAILURES = 20;

export function renderMarkdown(raw: RunReport): string {
  const report = legible(raw);
  const names = [report.control, ...report.candidates].map(({ name }) => name);
  const kinds = answerColumns(report);
  const rows = folded(report.groups, MOST_ROWS).map((group) =>
    [
      code(group.group),
      group.calls,
      group.distinctInputs,
      ...kinds.map((kind) => answersText(kind, group.answers, report)),
      ...names.map((name) => (group.times[name] === undefined ? '' : timeText(group.times[name].p50))),
      verdictOf(group),
    ].join(' | '),
  );
  const lines = [...surfaceLines(report), ...otherFindings(report)];
  const noisy = report.noisy.map(({ group, paths }) => `${code(group)}: ${paths.map(code).join(', ')}`);
  const skipped = notComparedLines(report).map(text);
  return [
    `## ${MARK[report.outcome]} MCP parity: ${text(headline(report))}`,
    targets(report),
    [
      `| | calls | inputs | ${kinds.map((kind) => COLUMN[kind]).join(' | ')} | ${names.map((name) => `${text(name)} p50`).join(' | ')} | verdict |`,
      `|---|--:|--:|${kinds.map(() => '--:|').join('')}${names.map(() => '--:|').join('')}---|`,
      ...rows.map((row) => `| ${row} |`),
    ].join('\n'),
    bullets('Findings', lines.map(text)),
    ...report.failures.slice(0, MOST_FAILURES).map((failure) => {
      const { minimal, call, differences, candidate, id, help } = failure;
      const place = minimal ?? { call, differences };
      const left = leftName(failure, report.control.name);
      return [
        `<details><summary>${html(id)}: ${html(left)} and ${html(candidate)} differ at ${html(
          place.differences
            .map(({ path }) => path)
            .slice(0, 5)
            .join(', '),
        )}</summary>\n`,
        fence(
          place.differences
            .slice(0, 8)
            .map(({ path, control, candidate: right }) => `${path}\n- ${shown(control)}\n+ ${shown(right)}`)
            .join('\n'),
          'diff',
        ),
        fence(
          [`# again`, help.replay, '# control', help.controlRequest, `# ${candidate}`, help.candidateRequest].join(
            '\n',
          ),
          'sh',
        ),
        '</details>',
      ].join('\n');
    }),
    bullets('Noisy: the control answers the same call differently', noisy),
    bullets('Never succeeded on the control, so nothing is proven of them', neverSucceeded(report).map(code)),
    bullets('Not compared', skipped),
    bullets('To be known', listingLines(report, false).map(text)),
    `Seed ${report.seed}, ${(report.durationMs / 1000).toFixed(1)} s.`,
  ]
    .filter((section) => section !== '')
    .join('\n\n');
}

const targets = ({ control, candidates }: RunReport): string =>
  [control, ...candidates]
    .map(
      ({ name, address, protocol, server }, at) =>
        `- ${at === 0 ? 'control' : 'candidate'} **${text(name)}** ${code(address)}${server === undefined ? ', not opened' : `, ${text(server.name)} ${text(server.version)}, MCP ${text(protocol ?? '')}`}`,
    )
    .join('\n');

const bullets = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [`**${title}**`, '', ...lines.map((line) => `- ${line}`)].join('\n');

/** What a server says must not become mark-up of the page that shows the report. */
const html = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const text = (value: string): string =>
  html(value)
    .replaceAll(/[\\`*_[\]|~]/g, String.raw`\$&`)
    .replaceAll(/\s*\n\s*/g, ' ');
const code = (value: string): string =>
  `<code>${html(value)
    .replaceAll('|', '&#124;')
    .replaceAll(/\s*\n\s*/g, ' ')}</code>`;

function fence(body: string, language: string): string {
  const ticks = body.match(/`+/g) ?? [];
  const longest = Math.max(2, ...ticks.map(({ length }) => length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${body}\n${mark}`;
}
