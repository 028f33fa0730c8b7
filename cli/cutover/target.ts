/** Which Worker and which flags a command is for: read from its flags and the wrangler configuration, and checked before anything is asked. */
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { parseConfiguration } from '../../scripts/lib/wrangler-configuration.ts';
import { withScheme } from '../web-address.ts';
import type { Status } from './answers.ts';
import { DEFAULT_STORE, PROJECT_ROOT } from './project.ts';
import { couldNot } from './stop.ts';

export interface TargetFlags {
  readonly url: string;
  readonly local?: boolean;
  readonly remote?: boolean;
  readonly persistTo?: string;
  readonly app?: string;
  /** `route=key` each. */
  readonly flagKey?: readonly string[];
  readonly config: string;
  readonly env?: string;
  /** False if the Worker is not asked, because it does not answer. */
  readonly audit?: boolean;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
export const isLoopback = (url: string): boolean => LOOPBACK.has(new URL(url).hostname);

/** The address without a slash at the end. The token must not travel where others can read it. */
export function readUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    const meant = withScheme(text);
    throw couldNot(
      `--url "${text}" is not a web address`,
      meant === undefined ? 'Use for example --url https://worker.example.workers.dev' : `Use --url ${meant}`,
    );
  }
  if (text.startsWith('http:') && !isLoopback(text)) {
    throw couldNot(`--url "${text}" would send the token unencrypted`, 'Use https://.');
  }
  return text.replace(/\/+$/, '');
}

export interface StoreTarget {
  readonly appId: string;
  readonly persistTo: string | undefined;
  readonly config: string;
}

/**
 * A Worker on this machine has its flags on this machine, unless it is said otherwise.
 * @param told What the running Worker says of its store and its bindings.
 */
export async function readStore(
  flags: TargetFlags,
  told?: Pick<Status, 'localStore' | 'bindings'>,
): Promise<StoreTarget> {
  if (flags.local === true && flags.remote === true)
    throw couldNot('--local and --remote exclude each other', 'Use one of them.');
  const isLocal = flags.local === true || (flags.remote !== true && isLoopback(readUrl(flags.url)));
  if (!isLocal && flags.persistTo !== undefined)
    throw couldNot('--persist-to names a local store', 'Add --local, or leave it out.');
  const appId = flags.app ?? (await appIdIn(flags, told?.bindings?.flags ?? 'FLAGS'));
  return {
    appId,
    persistTo: isLocal ? await localStore(flags.persistTo, told?.localStore ?? undefined) : undefined,
    config: flags.config,
  };
}

/** A store that the Worker does not read would take a change without a word, and nothing would come of it. */
async function localStore(named: string | undefined, told: string | undefined): Promise<string> {
  const folder = path.resolve(named ?? told ?? DEFAULT_STORE);
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) {
    throw couldNot(
      `There is no local flag store at ${folder}`,
      'Start the Worker (npm start), or name the folder that it was given with --persist-to. --remote is for the Flagship app.',
    );
  }
  if (told !== undefined && named !== undefined && real !== (await realpath(told).catch(() => told))) {
    throw couldNot(
      `The Worker has its flags in ${told}, and not in ${folder}`,
      'Leave --persist-to out, or name another Worker with --url.',
    );
  }
  return folder;
}

const Section = v.looseObject({
  flagship: v.optional(v.array(v.looseObject({ binding: v.string(), app_id: v.string() })), []),
  durable_objects: v.optional(
    v.looseObject({ bindings: v.optional(v.array(v.looseObject({ name: v.string(), class_name: v.string() })), []) }),
  ),
});
const Configuration = v.looseObject({ ...Section.entries, env: v.optional(v.record(v.string(), Section), {}) });
export type Configuration = v.InferOutput<typeof Configuration>;

/** Of the project, wherever the command is called. */
export const configPath = (file: string): string => path.resolve(PROJECT_ROOT, file);

export async function readConfig(file: string): Promise<Configuration> {
  try {
    return v.parse(Configuration, parseConfiguration(await readFile(configPath(file), 'utf8')));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw couldNot(`${file} cannot be read: ${why}`, 'Name the configuration of the Worker with --config.');
  }
}

async function appIdIn({ config, env }: TargetFlags, name: string): Promise<string> {
  const read = await readConfig(config);
  const section = env === undefined ? read : read.env[env];
  if (section === undefined) {
    throw couldNot(`${config} has no environment ${env}`, `Use one of: ${Object.keys(read.env).join(', ') || 'none'}.`);
  }
  const bound = section.flagship.find(({ binding }) => binding === name);
  if (bound !== undefined) return bound.app_id;
  throw couldNot(
    `${config} binds no Flagship app as ${name}`,
    `Add [[flagship]] with binding = "${name}" and its app_id, or name the app with --app.`,
  );
}
