/**
 * `npm run bench:size`: what our Worker weighs and how long it takes to start, against both packages in one Worker
 * without a line of ours.
 *
 *   --rounds <n>   starts of each Worker, interleaved; 10 where absent
 *
 * Ends with 1 when start-up costs over 10 % or the gzipped bundle weighs over 15 % more than the plain hybrid.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildAll, partsOf, sizeOf } from './lib/build.ts';
import { machine, load } from './lib/machine.ts';
import { cpuMsOf } from './lib/process.ts';
import { median } from './lib/stats.ts';
import { startWorkerd } from './lib/workerd.ts';

const STARTUP_LIMIT = 1.1;
const SIZE_LIMIT = 1.15;
/** The shipped catalogue's size, about. */
const TOOLS = '10';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } });
const NAMES = ['floor', 'plain-hybrid', 'ours'] as const;

const scratch = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-bundles-'));
try {
  const bundles = await buildAll(NAMES, scratch);
  const starts = Object.fromEntries(NAMES.map((name) => [name, { ms: [] as number[], cpuMs: [] as number[] }]));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const name of NAMES) {
      await using server = await startWorkerd(bundles[name], { vars: { TOOLS } });
      starts[name]?.ms.push(server.startMs);
      starts[name]?.cpuMs.push(cpuMsOf(server.pid));
    }
  }
  const start = (name: (typeof NAMES)[number], what: 'ms' | 'cpuMs'): number =>
    Math.round(median(starts[name]?.[what] ?? []) - median(starts['floor']?.[what] ?? []));
  const size = { plain: await sizeOf(bundles['plain-hybrid']), ours: await sizeOf(bundles.ours) };
  const ratio = (ours: number, plain: number): number => Math.round((ours / plain) * 1000) / 1000;
  const result = {
    machine: await machine(),
    load: load(),
    gzipBytes: {
      plain: size.plain.gzipBytes,
      ours: size.ours.gzipBytes,
      ratio: ratio(size.ours.gzipBytes, size.plain.gzipBytes),
    },
    bytes: { plain: size.plain.bytes, ours: size.ours.bytes, ratio: ratio(size.ours.bytes, size.plain.bytes) },
    startMsAboveFloor: { plain: start('plain-hybrid', 'ms'), ours: start('ours', 'ms') },
    startCpuMsAboveFloor: {
      plain: start('plain-hybrid', 'cpuMs'),
      ours: start('ours', 'cpuMs'),
      ratio: ratio(start('ours', 'cpuMs'), start('plain-hybrid', 'cpuMs')),
    },
    partsOfOurs: await partsOf(bundles.ours),
  };
  console.log(JSON.stringify(result, undefined, 2));
  const holds = result.gzipBytes.ratio <= SIZE_LIMIT && result.startCpuMsAboveFloor.ratio <= STARTUP_LIMIT;
  process.exitCode = holds ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}
