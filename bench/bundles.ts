/**
 * `npm run bench:bundles`: what a Worker weighs that uses one part of the package, against the plain package that it
 * stands in for, bundled as a deployment bundles it. Writes the table into docs/performance.md; `--check` writes nothing.
 *
 * Ends with 1 when a part weighs more than its limit over the plain package: then something is no longer left out.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { PROJECT_ROOT } from '../scripts/lib/wrangler.ts';
import { buildAll, sizeOf, type WorkerName } from './lib/build.ts';
import { between } from './lib/write.ts';

interface Row {
  readonly uses: string;
  readonly ours: WorkerName;
  readonly plain: WorkerName;
  /** Ours by plain, gzipped. */
  readonly limit: number;
}

const ROWS: readonly Row[] = [
  { uses: 'definitions only: `hybrid-mcp/define`', ours: 'definitions', plain: 'plain-handler', limit: 0.6 },
  {
    uses: 'the stateless lanes: `createHybrid` without `legacy`',
    ours: 'stateless',
    plain: 'plain-handler',
    // Beside the handler: flags with OpenFeature, the operator's API with its sign-in, the census, states that wait.
    limit: 1.55,
  },
  { uses: 'everything: `createHybrid` with `legacyLane()`', ours: 'ours', plain: 'plain-hybrid', limit: 1.15 },
  { uses: 'an agent of your own: `hybrid-mcp/agent`', ours: 'own-agent', plain: 'plain-hybrid', limit: 1.15 },
];
const PLAIN: Readonly<Partial<Record<WorkerName, string>>> = {
  'plain-handler': '`createMcpHandler`',
  'plain-hybrid': '`McpAgent` and `createMcpHandler`',
};
const PAGE = path.join(PROJECT_ROOT, 'docs/performance.md');
const kb = (bytes: number): string => `${Math.round(bytes / 1000)} KB`;

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const scratch = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-bundles-'));
try {
  const bundles = await buildAll([...new Set(ROWS.flatMap(({ ours, plain }) => [ours, plain]))], scratch);
  const rows = await Promise.all(
    ROWS.map(async (row) => {
      const [ours, plain] = await Promise.all([sizeOf(bundles[row.ours]), sizeOf(bundles[row.plain])]);
      return { ...row, size: ours, against: plain, ratio: ours.gzipBytes / plain.gzipBytes };
    }),
  );
  const table = [
    '| a Worker that uses | gzipped | the plain package in its place | gzipped | ratio | limit |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      ({ uses, size, plain, against, ratio, limit }) =>
        `| ${uses} | ${kb(size.gzipBytes)} | ${PLAIN[plain] ?? plain} | ${kb(against.gzipBytes)} | ${ratio.toFixed(2)} | ${limit} |`,
    ),
  ].join('\n');
  console.log(table);
  if (!values.check) await writeFile(PAGE, between(await readFile(PAGE, 'utf8'), 'bundles', `\n${table}\n`));
  process.exitCode = rows.every(({ ratio, limit }) => ratio <= limit) ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}
