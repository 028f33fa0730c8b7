/**
 * `npm run bench:profile -- "legacy tools/call"`: whose code one operation's time goes to, ours and the plain packages'
 * side by side.
 *
 *   --connections <n>   instead of 16: with one, the isolate is cold in between
 *   --operations <n>    instead of 4,000
 *   --tools <n>         instead of 1
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildAll } from './lib/build.ts';
import { createClient } from './lib/client.ts';
import { inspect } from './lib/inspector.ts';
import { ownersOf, sharesOf } from './lib/profile.ts';
import { HOSTED } from './lib/run.ts';
import { isOwn } from './lib/targets.ts';
import { operation, OPERATIONS } from './lib/wire.ts';
import { freePort, startWorkerd } from './lib/workerd.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    connections: { type: 'string', default: '16' },
    operations: { type: 'string', default: '4000' },
    tools: { type: 'string', default: '1' },
  },
});
const name = OPERATIONS.find((known) => known === positionals[0]);
if (name === undefined) {
  console.error(`Say which operation: ${OPERATIONS.map((known) => `"${known}"`).join(', ')}`);
  process.exitCode = 2;
} else {
  const scratch = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-bundles-'));
  try {
    const [plain, ours] = isOwn(name)
      ? (['plain-agent', 'own-agent'] as const)
      : ([name.startsWith('legacy') ? 'plain-agent' : 'plain-handler', 'ours'] as const);
    const bundles = await buildAll([ours, plain], scratch);
    for (const worker of [ours, plain]) await profile(name, worker, bundles[worker] ?? '');
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function profile(measured: (typeof OPERATIONS)[number], worker: string, bundle: string): Promise<void> {
  const [connections, operations, tools] = [values.connections, values.operations, values.tools].map(Number) as [
    number,
    number,
    number,
  ];
  const isHosted = measured === 'hosted tools/call';
  // The plain class answers in sessions only.
  const asked = isHosted && worker === 'plain-agent' ? 'legacy tools/call' : measured;
  const inspectorPort = await freePort();
  await using server = await startWorkerd(bundle, {
    vars: { TOOLS: String(tools), ...(isHosted && HOSTED) },
    inspectorPort,
  });
  await using isolate = await inspect(inspectorPort);
  const client = createClient(server.url, connections);
  const runs = await Promise.all(Array.from({ length: connections }, () => operation(client, asked, tools, false)));
  const each = Math.ceil(operations / connections);
  const all = async (times: number): Promise<void> => {
    await Promise.all(
      runs.map(async (run) => {
        for (let time = 0; time < times; time += 1) await run();
      }),
    );
  };
  await all(Math.ceil(each / 4));
  const shares = sharesOf(await isolate.profile(() => all(each)), ownersOf(await readFile(bundle, 'utf8')));
  client.close();
  const done = each * connections;
  const sum = shares.reduce((total, { us }) => total + us, 0);
  console.log(`\n${worker}: ${asked}, ${(sum / done).toFixed(0)} µs of the isolate's time each`);
  for (const { owner, us } of shares.filter((share) => share.us > sum / 100)) {
    console.log(`${(us / done).toFixed(0).padStart(7)} µs ${((us / sum) * 100).toFixed(0).padStart(3)} %  ${owner}`);
  }
}
