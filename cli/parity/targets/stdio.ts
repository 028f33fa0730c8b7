/** A server as a child process: one JSON message a line on its standard input and output. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { Pending } from './pending.ts';
import { excerpt, MAX_ANSWER_BYTES, WireFault, type Wire } from './wire.ts';

/** How much of what the server says on standard error is kept for the cause. */
const ERROR_TAIL = 2_000;
const STOP_TIMEOUT_MS = 2_000;

export function stdioWire(command: readonly string[], env: Readonly<Record<string, string>> = {}): Wire {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const write = (message: object): void => {
    if (child.stdin.writable) child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  const pending = new Pending(write);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERROR_TAIL);
  });
  readLines(child.stdout.setEncoding('utf8'), pending);
  // A server that has ended closes the pipe under a message; its exit says more than this does.
  child.stdin.on('error', () => undefined);
  child.once('error', (cause) => {
    pending.fail(new WireFault('unreachable', `${program} could not be started: ${cause.message}`, { cause }));
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      const said = errors.trim() === '' ? '' : `, and said: ${excerpt(errors.slice(-400), 400)}`;
      pending.fail(new WireFault('died', `the process ended with ${how}${said}`));
      resolve();
    });
    child.once('error', () => resolve());
  });
  return {
    send: async (request, { timeoutMs }) => {
      const answer = pending.wait(request.id, request.method, timeoutMs);
      write(request);
      return { message: await answer };
    },
    notify: (method) => {
      write({ jsonrpc: '2.0', method });
      return Promise.resolve();
    },
    close: async () => {
      child.stdin.end();
      const soft = setTimeout(() => child.kill('SIGTERM'), STOP_TIMEOUT_MS / 4);
      const hard = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(soft);
      clearTimeout(hard);
    },
  };
}

function readLines(stream: NodeJS.ReadableStream, pending: Pending): void {
  let parts: string[] = [];
  let length = 0;
  stream.on('data', (chunk: string) => {
    const lines = chunk.split('\n');
    for (const [at, line] of lines.entries()) {
      parts.push(line);
      length += line.length;
      if (length > MAX_ANSWER_BYTES) {
        pending.fail(new WireFault('flood', `a line is longer than ${MAX_ANSWER_BYTES} characters`));
        parts = [];
        length = 0;
      }
      if (at === lines.length - 1) continue;
      const text = parts.join('').trim();
      parts = [];
      length = 0;
      if (text !== '') deliver(text, pending);
    }
  });
}

function deliver(text: string, pending: Pending): void {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    pending.fail(new WireFault('garbage', `a line on standard output is no JSON: ${excerpt(text)}`));
    return;
  }
  pending.deliver(message);
}
