/**
 * `npm run parity:public`: installs public MCP servers into a scratch folder, compares each with itself, and prints how
 * many of the generated calls succeed on the control, tool by tool and in all. A server that is not equal to itself, or
 * whose variation is not named as noise, makes it end with 1. Arguments: names to choose by, `--cases <number>`,
 * `--folder <dir>` to keep the installation, `--json <file>`.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs, promisify } from 'node:util';
import { runParity } from '../cli/parity/run/run.ts';
import type { RunReport } from '../cli/parity/run/report.ts';
import type { Address, Target } from '../cli/parity/targets/target.ts';
import { PUBLIC_SERVERS, type PublicServer } from './lib/public-servers.ts';

const exec = promisify(execFile);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cases: { type: 'string', default: '60' },
    seed: { type: 'string', default: '7' },
    folder: { type: 'string' },
    json: { type: 'string' },
  },
});

interface Measured {
  readonly server: string;
  readonly tools: number;
  readonly neverSucceeded: readonly string[];
  readonly calls: number;
  readonly succeeded: number;
  readonly outcome: string;
  readonly noisy: number;
  readonly seconds: number;
}

/** Without scripts of theirs: what runs is what is named here. */
async function install(folder: string, servers: readonly PublicServer[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
  const packages = servers.map(({ name, version }) => `${name}@${version}`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--save-exact'];
  await exec('npm', ['install', ...flags, ...packages], { cwd: folder, maxBuffer: 2 ** 26 });
}

/** A folder with a little of everything that servers for files and repositories look at; the same for both sides. */
async function seeded(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'notes'), { recursive: true });
  await writeFile(path.join(folder, 'readme.md'), '# Seeds\n\nA first line.\nA second line.\n');
  await writeFile(path.join(folder, 'data.json'), '{"name":"seeds","count":3}\n');
  await writeFile(path.join(folder, 'notes', 'one.txt'), 'one\ntwo\nthree\n');
  await exec('git', ['init', '-q', '-b', 'main'], { cwd: folder });
  await exec('git', ['add', '.'], { cwd: folder });
  const who = ['-c', 'user.name=Seeds', '-c', 'user.email=seeds@example.com'];
  await exec('git', [...who, 'commit', '-q', '-m', 'Begin'], { cwd: folder });
}

function addressOf({ name, program, args = [], env = {} }: PublicServer, installed: string, folder: string): Address {
  const filled = (text: string): string => text.replaceAll('<folder>', folder);
  return {
    kind: 'stdio',
    command: [process.execPath, path.join(installed, 'node_modules', name, program), ...args.map(filled)],
    env: {
      HOME: folder,
      ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filled(value)])),
    },
  };
}

const target = (name: string, address: Address): Target => ({ name, address, era: '2025', headers: {} });

async function measure(server: PublicServer, installed: string): Promise<Measured> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'parity-public-'));
  const folder = path.join(scratch, 'work');
  try {
    await seeded(folder);
    await cp(folder, path.join(scratch, 'kept'), { recursive: true });
    process.chdir(folder);
    const address = addressOf(server, installed, folder);
    const report = await runParity({
      control: target('control', address),
      candidates: [target('candidate', address)],
      cases: Number(values.cases),
      seed: Number(values.seed),
      concurrency: 4,
      timeoutMs: 15_000,
      connectTimeoutMs: 60_000,
      // Most of them say nothing about writing, and what they write to is a folder that is thrown away.
      selection: { only: [], skip: server.skip ?? [], allowWrites: true },
      scenarios: [],
      recorded: [],
      allowed: [],
      sanitize: { names: ['timestamp', 'uuid', 'epoch-ms', 'duration'], paths: [] },
      failOn: 'non-breaking',
      slower: { factor: 10, byMs: 5_000 },
    });
    if (values.json !== undefined) {
      const file = path.join(path.resolve(START, values.json), `${server.name.replaceAll(/\W+/g, '-')}.json`);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify(report, undefined, 1));
    }
    return measuredIn(server, report);
  } finally {
    process.chdir(START);
    await rm(scratch, { recursive: true, force: true });
  }
}

function measuredIn({ name }: PublicServer, report: RunReport): Measured {
  const tools = report.groups.filter(({ tool }) => tool);
  const results = tools.map(({ group, answers, calls }) => ({ group, calls, ok: answers['control']?.result ?? 0 }));
  return {
    server: name,
    tools: tools.length,
    neverSucceeded: results.filter(({ ok }) => ok === 0).map(({ group }) => group),
    calls: results.reduce((sum, { calls }) => sum + calls, 0),
    succeeded: results.reduce((sum, { ok }) => sum + ok, 0),
    outcome:
      report.aborted ??
      `${report.outcome}${report.failures.length > 0 ? ` (${[...new Set(report.failures.map(({ group }) => group))].join(', ')})` : ''}`,
    noisy: report.noisy.length,
    seconds: report.durationMs / 1000,
  };
}

const START = process.cwd();
const chosen = PUBLIC_SERVERS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const installed = values.folder ?? (await mkdtemp(path.join(tmpdir(), 'parity-servers-')));
try {
  await install(installed, chosen);
  const all: Measured[] = [];
  for (const server of chosen) {
    const measured = await measure(server, installed);
    all.push(measured);
    console.log(lineOf(measured));
  }
  const sum = (of: (each: Measured) => number): number => all.reduce((total, each) => total + of(each), 0);
  const shares = all.map(({ succeeded, calls }) => (calls === 0 ? 0 : succeeded / calls));
  console.log(
    `${all.length} servers, ${sum(({ tools }) => tools)} tools: ${percent(
      sum(({ succeeded }) => succeeded),
      sum(({ calls }) => calls),
    )} of ${sum(({ calls }) => calls)} calls succeed on the control; mean of the servers ${percent(
      shares.reduce((total, share) => total + share, 0),
      shares.length,
    )}; ${sum(({ neverSucceeded }) => neverSucceeded.length)} tools never succeed`,
  );
  if (all.length === 0 || all.some(({ outcome, calls }) => outcome !== 'equal' || calls === 0)) process.exitCode = 1;
} finally {
  if (values.folder === undefined) await rm(installed, { recursive: true, force: true });
}

function percent(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(1)} %`;
}

function lineOf({ server, tools, calls, succeeded, neverSucceeded, outcome, noisy, seconds }: Measured): string {
  const never = neverSucceeded.length === 0 ? '' : `; never: ${neverSucceeded.join(', ')}`;
  return `${server}: ${tools} tools, ${succeeded} of ${calls} calls succeed (${percent(succeeded, calls)}), ${outcome}, ${noisy} noisy, ${seconds.toFixed(0)} s${never}`;
}
