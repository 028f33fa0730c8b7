/**
 * `mcp-parity` as a function: reads its arguments, brings up what it needs, writes the reports, and gives the exit code.
 * Only the program that calls it prints and exits.
 */
import { readFile } from 'node:fs/promises';
import { CommanderError } from 'commander';
import { checkCertificate, refusalText } from '../../src/parity/certificate.ts';
import { BadRecording, checkRecording } from './cases/recorded.ts';
import { UsageError, type Reports } from './config.ts';
import { program, type CheckFlags, type RunFlags } from './flags.ts';
import { openOwnLanes } from './own-lanes.ts';
import { readOptions } from './read-options.ts';
import { certify } from './report/certify.ts';
import { openLines, prepareReports, writeReport } from './report/files.ts';
import { renderHtml } from './report/html.ts';
import { renderJunit } from './report/junit.ts';
import { renderMarkdown } from './report/markdown.ts';
import type { ProgressView } from './report/progress.ts';
import { renderTable } from './report/table.ts';
import type { Judged } from './run/compare-case.ts';
import type { RunReport } from './run/report.ts';
import { runParity, type Hooks } from './run/run.ts';

export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly colour: boolean;
  /** Missing where nobody watches. */
  readonly progress?: () => ProgressView;
}

export async function mcpParity(args: readonly string[], terminal: Terminal): Promise<0 | 1 | 2> {
  let exitCode: 0 | 1 | 2 = 2;
  const command = program(
    async (flags) => {
      exitCode = await run(flags, terminal);
    },
    async (file, flags) => {
      exitCode = await check(file, flags, terminal);
    },
  );
  for (const each of [command, ...command.commands])
    each.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.error });
  try {
    await command.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    // Commander has printed what it has to say; help is a success.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
    // Whatever went wrong, nothing was compared to the end: exit code 1 would say that something differs.
    const foreseen = thrown instanceof UsageError || thrown instanceof BadRecording;
    terminal.error(
      `${foreseen ? '' : 'mcp-parity failed: '}${thrown instanceof Error ? thrown.message : String(thrown)}\n`,
    );
    return 2;
  }
}

async function run(flags: RunFlags, terminal: Terminal): Promise<0 | 1 | 2> {
  const read = await readOptions(flags, () => Math.floor(Math.random() * 2 ** 31));
  // What cannot be read or written is better known before an hour of comparing than after.
  for (const file of read.options.recorded) await checkRecording(file);
  await prepareReports(read.reports);
  await using own = read.targets === undefined ? await openOwnLanes() : undefined;
  const targets = read.targets ?? own?.targets;
  if (targets === undefined)
    throw new UsageError('Give --control <target> and --candidate <target>, or see npx mcp-parity run --help.');
  const progress = flags.quiet === true ? undefined : terminal.progress?.();
  const lines = read.reports.ndjson === undefined ? undefined : openLines(read.reports.ndjson);
  const hooks: Hooks = {
    onProgress: (now) => progress?.show(now),
    ...(lines !== undefined && { onJudged: (judged: Judged) => lines.write(lineOf(judged)) }),
  };
  const report = await runParity(
    {
      ...read.options,
      ...targets,
      sanitize: own === undefined ? read.options.sanitize : own.sanitize(read.options.sanitize),
    },
    hooks,
  );
  progress?.end();
  await lines?.end();
  terminal.out(`${renderTable(report, terminal.colour)}\n`);
  await writeReports(report, read.reports, terminal);
  return report.exitCode;
}

async function writeReports(
  report: RunReport,
  { json, junit, markdown, html, certificate }: Reports,
  terminal: Terminal,
): Promise<void> {
  const write = async (file: string | undefined, text: () => string): Promise<void> => {
    if (file !== undefined) await writeReport(file, text());
  };
  await write(json, () => `${JSON.stringify(report, undefined, 2)}\n`);
  await write(junit, () => renderJunit(report));
  await write(markdown, () => `${renderMarkdown(report)}\n`);
  await write(html, () => renderHtml(report));
  if (certificate === undefined) return;
  for (const { name } of report.candidates) {
    const certified = certify(report, name);
    const file =
      report.candidates.length === 1
        ? certificate
        : certificate.replace(/(\.[^.]*)?$/, `-${name.replaceAll(/\W+/g, '-')}$1`);
    if (certified.ok) await write(file, () => `${JSON.stringify(certified.certificate, undefined, 2)}\n`);
    else terminal.error(`No certificate for ${name}: ${certified.why}\n`);
  }
}

/** One line a verdict. */
function lineOf({ case: { id, group, source, kind }, candidate, judgement }: Judged): string {
  const { verdict, differences, allowed, noisy, cause } = judgement;
  return JSON.stringify({
    id,
    group,
    source,
    kind,
    candidate,
    verdict,
    ...(differences.length > 0 && { differences }),
    ...(allowed.length > 0 && { allowed }),
    ...(noisy.length > 0 && { noisy }),
    cause,
  });
}

async function check(file: string, { maxAge, maxBound, exempt }: CheckFlags, terminal: Terminal): Promise<0 | 1 | 2> {
  let read: unknown;
  try {
    read = JSON.parse(await readFile(file, 'utf8'));
  } catch (thrown) {
    throw new UsageError(`${file} could not be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  const refusals = checkCertificate(read, {
    now: new Date(),
    maxAgeMs: maxAge * 3_600_000,
    maxUpperBound: maxBound,
    ...(exempt !== undefined && { exempt }),
  });
  for (const refusal of refusals) terminal.error(`${refusalText(refusal)}\n`);
  if (refusals.length > 0) return 1;
  terminal.out('The certificate is good.\n');
  return 0;
}
