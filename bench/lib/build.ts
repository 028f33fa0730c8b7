/** Bundles a Worker of the benchmark exactly as a deployment would: `wrangler deploy --dry-run`, offline. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { gzipSync } from 'node:zlib';
import { OFFLINE_ENV, PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';

export const WORKERS = [
  'floor',
  'ours',
  'definitions',
  'stateless',
  'own-agent',
  'plain-handler',
  'plain-agent',
  'plain-hybrid',
] as const;
export type WorkerName = (typeof WORKERS)[number];

const OURS: ReadonlySet<WorkerName> = new Set(['ours', 'definitions', 'stateless', 'own-agent']);

/** Ours with the settings that it ships with, the others with the defaults; the entry is named on the command line. */
const configOf = (worker: WorkerName): string => `bench/workers/${OURS.has(worker) ? 'shipped' : 'wrangler'}.toml`;

const run = promisify(execFile);

/** @returns The bundle's file, one ES module without its bindings. */
async function build(worker: WorkerName, outdir: string): Promise<string> {
  const folder = path.join(outdir, worker);
  const args = ['deploy', `bench/workers/${worker}.ts`, '--config', configOf(worker), '--dry-run', '--outdir', folder];
  args.push('--metafile', metafileOf(folder));
  await run(process.execPath, ['--no-warnings', createRequire(import.meta.url).resolve('wrangler'), ...args], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...OFFLINE_ENV, WRANGLER_LOG_PATH: path.join(outdir, 'logs') },
  });
  return path.join(folder, `${worker}.js`);
}

const metafileOf = (folder: string): string => path.join(folder, 'meta.json');

export async function buildAll<Name extends WorkerName>(
  workers: readonly Name[],
  outdir: string,
): Promise<Readonly<Record<Name, string>>> {
  const built = await Promise.all(workers.map(async (worker) => [worker, await build(worker, outdir)] as const));
  return Object.fromEntries(built) as Record<Name, string>;
}

export interface BundleSize {
  readonly bytes: number;
  readonly gzipBytes: number;
}

export async function sizeOf(bundle: string): Promise<BundleSize> {
  const bytes = await readFile(path.resolve(PROJECT_ROOT, bundle));
  return { bytes: bytes.byteLength, gzipBytes: gzipSync(bytes).byteLength };
}

const Metafile = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    outputs: v.record(v.string(), v.object({ inputs: v.record(v.string(), v.object({ bytesInOutput: v.number() })) })),
  }),
);

/** What a bundle is made of: bytes by package, the largest first; our own code by folder. */
export async function partsOf(bundle: string): Promise<Readonly<Record<string, number>>> {
  const meta = v.parse(Metafile, await readFile(metafileOf(path.dirname(bundle)), 'utf8'));
  const parts = new Map<string, number>();
  for (const { inputs } of Object.values(meta.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const part =
        /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(file)?.[1] ??
        /(src\/[^/]+)\//.exec(file)?.[1] ??
        'other';
      parts.set(part, (parts.get(part) ?? 0) + bytesInOutput);
    }
  }
  return Object.fromEntries([...parts].sort(([, a], [, b]) => b - a).slice(0, MAX_PARTS));
}

const MAX_PARTS = 16;
