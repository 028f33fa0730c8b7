/** `npm start` as a person runs it, in a process group of its own, so that a test can see whether anything is left. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../../scripts/lib/wrangler.ts';

export interface NpmStart extends AsyncDisposable {
  readonly output: () => string;
  /** Resolves when the output has this text; rejects if the program ends before. */
  readonly prints: (text: string) => Promise<void>;
  /** Resolves with the exit code when the program and all that it started have let go of the terminal. */
  readonly closed: Promise<number | null>;
  readonly terminate: () => void;
  /** The processes of the group that run now. */
  readonly leftOver: () => Promise<readonly (readonly string[])[]>;
}

export function npmStart(...args: readonly string[]): NpmStart {
  const child = spawn('npm', ['start', '--', ...args], {
    cwd: PROJECT_ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const closed = once(child, 'close').then(([code]) => code as number | null);
  return {
    output: () => output,
    prints: (text) =>
      new Promise((resolve, reject) => {
        if (output.includes(text)) resolve();
        child.stdout.on('data', () => {
          if (output.includes(text)) resolve();
        });
        child.once('close', () => reject(new Error(`npm start ended before it printed "${text}":\n${output}`)));
      }),
    closed,
    terminate: () => child.kill('SIGTERM'),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await closed;
    },
    leftOver: async () => {
      const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pgid=,stat=,args=']);
      const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/));
      // A process that has ended stays in the list, as Z, until its adoptive parent has looked at it.
      return processes.filter(([group, state]) => Number(group) === child.pid && !state?.startsWith('Z'));
    },
  };
}

/** Holds a port that was free; it is free again once released. */
export async function takePort(): Promise<{ port: number; release: () => Promise<void> }> {
  const server = createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has a port');
  return {
    port: address.port,
    release: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
