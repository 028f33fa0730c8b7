/** The program behind `mcp-parity` and `npm run parity`: prints, and ends with the exit code. */
import process from 'node:process';
import { mcpParity } from './command.ts';
import { progressView } from './report/progress.ts';

// Without this Node would end with 1, which says that something differs.
process.on('uncaughtException', (error) => {
  process.stderr.write(`mcp-parity failed: ${error.message}\n`);
  process.exit(2);
});

process.exitCode = await mcpParity(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  colour: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
  progress: () => progressView(process.stderr),
});
