import { exports } from 'cloudflare:workers';
import { it } from 'vitest';
import { callTool, laneTests } from 'hybrid-mcp/contract';

const tests = laneTests({
  send: (request) => exports.default.fetch(request),
  cases: [
    { name: 'add adds', steps: [callTool('add', { a: 2, b: 3 })] },
    {
      name: 'count goes on with its handle',
      steps: [callTool('count', { by: 2 }), callTool('count', { by: 3, handle: '<name 1>' })],
    },
  ],
});
for (const { name, run } of tests) it(name, run);
