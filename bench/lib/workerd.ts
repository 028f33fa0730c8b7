/**
 * One workerd process for one bundle, with stored Durable Objects and nothing in front of it: the proxy of `wrangler dev`
 * costs more than the Workers that are compared.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { untilHealthy } from '../../scripts/lib/wrangler.ts';
import { configText } from './workerd-config.ts';

export interface Workerd extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to the first answer. */
  readonly startMs: number;
}

export interface WorkerdOptions {
  readonly vars?: Readonly<Record<string, string>>;
  readonly inspectorPort?: number;
}

const START_TIMEOUT_MS = 60_000;
/** Storage in memory, where the system has it: how long a disk takes for a file depends on who used it just before. */
const MEMORY_FOLDER = '/dev/shm';
export const STORAGE_FOLDER = existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();

export async function startWorkerd(bundle: string, options: WorkerdOptions = {}): Promise<Workerd> {
  const scratch = await mkdtemp(path.join(STORAGE_FOLDER, 'hybrid-mcp-bench-'));
  const port = await freePort();
  const config = path.join(scratch, 'config.capnp');
  await writeFile(path.join(scratch, 'worker.js'), await readFile(bundle));
  await writeFile(config, configText(await readFile(bundle, 'utf8'), scratch, port, options.vars ?? {}));
  const startedAt = performance.now();
  const inspector = options.inspectorPort === undefined ? [] : [`--inspector-addr=127.0.0.1:${options.inspectorPort}`];
  // Its log is written, as it ships, and read by nobody.
  const child = spawn(workerdBinary(), ['serve', config, '--experimental', ...inspector], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4000);
  });
  // workerd does not notice when its parent is gone.
  const reap = (): void => void child.kill('SIGKILL');
  process.once('exit', reap);
  const stop = async (): Promise<void> => {
    process.off('exit', reap);
    await end(child);
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(START_TIMEOUT_MS), exited(child)]);
    await untilListening(url, signal);
    return { url, pid: child.pid ?? 0, startMs: performance.now() - startedAt, [Symbol.asyncDispose]: stop };
  } catch (cause) {
    await stop();
    throw new Error(`workerd did not start. It printed:\n${output}`, { cause });
  }
}

/** The port opens late: until then connections are refused. */
async function untilListening(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await untilHealthy(url, signal);
    } catch (cause) {
      if (signal.aborted) throw cause;
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
  }
}

function exited(child: ChildProcess): AbortSignal {
  const controller = new AbortController();
  child.once('exit', () => controller.abort(new Error('workerd ended')));
  return controller.signal;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function workerdBinary(): string {
  const wrangler = createRequire(import.meta.url).resolve('wrangler');
  const workerd = createRequire(createRequire(wrangler).resolve('miniflare')).resolve('workerd');
  return (createRequire(workerd)(workerd) as { default: string }).default;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}
