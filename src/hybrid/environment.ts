/**
 * Reads a Worker's environment under this package's names, and checks what it has to have: variables that can be read, and
 * a binding of the right kind for each part that needs one. All of it is checked together, once per environment, and
 * reported once. Nothing is answered before it is in order: half a Worker would lose what clients think is kept.
 */
import { readConfig, type ConfigDefaults, type DoorConfig } from '../router/config.ts';
import { deprecationDates, deprecationProblems } from '../router/deprecation.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { reportConfiguration, type Reporter } from '../shared/pipeline/report.ts';
import { ASK_RULE, IDLE_RULE, isAskTimeout, isIdleTime } from '../state/times.ts';
import { DEFAULT_BINDINGS, type BindingNames, type HybridEnv, type UsualVars } from './bindings.ts';

/** Reads environments, and knows what each was read from. */
export interface EnvReader {
  readonly read: (env: object) => HybridEnv;
  /** The environment as the platform gave it. */
  readonly given: (env: object) => object;
}

/** Reads an environment through the given names, once per environment. */
export function createEnvReader(names: BindingNames, usual: UsualVars = {}): EnvReader {
  const keys = Object.keys(DEFAULT_BINDINGS) as (keyof BindingNames)[];
  const renamed = keys
    .map((key) => ({ own: DEFAULT_BINDINGS[key], name: names[key] }))
    .filter((one) => one.own !== one.name);
  if (renamed.length === 0 && Object.keys(usual).length === 0) {
    return { read: (env) => env as HybridEnv, given: (env) => env };
  }
  const known = new WeakMap<object, HybridEnv>();
  const made = new WeakMap<object, object>();
  const read = (env: object): HybridEnv => {
    // What an agent's class was given may come back from it.
    if (made.has(env)) return env as HybridEnv;
    const before = known.get(env);
    if (before !== undefined) return before;
    const given = env as Readonly<Record<string, unknown>>;
    const unset = Object.entries(usual).filter(([name]) => (given[name] ?? '') === '');
    const renewed = {
      ...given,
      // A binding that has our name and another purpose must not be taken for ours.
      ...Object.fromEntries(renamed.map(({ own, name }) => [own, given[name]])),
      ...Object.fromEntries(unset),
    } as unknown as HybridEnv;
    known.set(env, renewed);
    made.set(renewed, env);
    return renewed;
  };
  return { read, given: (env) => made.get(env) ?? env };
}

export interface EnvironmentNeeds {
  readonly names: BindingNames;
  readonly defaults: ConfigDefaults | undefined;
  /** The parts that this Worker cannot do without. */
  readonly required: ReadonlySet<keyof BindingNames>;
  readonly report: Reporter;
  readonly catalogue: Pick<Catalogue, 'tools'>;
  /** What else is wrong with an environment. */
  readonly moreProblems?: (env: HybridEnv) => readonly string[];
}

export interface Environment {
  /** Undefined if the environment cannot be used. */
  readonly config: DoorConfig | undefined;
  readonly warnings: readonly string[];
}

/** Reads an environment, and remembers what came of it. */
export function createEnvironment(needs: EnvironmentNeeds): (env: HybridEnv) => Environment {
  const known = new WeakMap<object, Environment>();
  return (env) => {
    const before = known.get(env);
    if (before !== undefined) return before;
    const { config, problems: ofDoor, warnings } = readConfig(env, needs.defaults);
    const problems = [
      ...ofDoor,
      ...deadlineProblems(config, needs.catalogue),
      ...timeProblems(env),
      ...deprecationProblems(env),
      ...bindingProblems(env, needs),
      ...(needs.moreProblems?.(env) ?? []),
    ];
    if (problems.length > 0) reportConfiguration(needs.report, problems);
    if (warnings.length > 0) reportConfiguration(needs.report, warnings, 'configuration_warning');
    const deprecation = problems.length === 0 ? deprecationDates(env) : undefined;
    const usable = { ...config, ...(deprecation !== undefined && { deprecation }) };
    const made = { config: problems.length === 0 ? usable : undefined, warnings };
    known.set(env, made);
    return made;
  };
}

function timeProblems({ SESSION_IDLE_MS: idle = '', ASK_TIMEOUT_MS: ask = '' }: HybridEnv): readonly string[] {
  return [
    ...(idle === '' || isIdleTime(Number(idle)) ? [] : [`The variable SESSION_IDLE_MS ${IDLE_RULE}`]),
    ...(ask === '' || isAskTimeout(Number(ask)) ? [] : [`The variable ASK_TIMEOUT_MS ${ASK_RULE}`]),
  ];
}

/** A tool that says how long it may run must not be cut off by the stream that it is answered in: it would go on for nobody. */
function deadlineProblems({ callStreamMs }: DoorConfig, { tools }: EnvironmentNeeds['catalogue']): readonly string[] {
  return [...tools.values()].flatMap(({ name, deadlineMs = 0 }) =>
    deadlineMs > callStreamMs
      ? [
          `The tool "${name}" may run for ${deadlineMs} ms, and the stream that answers it ends after ${callStreamMs} ms: raise CALL_STREAM_MS, or lower the tool's deadlineMs.`,
        ]
      : [],
  );
}

interface Kind {
  readonly what: string;
  /** A method that only this kind has; undefined if any object will do. */
  readonly method?: string;
}

const OBJECTS: Kind = { what: 'a Durable Object binding', method: 'getByName' };
const KINDS: Readonly<Record<keyof BindingNames, Kind>> = {
  state: OBJECTS,
  legacy: OBJECTS,
  operator: OBJECTS,
  census: OBJECTS,
  censusEvents: { what: 'an Analytics Engine dataset', method: 'writeDataPoint' },
  flags: { what: 'a Flagship binding' },
  rateLimiter: { what: 'a rate limiter', method: 'limit' },
};

/** The class that the Worker exports for each part which is a Durable Object, by its name in what `createHybrid` gives. */
const CLASSES: Readonly<Partial<Record<keyof BindingNames, string>>> = {
  state: 'StateObject',
  legacy: 'LegacyAgent',
  operator: 'OperatorObject',
  census: 'CensusObject',
};

function bindingProblems(env: HybridEnv, { names, required }: EnvironmentNeeds): readonly string[] {
  const bound = env as unknown as Readonly<Record<string, unknown>>;
  return (Object.keys(DEFAULT_BINDINGS) as (keyof BindingNames)[]).flatMap((part) => {
    const binding = bound[DEFAULT_BINDINGS[part]];
    const { what } = KINDS[part];
    const forClass = CLASSES[part] === undefined ? '' : ` for the class that extends ${CLASSES[part]}`;
    if (binding === undefined) {
      return required.has(part)
        ? [`There is no binding ${names[part]}: add ${what} of this name${forClass} to the Wrangler configuration.`]
        : [];
    }
    if (isKind(binding, KINDS[part])) return [];
    return [
      `The binding ${names[part]} is not ${what}: bind one${forClass}, or give the part another name in "bindings".`,
    ];
  });
}

function isKind(binding: unknown, { method }: Kind): boolean {
  if (typeof binding !== 'object' || binding === null) return false;
  if (method === undefined) return true;
  // A service binding seems to have any method: each would be a call of the other Worker.
  if ((binding as { constructor?: { name?: unknown } }).constructor?.name === 'Fetcher') return false;
  return typeof (binding as Readonly<Record<string, unknown>>)[method] === 'function';
}
