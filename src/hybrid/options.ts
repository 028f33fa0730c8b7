/**
 * The options of `createHybrid`, their defaults, and what is wrong with them. All problems are told together, when the
 * Worker starts, each with its remedy. Pure.
 */
import type { LegacyLane } from '../lane/contract.ts';
import { DEFAULT_PATHS, messagePath, type RoutePaths } from '../router/routes.ts';
import type { ConfigDefaults } from '../router/config.ts';
import type { SubjectReader } from '../shared/caller.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { World } from '../shared/define/context.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import { DEFAULT_BINDINGS, type BindingNames, type HybridEnv } from './bindings.ts';

/** What `createHybrid` is given. Only the catalogue is required. */
export interface HybridOptions<Agent = undefined> {
  /** The tools, prompts and resources that every lane serves: the result of `createCatalogue`. */
  readonly catalogue: Catalogue;
  /** The legacy lane, from `hybrid-mcp/legacy`. Without it the Worker serves the stateless lanes only. */
  readonly legacy?: LegacyLane<HybridEnv, Agent>;
  /** The paths of the routes, each beginning with `/`. Default: `/mcp`, `/legacy/mcp`, `/legacy/sse`, `/`, `/healthz`, `/admin`. */
  readonly paths?: Partial<RoutePaths>;
  /** What the Worker calls its bindings, if not by the default names. */
  readonly bindings?: Partial<BindingNames>;
  /** The property of the sign-in that names the caller, or a function that finds it. Default: `subject`. */
  readonly subject?: string | SubjectReader;
  /** Limits and allow-lists that hold if no environment variable says otherwise. */
  readonly defaults?: ConfigDefaults;
  /** Where faults and their causes go. Default: one line of JSON each on the console, without what clients sent. */
  readonly report?: Reporter;
  /** The clock, random numbers, ids and network that tools see. Default: the platform's. */
  readonly world?: World;
}

/**
 * Options that cannot be used. The message lists every problem with its remedy.
 *
 * @example
 * ```ts
 * try {
 *   createHybrid({ catalogue, paths: { mcp: 'mcp' } });
 * } catch (error) {
 *   if (error instanceof HybridOptionsError) console.error(error.problems);
 * }
 * ```
 */
export class HybridOptionsError extends TypeError {
  override readonly name = 'HybridOptionsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`createHybrid was given options that cannot be used:\n${problems.map((one) => `- ${one}`).join('\n')}`);
    this.problems = problems;
  }
}

const KNOWN: ReadonlySet<string> = new Set<keyof HybridOptions>([
  'catalogue',
  'legacy',
  'paths',
  'bindings',
  'subject',
  'defaults',
  'report',
  'world',
]);

/** Every problem of the options as a sentence with its remedy; empty if they can be used. */
export function problemsOf(options: HybridOptions<unknown>): readonly string[] {
  return [
    ...unknownKeys(options, KNOWN, 'option'),
    ...(isCatalogue(options.catalogue) ? [] : ['"catalogue" is missing: give the result of createCatalogue({ … }).']),
    ...(options.legacy === undefined || typeof options.legacy.build === 'function'
      ? []
      : ['"legacy" is no legacy lane: give the result of legacyLane(), which "hybrid-mcp/legacy" exports.']),
    ...pathProblems(options.paths ?? {}),
    ...bindingProblems(options.bindings ?? {}),
    ...subjectProblems(options.subject),
    ...defaultProblems(options.defaults ?? {}),
    ...(options.report === undefined || typeof options.report === 'function'
      ? []
      : ['"report" is no function: give one that takes a report, or leave it out.']),
  ];
}

const isCatalogue = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'tools' in value && 'listed' in value;

function unknownKeys(given: object, known: ReadonlySet<string>, what: string): readonly string[] {
  return Object.keys(given)
    .filter((key) => !known.has(key))
    .map((key) => `There is no ${what} "${key}": use one of ${[...known].join(', ')}.`);
}

/** One spelling for each route: segments of unreserved characters, no slash at the end. */
const PATH = /^\/(?:[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*)?$/;

function pathProblems(given: Partial<RoutePaths>): readonly string[] {
  const problems = [...unknownKeys(given, new Set(Object.keys(DEFAULT_PATHS)), 'path')];
  const paths = { ...DEFAULT_PATHS, ...given };
  for (const [name, path] of Object.entries(paths)) {
    if (typeof path !== 'string' || !PATH.test(path)) {
      problems.push(
        `The path "${name}" cannot be used: begin it with "/", use letters, digits, ".", "_", "~" and "-" between slashes, and end it without one.`,
      );
    }
  }
  const taken = new Map<string, string>();
  const all = { ...paths, 'sse (messages)': messagePath(paths.sse) };
  for (const [name, path] of Object.entries(all)) {
    const other = taken.get(path);
    if (other !== undefined) problems.push(`The paths "${other}" and "${name}" are both ${path}: give each its own.`);
    taken.set(path, name);
    if (name !== 'admin' && path.startsWith(`${paths.admin}/`)) {
      problems.push(
        `The path "${name}" lies below "admin" (${paths.admin}), which answers all of it: move one of them.`,
      );
    }
  }
  return problems;
}

function bindingProblems(given: Partial<BindingNames>): readonly string[] {
  const problems = [...unknownKeys(given, new Set(Object.keys(DEFAULT_BINDINGS)), 'binding')];
  const taken = new Map<string, string>();
  for (const [key, name] of Object.entries({ ...DEFAULT_BINDINGS, ...given })) {
    if (typeof name !== 'string' || !/^[A-Za-z_$][\w$]*$/.test(name)) {
      problems.push(
        `The binding "${key}" has a name that no binding can have: use the name from the Wrangler configuration.`,
      );
      continue;
    }
    const other = taken.get(name);
    if (other !== undefined) problems.push(`The bindings "${other}" and "${key}" are both ${name}: give each its own.`);
    taken.set(name, key);
  }
  return problems;
}

const subjectProblems = (subject: unknown): readonly string[] =>
  subject === undefined || typeof subject === 'function' || (typeof subject === 'string' && subject !== '')
    ? []
    : ['"subject" must be the name of a property of the sign-in, or a function that reads it.'];

const NUMBERS = ['maxBodyBytes', 'answerDeadlineMs', 'callStreamMs', 'listenStreamMs'] as const;
const DEFAULT_KEYS: ReadonlySet<string> = new Set<keyof ConfigDefaults>([
  ...NUMBERS,
  'allowedHosts',
  'allowedOrigins',
  'keepSessions',
]);

function defaultProblems(given: ConfigDefaults): readonly string[] {
  const wrong = NUMBERS.filter((key) => {
    const value = given[key];
    return value !== undefined && !(Number.isInteger(value) && value >= 1);
  });
  return [
    ...unknownKeys(given, DEFAULT_KEYS, 'default'),
    ...wrong.map((key) => `The default "${key}" must be a whole number of at least 1.`),
  ];
}
