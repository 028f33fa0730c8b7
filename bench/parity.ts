/**
 * `npm run bench:parity`: how much the comparison adds to the servers' own time. The same recorded calls to the same two
 * servers, 16 at a time, once by a bare loop that only reads the answers and once by the comparison, in turns. Counts
 * from the first verdict to the last, so that connecting and the wait for noise, which are there once a run, are not in
 * it. Ends with 1 when the comparison has less than 90 % of the bare loop's throughput.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pool } from '../cli/parity/run/pool.ts';
import { runParity } from '../cli/parity/run/run.ts';

const CALLS = 4_000;
const CONCURRENCY = 16;
const ROUNDS = 5;
const LEAST = 0.9;

interface Server {
  readonly url: string;
  readonly child: ChildProcess;
}

async function start(): Promise<Server> {
  const child = spawn(process.execPath, ['--no-warnings', path.join(import.meta.dirname, 'parity-server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { url: `http://127.0.0.1:${port.trim()}/mcp`, child };
}

const paramsOf = (call: number) => ({ name: 'echo', arguments: { text: `call ${call} ${'x'.repeat(200)}` } });

/** Calls a second of a loop that sends each call to both servers and parses both answers. */
async function bare(urls: readonly string[]): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const send = (url: string, call: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: call + 1, method: 'tools/call', params: paramsOf(call) });
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': Buffer.byteLength(body),
      };
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.once('end', () => resolve(JSON.parse(text)));
      });
      sent.once('error', reject).end(body);
    });
  const startedAt = performance.now();
  await pool(Array.from({ length: CALLS }).keys(), CONCURRENCY, async (call) => {
    await Promise.all(urls.map((url) => send(url, call)));
  });
  agent.destroy();
  return (CALLS / (performance.now() - startedAt)) * 1_000;
}

async function compared(urls: readonly string[], file: string): Promise<number> {
  const [control, candidate] = urls.map(
    (url, at) =>
      ({ name: at === 0 ? 'control' : 'candidate', address: { kind: 'http', url }, era: '2025', headers: {} }) as const,
  );
  if (control === undefined || candidate === undefined) throw new TypeError('two servers are needed');
  let [first, last, judged] = [0, 0, 0];
  const report = await runParity(
    {
      control,
      candidates: [candidate],
      cases: 0,
      seed: 1,
      concurrency: CONCURRENCY,
      timeoutMs: 30_000,
      connectTimeoutMs: 30_000,
      selection: { only: [], skip: [], allowWrites: false },
      scenarios: [],
      recorded: [file],
      allowed: [],
      sanitize: { names: [], paths: [] },
      failOn: 'non-breaking',
      slower: { factor: 3, byMs: 1_000 },
    },
    {
      onJudged: () => {
        last = performance.now();
        judged += 1;
        if (judged === 1) first = last;
      },
    },
  );
  if (report.counts.match !== CALLS) throw new Error(`${report.counts.match} of ${CALLS} calls matched`);
  return ((judged - 1) / (last - first)) * 1_000;
}

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

const folder = await mkdtemp(path.join(tmpdir(), 'parity-bench-'));
const servers = await Promise.all([start(), start()]);
try {
  const urls = servers.map(({ url }) => url);
  const file = path.join(folder, 'calls.ndjson');
  await writeFile(
    file,
    Array.from(
      { length: CALLS },
      (_each, call) => `${JSON.stringify({ method: 'tools/call', params: paramsOf(call) })}\n`,
    ).join(''),
  );
  const ratios: number[] = [];
  // The first of each is warm-up, in which everything is compiled.
  await bare(urls);
  await compared(urls, file);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const loop = await bare(urls);
    const ours = await compared(urls, file);
    ratios.push(ours / loop);
    console.log(
      `round ${round}: bare loop ${loop.toFixed(0)} calls/s, comparison ${ours.toFixed(0)} calls/s, ${((ours / loop) * 100).toFixed(1)} %`,
    );
  }
  const middle = median(ratios);
  console.log(
    `${CALLS} calls to two servers, ${CONCURRENCY} at a time: ${(middle * 100).toFixed(1)} % of the bare loop (at least ${LEAST * 100} % wanted)`,
  );
  process.exitCode = middle >= LEAST ? 0 : 1;
} finally {
  for (const { child } of servers) child.stdin?.end();
  await rm(folder, { recursive: true, force: true });
}
