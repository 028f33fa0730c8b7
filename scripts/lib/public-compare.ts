/** Compares a public server with itself, with another version of it, or with itself and a planted fault. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import type { RunReport } from '../../cli/parity/run/report.ts';
import { runParity } from '../../cli/parity/run/run.ts';
import type { Address, Target } from '../../cli/parity/targets/target.ts';
import type { PublicServer } from './public-servers.ts';

const exec = promisify(execFile);
const PROXY = path.join(import.meta.dirname, 'planting-proxy.ts');
const FOLDER = '<folder>';

/** Without scripts of theirs: what runs is what is named here. */
export async function install(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--save-exact'];
  await exec('npm', ['install', ...flags, ...packages], { cwd: folder, maxBuffer: 2 ** 26 });
}

export interface Comparison {
  readonly server: PublicServer;
  /** Where the control and the candidate are installed. */
  readonly control: string;
  readonly candidate: string;
  /** The name of a fault that is planted into the candidate. */
  readonly fault?: string;
  /** The tools that are called; all of them, if none is named. */
  readonly only?: readonly string[];
  readonly cases: number;
  /** Sequences of calls for stateful tools; as many as the command makes by itself, if it is not said. */
  readonly sequences?: number;
  readonly seed: number;
  readonly timeoutMs: number;
}

export interface Compared {
  readonly report: RunReport;
  /** How many answers the fault has changed. */
  readonly planted: number;
}

export async function compare(comparison: Comparison): Promise<Compared> {
  const { server, fault } = comparison;
  const scratch = await mkdtemp(path.join(tmpdir(), 'parity-public-'));
  const folder = path.join(scratch, 'work');
  const counted = path.join(scratch, 'planted');
  const began = process.cwd();
  try {
    await seeded(folder);
    // Some servers look only into the folder that they are started in.
    process.chdir(folder);
    const candidate = addressOf(server, comparison.candidate, folder);
    const report = await runParity({
      control: target('control', addressOf(server, comparison.control, folder)),
      candidates: [target('candidate', fault === undefined ? candidate : withFault(candidate, fault, counted))],
      cases: comparison.cases,
      ...(comparison.sequences !== undefined && { sequences: comparison.sequences }),
      seed: comparison.seed,
      concurrency: 4,
      timeoutMs: comparison.timeoutMs,
      connectTimeoutMs: 60_000,
      // Most of them say nothing about writing, and what they write to is a folder that is thrown away.
      selection: { only: comparison.only ?? [], skip: server.skip ?? [], allowWrites: true },
      scenarios: [],
      recorded: [],
      allowed: [],
      sanitize: { names: ['timestamp', 'uuid', 'epoch-ms', 'duration'], paths: [] },
      failOn: 'non-breaking',
      slower: { factor: 10, byMs: 5_000 },
    });
    return { report, planted: (await readFile(counted, 'utf8').catch(() => '')).length };
  } finally {
    process.chdir(began);
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
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
  await cp(folder, `${folder}-kept`, { recursive: true });
}

type Stdio = Extract<Address, { kind: 'stdio' }>;

function addressOf({ name, program, args = [], env = {} }: PublicServer, installed: string, folder: string): Stdio {
  const filled = (text: string): string => text.replaceAll(FOLDER, folder);
  return {
    kind: 'stdio',
    command: [process.execPath, path.join(installed, 'node_modules', name, program), ...args.map(filled)],
    env: { HOME: folder, ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, filled(value)])) },
  };
}

const withFault = (address: Stdio, fault: string, counted: string): Stdio => ({
  ...address,
  command: [process.execPath, '--no-warnings', PROXY, fault, counted, ...address.command],
});

const target = (name: string, address: Address): Target => ({ name, address, era: '2025', headers: {} });
