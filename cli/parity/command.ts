/**
 * `mcp-parity` as a function: reads its arguments, brings up what it needs, writes the reports, and gives the exit code.
 * Only the program that calls it prints and exits.
 */
import process from 'node:process';
import { CommanderError } from 'commander';
import { checkCertificate, USUAL_LEAST, type Certificate } from '../../src/parity/certificate.ts';
import { refusalText } from '../../src/parity/refusal-text.ts';
import { maskOf, type Mask } from '../../src/parity/mask.ts';
import type { SanitizeRules } from '../../src/parity/sanitize.ts';
import type { ToolCounts } from '../../src/parity/verdict-table.ts';
import { BadRecording, checkRecording } from './cases/recorded.ts';
import { KEY_VARIABLE, SHORTEST_KEY, signed } from './certificate/sign.ts';
import { tableFileOf, verdictLine, writeTable } from './certificate/table-file.ts';
import { CannotVerify, verifyCertificate } from './certificate/verify.ts';
import { completionScript, SHELLS } from './completion.ts';
import { UsageError, type Reports } from './config.ts';
import { settle } from './flag.ts';
import { program, RUN_FLAGS, VERIFY_FLAGS, type RunFlags, type VerifyFlags } from './flags.ts';
import { openOwnLanes } from './own-lanes.ts';
import { readOptions } from './read-options.ts';
import { secretsOf } from './secrets.ts';
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
  /** Ends a run early, with the reports of what was seen until then. */
  readonly signal?: AbortSignal;
}

export async function mcpParity(args: readonly string[], terminal: Terminal): Promise<0 | 1 | 2> {
  let exitCode: 0 | 1 | 2 = 2;
  const command = program({
    run: async (flags) => {
      exitCode = await run(flags, terminal);
    },
    verify: async (file, flags) => {
      exitCode = await verify(file, flags, terminal);
    },
    completion: (shell) => {
      if (!SHELLS.includes(shell))
        throw new UsageError(`There is no completion for ${shell}, only for ${SHELLS.join(', ')}.`);
      terminal.out(completionScript(shell, { run: RUN_FLAGS, verify: VERIFY_FLAGS, completion: {} }));
      exitCode = 0;
    },
  });
  for (const each of [command, ...command.commands])
    each.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.error });
  try {
    await command.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    // Commander has printed what it has to say; help is a success.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
    // Whatever went wrong, nothing was compared to the end: exit code 1 would say that something differs.
    const foreseen = [UsageError, BadRecording, CannotVerify].some((kind) => thrown instanceof kind);
    terminal.error(
      `${foreseen ? '' : 'mcp-parity failed: '}${thrown instanceof Error ? thrown.message : String(thrown)}\n`,
    );
    return 2;
  }
}

async function run(flags: RunFlags, terminal: Terminal): Promise<0 | 1 | 2> {
  const {
    options,
    targets: named,
    reports,
    signing,
  } = await readOptions(flags, () => Math.floor(Math.random() * 2 ** 31));
  // What cannot be read or written is better known before an hour of comparing than after.
  for (const file of options.recorded) await checkRecording(file);
  await prepareReports(reports);
  const key = reports.certificate === undefined ? undefined : keyIn(signing.keyEnv);
  await using own = named === undefined ? await openOwnLanes() : undefined;
  const targets = named ?? own?.targets;
  if (targets === undefined)
    throw new UsageError('Give --control <target> and --candidate <target>, or see npx mcp-parity run --help.');
  const mask = maskOf(secretsOf([targets.control, ...targets.candidates], process.env));
  const progress = flags.quiet === true ? undefined : terminal.progress?.();
  const lines = reports.ndjson === undefined ? undefined : openLines(reports.ndjson);
  const table = reports.certificate === undefined ? undefined : writeTable(tableFileOf(reports.certificate));
  const hooks: Hooks = {
    onProgress: (now) => progress?.show(mask(now)),
    ...(terminal.signal !== undefined && { signal: terminal.signal }),
    ...((lines ?? table) !== undefined && {
      onJudged: async (judged: Judged) => {
        await lines?.write(lineOf(judged, mask));
        await table?.add(verdictLine(judged));
      },
    }),
  };
  const sanitize = own === undefined ? options.sanitize : own.sanitize(options.sanitize);
  const report = mask(await runParity({ ...options, ...targets, sanitize }, hooks));
  progress?.end();
  const written = writing(terminal);
  await written('--ndjson', () => lines?.end());
  await written('the table', () => terminal.out(`${renderTable(report, terminal.colour)}\n`));
  await writeReports(report, reports, written);
  if (reports.certificate !== undefined && table !== undefined) {
    const { certificate } = reports;
    await written('--certificate', async () =>
      writeCertificates(report, certificate, { ...(await table.end()), sanitize, step: signing.step }, key, terminal),
    );
  }
  return written.failed() ? 2 : report.exitCode;
}

interface Writing {
  (what: string, write: () => unknown): Promise<void>;
  /** Whether anything could not be written. */
  readonly failed: () => boolean;
}

/** One report that cannot be made or written takes none of the others along. */
function writing(terminal: Terminal): Writing {
  let failed = false;
  const written = async (what: string, write: () => unknown): Promise<void> => {
    try {
      await write();
    } catch (thrown) {
      failed = true;
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      terminal.error(thrown instanceof UsageError ? `${why}\n` : `${what} could not be made: ${why}\n`);
    }
  };
  return Object.assign(written, { failed: () => failed });
}

/** The key is read before anything is asked, so that a short one is no surprise at the end. */
function keyIn(variable: string): string | undefined {
  const key = process.env[variable];
  if (key === undefined || key === '') return undefined;
  if (key.length < SHORTEST_KEY)
    throw new UsageError(`The key in ${variable} is too short. Use ${SHORTEST_KEY} random characters or more.`);
  return key;
}

async function writeReports(
  report: RunReport,
  { json, junit, markdown, html }: Reports,
  written: Writing,
): Promise<void> {
  const write = async (file: string | undefined, text: () => string): Promise<void> => {
    if (file !== undefined) await written(file, () => writeReport(file, text()));
  };
  await write(json, () => `${JSON.stringify(report, undefined, 2)}\n`);
  await write(junit, () => renderJunit(report));
  await write(markdown, () => `${renderMarkdown(report)}\n`);
  await write(html, () => renderHtml(report));
}

interface Material {
  readonly table: Certificate['table'];
  readonly counts: (candidate: string) => readonly ToolCounts[];
  readonly sanitize: SanitizeRules;
  readonly step: string | undefined;
}

async function writeCertificates(
  report: RunReport,
  file: string,
  { table, counts, sanitize, step }: Material,
  key: string | undefined,
  terminal: Terminal,
): Promise<void> {
  for (const { name } of report.candidates) {
    const certified = certify(report, name, {
      ...{ counts: counts(name), table, sanitize },
      ...(step !== undefined && { step }),
    });
    const own =
      report.candidates.length === 1 ? file : file.replace(/(\.[^.]*)?$/, `-${name.replaceAll(/\W+/g, '-')}$1`);
    if (!certified.ok) {
      terminal.error(`No certificate for ${name}: ${certified.why}\n`);
      continue;
    }
    const { certificate } = certified;
    const made = key === undefined ? certificate : signed(certificate, key);
    await writeReport(own, `${JSON.stringify(made, undefined, 2)}\n`);
    if (key === undefined)
      terminal.error(
        `The certificate ${own} is not signed, so anybody could edit it: put a key into ${KEY_VARIABLE} before the run.\n`,
      );
    const refusals = checkCertificate(made, {
      ...{ now: new Date(), maxAgeMs: Infinity, least: USUAL_LEAST },
      ...{ signature: key === undefined ? 'unsigned' : 'good', takesUnsigned: true, recounted: counts(name) },
    });
    // Known now, and not an hour later at the step that it is for.
    for (const refusal of refusals) terminal.error(`The certificate ${own} is not good yet. ${refusalText(refusal)}\n`);
  }
}

/** One line a verdict. */
function lineOf({ case: { id, group, source, kind }, candidate, judgement }: Judged, mask: Mask): string {
  const { verdict, differences, allowed, noisy, cause } = mask(judgement);
  return JSON.stringify({
    id: mask(id),
    group: mask(group),
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

async function verify(file: string, flags: VerifyFlags, terminal: Terminal): Promise<0 | 1 | 2> {
  const { maxAge, maxBound, minSucceeded, exempt, step, table, keyEnv, unsigned, live, ...bearers } = settle(
    VERIFY_FLAGS,
    flags,
    {},
  );
  const { controlBearerEnv, candidateBearerEnv } = bearers;
  const refusals = await verifyCertificate(file, {
    now: new Date(),
    maxAgeMs: maxAge * 3_600_000,
    least: minSucceeded,
    ...(maxBound !== undefined && { maxUpperBound: maxBound }),
    exempt,
    key: keyIn(keyEnv),
    takesUnsigned: unsigned === true,
    ...(step !== undefined && { step }),
    ...(table !== undefined && { tableFile: table }),
    ...(live === true && {
      live: {
        timeoutMs: 30_000,
        ...(controlBearerEnv !== undefined && { controlBearerEnv }),
        ...(candidateBearerEnv !== undefined && { candidateBearerEnv }),
      },
    }),
  });
  for (const refusal of refusals) terminal.error(`${refusalText(refusal)}\n`);
  if (refusals.length > 0) return 1;
  terminal.out('The certificate is good.\n');
  return 0;
}
