/** `npm run cutover`: prints what the command answers and ends with its exit code. */
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { cutover } from './cutover/command.ts';

/** On the terminal, and not in what a script reads. */
async function ask(question: string): Promise<string> {
  using lines = createInterface({ input: process.stdin, output: process.stderr });
  return await lines.question(question);
}

const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
const { exitCode, out, error } = await cutover(process.argv.slice(2), {
  env: process.env,
  ...(isTerminal && { ask }),
});
if (out !== undefined) console.log(out);
if (error !== undefined) console.error(error);
process.exitCode = exitCode;
