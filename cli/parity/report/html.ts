/** The report as one HTML file that needs nothing beside it: no script, no font, no request. Pure. */
import type { Failure, RunReport } from '../run/report.ts';
import { answersText, listingLines, notComparedLines, surfaceLines, timeText } from './grouped.ts';
import { legible, shown, visibleJson } from './legible.ts';
import { answerColumns, COLUMN, folded, verdictOf } from './table.ts';
import { headline, leftName, neverSucceeded, otherFindings } from './words.ts';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --bad: #c62828; --good: #2e7d32; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; border-left: .4rem solid var(--good); padding-left: .8rem; }
.different h1, .could_not_run h1 { border-color: var(--bad); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; }
tr.bad td { color: var(--bad); font-weight: 600; }
details { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .8rem; margin: .6rem 0; }
summary { cursor: pointer; font-weight: 600; }
pre { background: var(--soft); padding: .6rem; border-radius: .3rem; overflow-x: auto; white-space: pre-wrap; word-break: break-word; }
code { font: 13px ui-monospace, monospace; }
@media print { details { break-inside: avoid; } }
`;

export function renderHtml(raw: RunReport): string {
  const report = legible(raw);
  const title = `MCP parity: ${headline(report)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body class="${report.outcome}">
<h1>${text(headline(report))}</h1>
${targets(report)}
${section('Why this is not equal', items(otherFindings(report)))}
${section('Differences', report.failures.map((failure) => difference(failure, report)).join('\n'))}
${report.moreFailures === 0 ? '' : `<p>${report.moreFailures} more differences of these kinds are counted below and not shown.</p>`}
${section('Calls', groups(report))}
${section('Surface', items(surfaceLines(report)))}
${section('Noisy: the control answers the same call differently', items(report.noisy.map(({ group, paths }) => `${group}: ${paths.join(', ')}`)))}
${section('Never succeeded on the control, so nothing is proven of them', items(neverSucceeded(report)))}
${section('Not compared', items(notComparedLines(report)))}
${section('To be known', items(listingLines(report, false)))}
<p>${text(report.startedAt)}, ${(report.durationMs / 1000).toFixed(1)} s, seed ${report.seed}, exit code ${report.exitCode}</p>
</body>
</html>
`;
}

function targets({ control, candidates }: RunReport): string {
  const rows = [control, ...candidates].map(
    ({ name, address, protocol, server }, at) =>
      `<tr><td>${at === 0 ? 'control' : 'candidate'}</td><td>${text(name)}</td><td><code>${text(address)}</code></td><td>${server === undefined ? 'not opened' : `${text(server.name)} ${text(server.version)}, MCP ${text(protocol ?? '')}`}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function groups(report: RunReport): string {
  if (report.groups.length === 0) return '';
  const names = [report.control, ...report.candidates].map(({ name }) => name);
  const kinds = answerColumns(report);
  const head = `<tr><th></th><th class="number">calls</th><th class="number">inputs</th>${kinds.map((kind) => `<th class="number">${COLUMN[kind]}</th>`).join('')}${names.map((name) => `<th class="number">${text(name)} p50 / p95</th>`).join('')}<th>verdict</th></tr>`;
  const rows = folded(report.groups).map((group) => {
    const verdict = verdictOf(group);
    const times = names
      .map((name) => group.times[name])
      .map((time) => (time === undefined ? '' : `${timeText(time.p50)} / ${timeText(time.p95)}`));
    return `<tr${/MISMATCH|HARNESS/.test(verdict) ? ' class="bad"' : ''}><td>${text(group.group)}</td><td class="number">${group.calls}</td><td class="number">${group.distinctInputs}</td>${kinds.map((kind) => `<td class="number">${answersText(kind, group.answers, report)}</td>`).join('')}${times.map((time) => `<td class="number">${time}</td>`).join('')}<td>${text(verdict)}</td></tr>`;
  });
  return `<table>${head}${rows.join('')}</table>`;
}

function difference(failure: Failure, { control }: RunReport): string {
  const { id, candidate, kind, call, differences, minimal, reproduced, help, note } = failure;
  const place = minimal ?? { call, differences };
  const left = leftName(failure, control.name);
  const rows = place.differences
    .slice(0, 20)
    .map(
      ({ path, control: one, candidate: other }) =>
        `<tr><td><code>${text(path)}</code></td><td><code>${text(shown(one, 2_000))}</code></td><td><code>${text(shown(other, 2_000))}</code></td></tr>`,
    );
  return `<details open><summary>${text(id)}${kind === undefined ? '' : ` (${kind} input)`}: ${text(left)} and ${text(candidate)} differ</summary>
<table><tr><th>where</th><th>${text(left)}</th><th>${text(candidate)}</th></tr>${rows.join('')}</table>
${note === undefined ? '' : `<p>${text(note)}</p>`}${reproduced === false ? '<p>It did not differ when it was asked again.</p>' : ''}
<p>${minimal === undefined ? 'Call' : `Smallest call that differs (${minimal.tried} tried)`}</p><pre><code>${text(visibleJson(JSON.stringify(place.call, undefined, 2)))}</code></pre>
<p>Again</p><pre><code>${text(help.replay)}</code></pre>
<p>${text(left)}</p><pre><code>${text(help.controlRequest)}</code></pre>
<p>${text(candidate)}</p><pre><code>${text(help.candidateRequest)}</code></pre>
</details>`;
}

const section = (title: string, body: string): string => (body === '' ? '' : `<h2>${text(title)}</h2>\n${body}`);
const items = (lines: readonly string[]): string =>
  lines.length === 0 ? '' : `<ul>${lines.map((line) => `<li>${text(line)}</li>`).join('')}</ul>`;

/** Servers say what they like, and none of it may become mark-up. */
const text = (value: string): string =>
  value
    .toWellFormed()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\u0000', '�');
