/**
 * A real local server for tests, the demo and the benchmark: `wrangler dev` on a free loopback port with storage of its
 * own. Starting resolves when the Worker has answered once; stopping leaves neither process nor storage behind.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { storeVar } from './local-store.ts';
import { killChildren, spawnWrangler, stopWrangler, untilHealthy, whenReady } from './wrangler.ts';

export interface DevServerOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Where Durable Objects are kept. Without it a new folder that `stop` removes; give one to restart with its state. */
  readonly persistTo?: string;
  /** Overrides `[vars]` of wrangler.toml. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Another wrangler configuration file, relative to the project; without it the one of the environment, or the shipped one. */
  readonly config?: string;
  /** How long the first answer may take: bundling on a busy machine is the longest part. */
  readonly startTimeoutMs?: number;
}

export interface DevServer extends AsyncDisposable {
  /** Without a slash at the end, for example `http://127.0.0.1:43215`. */
  readonly url: string;
  /** What wrangler and the Worker have printed so far. */
  output(): string;
  /** Ends the server and waits for it. Can be called twice. */
  stop(): Promise<void>;
  /** Kills workerd without any warning, as a crash of the machine would, and then ends the rest. */
  kill(): Promise<void>;
}

/** The configuration of a Worker that is not named: the tests run on one that keeps what the shipped one may lose. */
const CONFIG_VARIABLE = 'DEV_SERVER_CONFIG';
const START_TIMEOUT_MS = 90_000;

export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-'));
  const child = spawnWrangler(devArgs(options, scratch), 'pipe', {
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    // Servers that run side by side must not find each other, and their logs end with them.
    WRANGLER_REGISTRY_PATH: path.join(scratch, 'registry'),
    WRANGLER_LOG_PATH: path.join(scratch, 'logs'),
  });
  const output = collectOutput(child);
  const stop = async (): Promise<void> => {
    await stopWrangler(child);
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  };

  try {
    const signal = AbortSignal.timeout(options.startTimeoutMs ?? START_TIMEOUT_MS);
    const url = await Promise.race([whenServing(child, signal), failure(child, output, signal)]);
    const kill = async (): Promise<void> => {
      await killChildren(child);
      await stop();
    };
    return { url, output, stop, kill, [Symbol.asyncDispose]: stop };
  } catch (cause) {
    await stop();
    throw new Error(`The local server did not start. It printed:\n${output()}`, { cause });
  }
}

async function whenServing(child: ChildProcess, signal: AbortSignal): Promise<string> {
  const url = await whenReady(child);
  await untilHealthy(url, signal);
  return url;
}

function devArgs(options: DevServerOptions, scratch: string): string[] {
  const args = ['dev', '--ip', '127.0.0.1', '--port', String(options.port ?? 0), '--inspector-port', '0'];
  args.push('--show-interactive-dev-session=false');
  const store = options.persistTo ?? path.join(scratch, 'state');
  args.push('--persist-to', store, ...storeVar(store));
  const config = options.config ?? process.env[CONFIG_VARIABLE];
  if (config !== undefined) args.push('--config', config);
  for (const [name, value] of Object.entries(options.vars ?? {})) args.push('--var', `${name}:${value}`);
  return args;
}

function collectOutput(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  // wrangler colours its errors even when told not to.
  return () => stripVTControlCharacters(output);
}

/** Rejects when nothing is to be hoped for: time is up, or the build failed and wrangler now waits for an edit. */
function failure(child: ChildProcess, output: () => string, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('no answer in time')), { once: true });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', () => {
        if (output().includes('[ERROR]')) reject(new Error('wrangler reported an error'));
      });
    }
  });
}
