/**
 * `npm run bench:memory`: 1,000 open legacy sessions, then a steady load on all lanes, and what the Worker's process
 * holds of memory on the way.
 *
 *   --sessions <n>   instead of 1,000
 *   --minutes <n>    instead of 10
 *   --json           prints the samples as JSON
 *
 * The process may grow until its garbage is collected, so what is judged is the isolate after a collection. Ends with 1
 * when that grew by more than a tenth during the load.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildAll } from './lib/build.ts';
import { createClient } from './lib/client.ts';
import { inspect } from './lib/inspector.ts';
import { load, machine } from './lib/machine.ts';
import { rssMbOf } from './lib/process.ts';
import { median } from './lib/stats.ts';
import { openSession, operation } from './lib/wire.ts';
import { freePort, startWorkerd } from './lib/workerd.ts';

const TOOLS = 50;
const SAMPLE_MS = 2_000;
const GROWTH = 1.1;

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
});
const sessions = Number(values.sessions);
const loadMs = Number(values.minutes) * 60_000;

interface Sample {
  readonly second: number;
  readonly rssMb: number;
  readonly operations: number;
}

const scratch = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-bundles-'));
try {
  const { ours } = await buildAll(['ours'], scratch);
  const inspectorPort = await freePort();
  await using server = await startWorkerd(ours, { vars: { TOOLS: String(TOOLS) }, inspectorPort });
  await using isolate = await inspect(inspectorPort);
  const client = createClient(server.url, 4);
  const started = { rss: rssMbOf(server.pid), heap: await isolate.heapMb() };
  for (let opened = 0; opened < sessions; opened += 1) await openSession(client);
  const withSessions = { rss: rssMbOf(server.pid), heap: await isolate.heapMb() };

  const names = ['modern tools/call', 'modern tools/list', 'compat tools/call', 'legacy tools/call'] as const;
  const runs = await Promise.all(names.map(async (name) => operation(client, name, TOOLS, false)));
  // The first calls fill caches.
  for (const run of runs) for (let call = 0; call < 100; call += 1) await run();
  const warm = await isolate.heapMb();
  const beganAt = performance.now();
  const samples: Sample[] = [];
  let operations = 0;
  let sampledAt = 0;
  for (let now = beganAt; now - beganAt < loadMs; now = performance.now()) {
    await Promise.all(runs.map(async (run) => run()));
    operations += runs.length;
    if (now - sampledAt < SAMPLE_MS) continue;
    sampledAt = now;
    samples.push({ second: Math.round((now - beganAt) / 1000), rssMb: rssMbOf(server.pid), operations });
  }
  const after = await isolate.heapMb();
  client.close();

  const part = (from: number, to: number): number =>
    Math.round(median(samples.slice(samples.length * from, samples.length * to).map(({ rssMb }) => rssMb)));
  const result = {
    machine: await machine(),
    load: load(),
    sessions,
    minutes: Number(values.minutes),
    operations,
    heapMb: { started: started.heap, withSessions: withSessions.heap, warm, after },
    rssMb: {
      started: started.rss,
      withSessions: withSessions.rss,
      firstHalf: part(0, 0.5),
      lastQuarter: part(0.75, 1),
    },
    ...(values.json && { samples }),
  };
  console.log(JSON.stringify(result, undefined, 2));
  process.exitCode = after <= warm * GROWTH ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}
