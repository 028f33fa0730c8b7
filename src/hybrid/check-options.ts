/** What is wrong with the options of `createHybrid`: all problems together, each with its remedy. Pure. */
import { isStageOf, ROUTE_KEYS, ROUTE_SETTINGS, STAGES } from '../cutover/stage.ts';
import { isNumberUpTo, LISTS, NUMBERS } from '../router/config.ts';
import { DEFAULT_PATHS, messagePath, webmcpPaths } from '../router/routes.ts';
import { ASK_RULE, IDLE_RULE, isAskTimeout, isIdleTime } from '../state/times.ts';
import { DEFAULT_BINDINGS } from './bindings.ts';
import type { AnyOptions, HybridDefaults } from './options.ts';

/** As they may come from a caller without types. */
type Given = Readonly<Record<string, unknown>>;

type Check = (value: unknown, options?: Given) => readonly string[];

/** Every problem of the options as a sentence with its remedy; empty if they can be used. */
export function problemsOf(options: unknown): readonly string[] {
  if (!isObject(options)) return ['The options are missing: give an object with a "catalogue".'];
  return [
    ...unknownKeys(options, Object.keys(CHECKS), 'option'),
    ...Object.entries(CHECKS).flatMap(([key, check]) => {
      const value = options[key];
      return value === undefined && key !== 'catalogue' ? [] : check(value, options);
    }),
  ];
}

const CHECKS: Readonly<Record<keyof AnyOptions, Check>> = {
  catalogue: (value) =>
    isObject(value) && 'tools' in value && 'listed' in value
      ? []
      : ['"catalogue" is missing: give the result of createCatalogue({ … }).'],
  legacy: (value) =>
    isObject(value) && typeof value['build'] === 'function'
      ? []
      : [
          '"legacy" is no legacy lane: give the result of legacyLane() or agentLane(), which "hybrid-mcp/legacy" exports.',
        ],
  paths: object('paths', pathProblems),
  bindings: object('bindings', (given) =>
    namesProblems(given, { ...DEFAULT_BINDINGS }, 'binding', {
      form: /^[A-Za-z_$][\w$]*$/,
      problem: 'has a name that no binding can have: use the name from the Wrangler configuration.',
    }),
  ),
  subject: (value) =>
    typeof value === 'function' || isText(value)
      ? []
      : ['"subject" must be the name of a property of the sign-in, or a function that reads it.'],
  scopes: (value) =>
    typeof value === 'function' || isText(value)
      ? []
      : ['"scopes" must be the name of a property of the sign-in, or a function that reads them.'],
  clientId: (value) =>
    typeof value === 'function' || isText(value)
      ? []
      : ['"clientId" must be the name of a property of the sign-in, or a function that reads it.'],
  properties: (value) =>
    isObject(value) && isObject(value['~standard']) && typeof value['~standard']['validate'] === 'function'
      ? []
      : ['"properties" is no schema: give one, such as z.object({ … }), or leave it out.'],
  services: func('services', 'one that takes the environment and a caller and gives the services'),
  signIn: (value) =>
    isObject(value) && typeof value['admit'] === 'function'
      ? []
      : ['"signIn" is no sign-in: give the result of signIn({ … }), which "hybrid-mcp/sign-in" exports.'],
  stages: object('stages', (given) => [
    ...unknownKeys(given, ROUTE_KEYS, 'stage'),
    ...ROUTE_KEYS.filter((route) => given[route] !== undefined && !isStageOf(route, given[route])).map(
      (route) => `The stage "${route}" must be one of ${STAGES[route].join(', ')}.`,
    ),
  ]),
  flagKeys: object('flagKeys', (given) =>
    namesProblems(given, ROUTE_SETTINGS.flagKeys, 'flag key', {
      form: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
      problem: 'cannot be used: use letters, digits, ".", "_" and "-".',
    }),
  ),
  variablePrefixes: object('variablePrefixes', (given) =>
    namesProblems(given, ROUTE_SETTINGS.variablePrefix, 'variable prefix', {
      form: /^[A-Z][A-Z0-9_]*[A-Z0-9]$/,
      problem: 'cannot be used: use capital letters, digits and "_", without "_" at the end.',
    }),
  ),
  defaults: object('defaults', defaultProblems),
  rateLimitKey: func('rateLimitKey', 'one that takes a request and its caller and gives a text'),
  census: boolean('census'),
  admin: boolean('admin'),
  webmcp: (value) =>
    isObject(value) &&
    isText(value['module']) &&
    isText(value['client']) &&
    (value['page'] === undefined || isText(value['page']))
      ? []
      : ['"webmcp" cannot be used: give the result of webmcpFiles(), which "hybrid-mcp/webmcp-files" exports.'],
  report: func('report', 'one that takes a report'),
  world: object('world', (given) =>
    ['now', 'random', 'id', 'fetch']
      .filter((name) => typeof given[name] !== 'function')
      .map((name) => `"world" has no function "${name}": give all of now, random, id and fetch, or leave it out.`),
  ),
};

const isObject = (value: unknown): value is Given => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function object(key: string, check: (given: Given, options: Given) => readonly string[]): Check {
  return (value, options = {}) =>
    isObject(value) && !Array.isArray(value)
      ? check(value, options)
      : [`"${key}" is no object: give one, or leave it out.`];
}

function func(key: string, what: string): Check {
  return (value) => (typeof value === 'function' ? [] : [`"${key}" is no function: give ${what}, or leave it out.`]);
}

function boolean(key: string): Check {
  return (value) => (typeof value === 'boolean' ? [] : [`"${key}" must be true or false, or be left out.`]);
}

function unknownKeys(given: Given, known: readonly string[], what: string): readonly string[] {
  return Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => `There is no ${what} "${key}": use one of ${known.join(', ')}.`);
}

interface NameRule {
  readonly form: RegExp;
  readonly problem: string;
}

/** Names that have a form, and that are not given twice. */
function namesProblems(
  given: Given,
  usual: Readonly<Record<string, string>>,
  what: string,
  { form, problem }: NameRule,
): readonly string[] {
  const problems = [...unknownKeys(given, Object.keys(usual), what)];
  const taken = new Map<string, string>();
  for (const [key, otherwise] of Object.entries(usual)) {
    const name = given[key] ?? otherwise;
    if (typeof name !== 'string' || !form.test(name)) {
      problems.push(`The ${what} "${key}" ${problem}`);
      continue;
    }
    const other = taken.get(name);
    if (other !== undefined)
      problems.push(`The ${what.replace(/x$/, 'xe')}s "${other}" and "${key}" are both ${name}: give each its own.`);
    taken.set(name, key);
  }
  return problems;
}

/** One spelling for each route: segments of unreserved characters, no slash at the end. */
const PATH = /^\/(?:[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*)?$/;

function pathProblems(given: Given, { webmcp: files }: Given): readonly string[] {
  const problems = [...unknownKeys(given, Object.keys(DEFAULT_PATHS), 'path')];
  const good: [name: string, path: string][] = [];
  for (const [name, usual] of Object.entries(DEFAULT_PATHS)) {
    // What is not served takes no path away.
    if (name === 'webmcp' && files === undefined && given[name] === undefined) continue;
    const path: unknown = given[name] ?? usual;
    // A browser or proxy takes "." and ".." away before the request arrives.
    if (typeof path === 'string' && PATH.test(path) && !/\/\.{1,2}(\/|$)/.test(path)) good.push([name, path]);
    else {
      problems.push(
        `The path "${name}" cannot be used: begin it with "/", use letters, digits, ".", "_", "~" and "-" between slashes, and end it without one.`,
      );
    }
  }
  // Everything is below "/", and "//message" is no path of ours.
  for (const [name, path] of good) {
    if (path === '/' && (name === 'admin' || name === 'sse' || name === 'webmcp'))
      problems.push(`The path "${name}" cannot be "/": use a longer one.`);
  }
  const admin = good.find(([name]) => name === 'admin')?.[1];
  const sse = good.find(([name]) => name === 'sse')?.[1];
  if (sse !== undefined) good.push(['sse (messages)', messagePath(sse)]);
  const webmcp = good.find(([name]) => name === 'webmcp')?.[1];
  if (webmcp !== undefined) {
    const { module, client } = webmcpPaths(webmcp);
    good.push(['webmcp (module)', module], ['webmcp (client)', client]);
  }
  const taken = new Map<string, string>();
  for (const [name, path] of good) {
    const other = taken.get(path);
    if (other !== undefined) problems.push(`The paths "${other}" and "${name}" are both ${path}: give each its own.`);
    taken.set(path, name);
    if (name !== 'admin' && admin !== undefined && path.startsWith(`${admin}/`)) {
      problems.push(`The path "${name}" lies below "admin" (${admin}), which answers all of it: move one of them.`);
    }
  }
  return problems;
}

const OTHER_DEFAULTS = {
  keepSessions: boolean('defaults.keepSessions'),
  sessionIdleMs: (value) => (isIdleTime(value) ? [] : [`The default "sessionIdleMs" ${IDLE_RULE}`]),
  askTimeoutMs: (value) => (isAskTimeout(value) ? [] : [`The default "askTimeoutMs" ${ASK_RULE}`]),
} as const satisfies Partial<Record<keyof HybridDefaults, Check>>;

function defaultProblems(given: Given): readonly string[] {
  const known = [...Object.keys(LISTS), ...Object.keys(NUMBERS), ...Object.keys(OTHER_DEFAULTS)];
  const set = <Rule>(rules: Readonly<Record<string, Rule>>): readonly (readonly [string, Rule])[] =>
    Object.entries(rules).filter(([key]) => given[key] !== undefined);
  return [
    ...unknownKeys(given, known, 'default'),
    ...set(LISTS).flatMap(([key, { form, problem, remedy }]) => {
      const entries = given[key];
      const good =
        Array.isArray(entries) && entries.every((one) => typeof one === 'string' && form.test(one.toLowerCase()));
      return good ? [] : [`The default "${key}" ${problem} Give a list of names, ${remedy}`];
    }),
    ...set(NUMBERS)
      .filter(([key, { largest }]) => !isNumberUpTo(largest, given[key]))
      .map(([key, { largest }]) => `The default "${key}" must be a whole number from 1 to ${largest}.`),
    ...set<Check>(OTHER_DEFAULTS).flatMap(([key, check]) => check(given[key])),
  ];
}
