/** Puts the command line and the configuration file together to the options of a run; the command line wins. */
import type { Call } from '../../src/parity/run-table.ts';
import { SANITIZERS, type PathRule, type SanitizerName } from '../../src/parity/sanitize.ts';
import { isPlainObject, type JsonObject } from '../../src/shared/json.ts';
import {
  readAllowed,
  readConfig,
  readScenarioFiles,
  UsageError,
  type Config,
  type Reports,
  type TargetConfig,
} from './config.ts';
import { readExamples } from './cases/examples.ts';
import { settle } from './flag.ts';
import { RUN_FLAGS, type RunFlags } from './flags.ts';
import type { RunOptions } from './run/options.ts';
import { readAddress, type Address, type EraChoice, type Target } from './targets/target.ts';

export interface Read {
  /** Without targets where neither the command line nor the file names any. */
  readonly options: Omit<RunOptions, 'control' | 'candidates'>;
  readonly targets: Pick<RunOptions, 'control' | 'candidates'> | undefined;
  readonly reports: Reports;
  readonly signing: { readonly step: string | undefined; readonly keyEnv: string };
}

/** @throws UsageError for what makes no run, with what to do about it. */
export async function readOptions(flags: RunFlags, newSeed: () => number): Promise<Read> {
  const config = flags.config === undefined ? {} : await readConfig(flags.config);
  const settled = settle(RUN_FLAGS, flags, config);
  const {
    cases,
    sequences,
    seed,
    concurrency,
    timeout,
    connectTimeout,
    only,
    skip,
    allowWrites,
    recorded,
    failOn,
    slowerBy,
  } = settled;
  const just = justOf(flags);
  if (flags.case !== undefined && seed === undefined)
    throw new UsageError('--case needs the --seed of the run that it comes from.');
  const options = {
    cases,
    sequences,
    seed: seed ?? newSeed(),
    concurrency,
    connectTimeoutMs: connectTimeout,
    timeoutMs: timeout,
    selection: { only, skip, allowWrites },
    scenarios: await readScenarioFiles(settled.scenario),
    recorded,
    examples: await readExamples(settled.examples),
    allowed: settled.allowed === undefined ? [] : await readAllowed(settled.allowed),
    sanitize: { names: names(settled.sanitize), paths: paths(flags, config) },
    failOn,
    slower: { factor: config.slower?.factor ?? 3, byMs: slowerBy },
    ...(just !== undefined && { just }),
  };
  const { json, ndjson, junit, markdown, html, certificate } = settled;
  const reports = Object.entries({ json, ndjson, junit, markdown, html, certificate }).filter(
    ([, file]) => file !== undefined,
  );
  return {
    options,
    targets: targetsOf(flags, config),
    reports: Object.fromEntries(reports),
    signing: { step: settled.step, keyEnv: settled.keyEnv },
  };
}

function justOf({ call, case: caseId }: RunFlags): RunOptions['just'] {
  if (call === undefined) return caseId === undefined ? undefined : { caseId };
  let read: unknown;
  try {
    read = JSON.parse(call);
  } catch {
    throw new UsageError('--call takes JSON such as {"method":"tools/call","params":{"name":"add","arguments":{}}}.');
  }
  if (!isPlainObject(read) || typeof read['method'] !== 'string') throw new UsageError('--call needs a "method".');
  const params = read['params'];
  const made: Call = { method: read['method'], ...(isPlainObject(params) && { params: params as JsonObject }) };
  return { call: made };
}

const names = (asked: readonly string[]): readonly SanitizerName[] =>
  asked.map((name) => {
    const known = SANITIZERS.find((each) => each === name);
    if (known === undefined)
      throw new UsageError(`No sanitizer is called ${name}. There are ${SANITIZERS.join(', ')}.`);
    return known;
  });

function paths({ sanitizePath = [] }: RunFlags, { sanitizePaths = [] }: Config): readonly PathRule[] {
  const written = sanitizePath.map((text): PathRule => {
    const [, tool, path = '', form = 'any'] = /^(?:([^:]*):)?([^=]+)(?:=(.+))?$/.exec(text) ?? [];
    if (path === '') throw new UsageError(`--sanitize-path takes [tool:]path[=form], not: ${text}`);
    const as = form === 'any' ? form : (names([form])[0] ?? 'any');
    return { ...(tool !== undefined && tool !== '' && { tool }), path, as };
  });
  return [...sanitizePaths.map((rule) => ({ ...rule, as: rule.as ?? ('any' as const) })), ...written];
}

function targetsOf(flags: RunFlags, config: Config): Read['targets'] {
  const control =
    flags.control === undefined
      ? fromConfig(config.control, 'control')
      : target(flags.control, {
          name: flags.controlName ?? 'control',
          era: flags.controlEra,
          headers: flags.controlHeader,
          bearerEnv: flags.controlBearerEnv,
          passEnv: flags.controlEnv,
        });
  const given = flags.candidate ?? [];
  const nth = (list: readonly string[] | undefined, at: number): string | undefined =>
    list?.length === 1 ? list[0] : list?.[at];
  const candidates =
    given.length === 0
      ? (config.candidates ?? []).map((each, at) => fromConfig(each, fallbackName(at, config.candidates?.length ?? 1)))
      : given.map((text, at) =>
          target(text, {
            name: flags.candidateName?.[at] ?? fallbackName(at, given.length),
            era: nth(flags.candidateEra, at),
            headers: flags.candidateHeader,
            bearerEnv: nth(flags.candidateBearerEnv, at),
            passEnv: flags.candidateEnv,
          }),
        );
  if (control === undefined && candidates.length === 0) return undefined;
  if (control === undefined) throw new UsageError('There is a candidate and no control. Give --control <target>.');
  const others = candidates.filter((each) => each !== undefined);
  if (others.length === 0) throw new UsageError('There is a control and no candidate. Give --candidate <target>.');
  const all = [control, ...others].map(({ name }) => name);
  if (new Set(all).size !== all.length) throw new UsageError(`Two targets have one name: ${all.join(', ')}.`);
  return { control, candidates: others };
}

const fallbackName = (at: number, of: number): string => (of === 1 ? 'candidate' : `candidate ${at + 1}`);

interface Written {
  readonly name: string;
  readonly era: string | undefined;
  readonly headers: readonly string[] | undefined;
  readonly bearerEnv: string | undefined;
  readonly passEnv: readonly string[] | undefined;
}

function target(text: string, { name, era, headers = [], bearerEnv, passEnv }: Written): Target {
  const read = readAddress(text);
  if (!read.ok) throw new UsageError(`${name}: ${read.why}`);
  const pairs = headers.map((header) => {
    const [, key, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(header) ?? [];
    if (key === undefined || value === undefined)
      throw new UsageError(`A header is "Name: value", not: ${header.split(':')[0]}`);
    return [key.toLowerCase(), value] as const;
  });
  return {
    name,
    address: read.address,
    era: (era ?? 'auto') as EraChoice,
    headers: Object.fromEntries(pairs),
    ...(bearerEnv !== undefined && { bearerEnv }),
    ...(passEnv !== undefined && { passEnv }),
  };
}

function fromConfig(config: TargetConfig | undefined, fallback: string): Target | undefined {
  if (config === undefined) return undefined;
  const { name = fallback, url, command, env, era = 'auto', headers = {}, bearerEnv, passEnv } = config;
  let address: Address;
  if (command === undefined) {
    const read = readAddress(url ?? '');
    if (!read.ok) throw new UsageError(`${name}: ${read.why}`);
    address = read.address;
  } else address = { kind: 'stdio', command, ...(env !== undefined && { env }) };
  return {
    name,
    address,
    era,
    headers,
    ...(bearerEnv !== undefined && { bearerEnv }),
    ...(passEnv !== undefined && { passEnv }),
  };
}
