/** Reads the configuration file and the files that it names, and checks each with its published schema. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import type { AllowedDifference } from '../../src/parity/allowed.ts';
import type { PathRule, SanitizerName } from '../../src/parity/sanitize.ts';
import type { ChangeClass } from '../../src/parity/surface/listing.ts';
import type { Json } from '../../src/shared/json.ts';
import { readScenarios, type Scenario } from './cases/scenario.ts';
import allowedSchema from './schema/allowed.schema.json' with { type: 'json' };
import configSchema from './schema/config.schema.json' with { type: 'json' };
import type { EraChoice } from './targets/target.ts';
import { compileSchema } from './validate.ts';

/** What was asked for makes no run, with what to do about it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface TargetConfig {
  readonly name?: string;
  readonly url?: string;
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly era?: EraChoice;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bearerEnv?: string;
  readonly passEnv?: readonly string[];
}

export interface Reports {
  readonly json?: string;
  readonly ndjson?: string;
  readonly junit?: string;
  readonly markdown?: string;
  readonly html?: string;
  readonly certificate?: string;
}

export interface Config {
  readonly control?: TargetConfig;
  readonly candidates?: readonly TargetConfig[];
  readonly cases?: number;
  readonly sequences?: number;
  readonly seed?: number;
  readonly concurrency?: number;
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly allowWrites?: boolean;
  readonly scenarios?: readonly string[];
  readonly recorded?: readonly string[];
  readonly examples?: readonly string[];
  readonly step?: string;
  readonly allowed?: string;
  readonly failOn?: ChangeClass;
  readonly slower?: { readonly factor?: number; readonly byMs?: number };
  readonly sanitize?: readonly SanitizerName[];
  readonly sanitizePaths?: readonly (Omit<PathRule, 'as'> & { readonly as?: PathRule['as'] })[];
  readonly reports?: Reports;
}

/** Files that the configuration names are found from where it lies. */
export async function readConfig(file: string): Promise<Config> {
  const config = (await readChecked(file, configSchema)) as unknown as Config;
  const from = (name: string): string => path.resolve(path.dirname(file), name);
  return {
    ...config,
    ...(config.allowed !== undefined && { allowed: from(config.allowed) }),
    ...(config.scenarios !== undefined && { scenarios: config.scenarios.map(from) }),
    ...(config.examples !== undefined && { examples: config.examples.map(from) }),
    ...(config.recorded !== undefined && { recorded: config.recorded.map(from) }),
  };
}

export async function readAllowed(file: string): Promise<readonly AllowedDifference[]> {
  const rows = (await readChecked(file, allowedSchema)) as unknown as readonly AllowedDifference[];
  const twice = rows.find(({ id }, at) => rows.findIndex((row) => row.id === id) !== at);
  if (twice !== undefined) throw new UsageError(`${file}: two rows have the id ${twice.id}. Give each its own.`);
  return rows;
}

export async function readScenarioFiles(files: readonly string[]): Promise<readonly Scenario[]> {
  const read = await Promise.all(files.map(async (file) => readScenarios(await textOf(file), file)));
  return read.flatMap((each) => {
    if (!each.ok) throw new UsageError(each.why);
    return each.scenarios;
  });
}

async function readChecked(file: string, schema: unknown): Promise<Json> {
  let value: unknown;
  try {
    value = parse(await textOf(file));
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    throw new UsageError(`${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  const compiled = compileSchema(schema);
  const problem = compiled.ok ? compiled.validate(value as Json) : compiled.why;
  if (problem !== undefined) throw new UsageError(`${file}: ${problem}`);
  return value as Json;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new UsageError(`${file} could not be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
