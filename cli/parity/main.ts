/** The program behind `mcp-parity` and `npm run parity`: prints, and ends with the exit code. */
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { mcpParity } from './command.ts';
import { progressView } from './report/progress.ts';

/** A terminal's signal reaches the program twice, by itself and through the one that started it. */
const ONE_SIGNAL_MS = 1_000;

async function main(): Promise<void> {
  const stop = new AbortController();
  const interrupt = (why: string | Error): void => {
    // Whoever asks again does not want to wait for a report.
    if (stop.signal.aborted && performance.now() - interruptedAt > ONE_SIGNAL_MS) process.exit(2);
    if (stop.signal.aborted) return;
    interruptedAt = performance.now();
    stop.abort(why);
  };
  let interruptedAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupt(signal));
  // Without this Node would end with 1, which says that something differs.
  process.on('uncaughtException', (error) => {
    process.stderr.write(`mcp-parity failed: ${error.message}\n`);
    interrupt(error);
  });
  const exitCode = await mcpParity(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    colour: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
    progress: () => progressView(process.stderr),
    signal: stop.signal,
  });
  process.exitCode = exitCode;
  // What was on its way when the run was interrupted would keep the program alive.
  if (stop.signal.aborted) process.stdout.write('', () => process.exit(exitCode));
}

// In the package everything is one file, and the thread for schemas begins here, too.
await (isMainThread ? main() : import('./schemas/thread.ts'));
