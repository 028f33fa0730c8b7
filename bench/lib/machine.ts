/** Where and with what a benchmark ran: figures of another machine or of other versions say nothing about this one. */
import { readFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import * as v from 'valibot';
import { STORAGE_FOLDER } from './workerd.ts';
import { PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';

const PACKAGES = ['agents', '@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'zod', 'wrangler', 'workerd'];
const Package = v.pipe(v.string(), v.parseJson(), v.object({ version: v.string() }));

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Where the Durable Objects were stored. */
  readonly storage: string;
  readonly versions: Readonly<Record<string, string>>;
}

export async function machine(): Promise<Machine> {
  const versions = await Promise.all(
    PACKAGES.map(async (name) => {
      const file = path.join(PROJECT_ROOT, 'node_modules', name, 'package.json');
      return [name, v.parse(Package, await readFile(file, 'utf8')).version] as const;
    }),
  );
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    storage: STORAGE_FOLDER,
    versions: Object.fromEntries(versions),
  };
}

/** How busy the machine was over the last minute. */
export const load = (): number => Math.round((loadavg()[0] ?? 0) * 100) / 100;
