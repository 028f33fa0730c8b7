/** Runs the wrangler of the caller's project to its end and gives what it printed. Its log files go where nobody has to clear them up. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { OFFLINE_ENV } from '../../scripts/lib/wrangler.ts';
import { PROJECT_ROOT } from './project.ts';
import { couldNot } from './stop.ts';

function wranglerOfProject(): string {
  try {
    return createRequire(path.join(PROJECT_ROOT, 'package.json')).resolve('wrangler');
  } catch {
    throw couldNot(`There is no wrangler in ${PROJECT_ROOT}`, 'Install it: npm install --save-dev wrangler');
  }
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  /** What it complained of, without colours, in one line. */
  readonly complaint: string;
}

export type RunWrangler = (args: readonly string[]) => Promise<Ran>;

export const runWrangler: RunWrangler = async (args) => {
  const program = wranglerOfProject();
  const logs = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-cutover-'));
  try {
    const child = spawn(process.execPath, ['--no-warnings', program, ...args], {
      cwd: PROJECT_ROOT,
      env: {
        ...process.env,
        ...OFFLINE_ENV,
        NO_COLOR: '1',
        FORCE_COLOR: '0',
        WRANGLER_LOG_PATH: logs,
        // An empty one: wrangler refuses to touch local flags while it finds a server of the same name there, though that
        // server reads the same store and sees the change with its next request.
        WRANGLER_REGISTRY_PATH: path.join(logs, 'registry'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let error = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text));
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status) => resolve(status ?? 1));
    });
    return { code, out, complaint: complaintIn(stripVTControlCharacters(error)) };
  } finally {
    await rm(logs, { recursive: true, force: true });
  }
};

function complaintIn(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const error = lines.find((line) => line.includes('[ERROR]'));
  return (error ?? lines.find((line) => line !== '') ?? 'it printed nothing')
    .replace(/^.*\[ERROR\]\s*/, '')
    .replace(/\.+$/, '');
}
