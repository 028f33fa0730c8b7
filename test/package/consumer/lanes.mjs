// The same contract against a Worker that is served somewhere, in any runner: `node --test lanes.mjs`, with its URL in WORKER_URL.
import { test } from 'node:test';
import process from 'node:process';
import { callTool, laneTests } from 'hybrid-mcp/contract';

const tests = laneTests({
  send: fetch,
  origin: process.env['WORKER_URL'],
  cases: [
    { name: 'add adds', steps: [callTool('add', { a: 2, b: 3 })] },
    { name: 'count counts', steps: [callTool('count', { by: 2 })] },
  ],
});
for (const { name, run } of tests) test(name, run);
