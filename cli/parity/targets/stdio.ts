/** A server as a child process: one JSON message a line on its standard input and output. */
import { spawn } from 'node:child_process';
import { Pending } from './pending.ts';
import { excerpt, MAX_ANSWER_BYTES, WireFault, type Notify, type Wire } from './wire.ts';

/** How much of what the server says on standard error is kept for the cause. */
const ERROR_TAIL = 2_000;
const STOP_TIMEOUT_MS = 2_000;

/** @param env Everything that the program gets to see of the environment. */
export function stdioWire(command: readonly string[], env: NodeJS.ProcessEnv, notify: Notify): Wire {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const write = (message: object): void => {
    if (child.stdin.writable) child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  const pending = new Pending(write, notify);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERROR_TAIL);
  });
  readLines(child.stdout.setEncoding('utf8'), pending);
  // A server that has ended closes the pipe under a message; its exit says more than this does.
  child.stdin.on('error', () => undefined);
  child.once('error', (cause) => {
    const why = `${program} could not be started: ${cause.message}${scriptHint(program, process.platform)}`;
    pending.fail(new WireFault('unreachable', why, { cause }));
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      const said = errors.trim() === '' ? '' : `, and said: ${excerpt(lastOf(errors), 400)}`;
      pending.fail(new WireFault('died', `the process ended with ${how}${said}`));
      resolve();
    });
    child.once('error', () => resolve());
  });
  return {
    get ended() {
      return pending.failed;
    },
    send: async (request, { timeoutMs }) => {
      const answer = pending.wait(request, timeoutMs);
      write(request);
      return answer;
    },
    notify: (method) => {
      write({ jsonrpc: '2.0', method });
      return Promise.resolve();
    },
    close: async () => {
      child.stdin.end();
      const soft = setTimeout(() => child.kill('SIGTERM'), STOP_TIMEOUT_MS / 4);
      const hard = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      // A grandchild may hold the pipes open for ever.
      const left = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, STOP_TIMEOUT_MS * 1.5);
      await ended;
      for (const timer of [soft, hard, left]) clearTimeout(timer);
    },
  };
}

/** On Windows `npx` and its like are scripts of the command line's, which are no programs. */
export const scriptHint = (program: string, platform: NodeJS.Platform): string =>
  platform === 'win32' && !/\.(?:exe|com)$/i.test(program)
    ? `. A script such as npx needs its interpreter: stdio:cmd /c ${program} …`
    : '';

/** The end of what was said, from the beginning of a word: half a secret could not be told from other text. */
const lastOf = (errors: string): string => (errors.length <= 400 ? errors : errors.slice(-400).replace(/^\S*\s?/, ''));

function readLines(stream: NodeJS.ReadableStream, pending: Pending): void {
  let parts: string[] = [];
  let length = 0;
  stream.on('data', (chunk: string) => {
    if (pending.failed !== undefined) return;
    const lines = chunk.split('\n');
    for (const [at, line] of lines.entries()) {
      parts.push(line);
      length += line.length;
      if (length > MAX_ANSWER_BYTES) {
        pending.fail(new WireFault('flood', `a line is longer than ${MAX_ANSWER_BYTES} characters`));
        return;
      }
      if (at === lines.length - 1) continue;
      const text = parts.join('').trim();
      parts = [];
      length = 0;
      if (text !== '') pending.read(text);
    }
  });
}
