/**
 * A stdio server with a fault: `node planting-proxy.ts <fault> <file> <program> [arguments]` runs the program, and plants the
 * fault into its answers. Each answer that it changes is one byte more in the file, so that a fault which had nothing to
 * change is told from one that was not found.
 */
/* oxlint-disable unicorn/no-process-exit -- it ends as the program does that it stands for */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { PLANTED, type Asked, type ServerAnswer } from './planted-faults.ts';

const [fault = '', counted = '', program = '', ...args] = process.argv.slice(2);
const plant = PLANTED[fault];
if (plant === undefined)
  throw new TypeError(`There is no fault "${fault}". There are: ${Object.keys(PLANTED).join(', ')}`);

const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
server.once('exit', (code) => process.exit(code ?? 1));
const asked = new Map<unknown, Asked>();
let firstTool: string | undefined;
let lastResult: ServerAnswer['result'];

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line) as { id?: unknown; method?: string; params?: Asked['params'] };
    if (id !== undefined && method !== undefined) asked.set(id, { method, params: params ?? {} });
    server.stdin.write(`${line}\n`);
  })
  .once('close', () => server.stdin.end());

createInterface({ input: server.stdout }).on('line', (line) => {
  let answer: ServerAnswer;
  try {
    answer = JSON.parse(line) as ServerAnswer;
  } catch {
    return void process.stdout.write(`${line}\n`);
  }
  const question = asked.get(answer.id);
  if (question === undefined) return void process.stdout.write(`${line}\n`);
  asked.delete(answer.id);
  if (question.method === 'tools/call') firstTool ??= String(question.params['name']);
  const planted = plant(answer, question, { firstTool, lastResult });
  if (question.method === 'tools/call') lastResult = answer.result ?? lastResult;
  const text = typeof planted === 'string' ? planted : JSON.stringify(planted);
  if (text !== JSON.stringify(answer)) appendFileSync(counted, '.');
  if (planted === 'crash') process.exit(1);
  if (planted !== 'hang') process.stdout.write(`${text}\n`);
});
