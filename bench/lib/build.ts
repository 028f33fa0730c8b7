/** Bundles a Worker of the benchmark exactly as a deployment would: `wrangler deploy --dry-run`, offline. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { OFFLINE_ENV, PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';

export const WORKERS = ['floor', 'ours', 'plain-handler', 'plain-agent', 'plain-hybrid'] as const;
export type WorkerName = (typeof WORKERS)[number];

/** How the Workers are bundled; the entry is named on the command line. */
const CONFIG = 'bench/workers/wrangler.toml';

const run = promisify(execFile);

/** @returns The bundle's file, one ES module without its bindings. */
export async function build(worker: WorkerName, outdir: string): Promise<string> {
  const folder = path.join(outdir, worker);
  const args = ['deploy', `bench/workers/${worker}.ts`, '--config', CONFIG, '--dry-run', '--outdir', folder];
  await run(process.execPath, ['--no-warnings', createRequire(import.meta.url).resolve('wrangler'), ...args], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...OFFLINE_ENV, WRANGLER_LOG_PATH: path.join(outdir, 'logs') },
  });
  return path.join(folder, `${worker}.js`);
}

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
