/**
 * Starts the wrangler of this project with this project's Node: no account, no telemetry, no look-ups on the network, and
 * no process left behind. Does not know what the server is for; see dev-server.ts and ../start.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';

export const PROJECT_ROOT = path.resolve(import.meta.dirname, '../..');

/** The program itself: `bin/wrangler.js` is a wrapper, one process more to start and to stop. */
const WRANGLER_CLI = createRequire(import.meta.url).resolve('wrangler');
const EXIT_WITH_PARENT = new URL('exit-with-parent.ts', import.meta.url).href;

/** What keeps wrangler and miniflare off the network: metrics, error reports, the update check, the cf.json look-up. */
export const OFFLINE_ENV = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
} as const;

export function spawnWrangler(
  args: readonly string[],
  output: 'inherit' | 'pipe',
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  return spawn(process.execPath, ['--no-warnings', '--import', EXIT_WITH_PARENT, WRANGLER_CLI, ...args], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...OFFLINE_ENV, ...env },
    stdio: ['ignore', output, output, 'ipc'],
  });
}

const ReadyEvent = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ event: v.literal('DEV_SERVER_READY'), ip: v.string(), port: v.number() }),
);

/** Resolves with the server's address once `wrangler dev` has told it; rejects if wrangler ends before. */
export function whenReady(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      const { success, output } = v.safeParse(ReadyEvent, message);
      if (success) resolve(`http://${output.ip}:${output.port}`);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error('wrangler dev ended before it was ready')));
  });
}

const HEALTH_POLL_MS = 25;

/** Waits for the first answer below 500: wrangler opens the port, and says so, before the Worker is built. */
export async function untilHealthy(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/healthz`, { signal });
    await response.body?.cancel();
    if (response.status < 500) return;
    await delay(HEALTH_POLL_MS, undefined, { signal });
  }
}

/** How long wrangler may take to close its workerd before it is killed. */
const STOP_TIMEOUT_MS = 5_000;

/** Asks wrangler to close workerd and waits until it has ended. Safe to call twice, and on a child that has ended. */
export async function stopWrangler(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

/** Kills what wrangler has started, with no chance to close anything. Linux only: it reads /proc. */
export async function killChildren({ pid }: ChildProcess): Promise<void> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const pids = children
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
  if (pids.length === 0) throw new Error('wrangler has no child to kill');
  for (const child of pids) process.kill(child, 'SIGKILL');
}
