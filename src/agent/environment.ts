/**
 * What of a deployment the served class finds in its environment, which is the application's: bindings count only if they
 * are what their name says here. Pure.
 */
import type { CensusEnv } from '../cutover/census/shards.ts';
import type { AdminEnv } from '../cutover/admin/ports.ts';
import type { FlagEnv } from '../cutover/flags/provider.ts';
import { stageVarProblems, type StageVars } from '../cutover/flags/variables-provider.ts';
import { ROUTE_KEYS, ROUTE_SETTINGS, type RouteSettings } from '../cutover/stage.ts';

/** At a class's own URL nobody is moved unless a flag or a variable says so. */
export const OWN_AGENT_ROUTES: RouteSettings = {
  ...ROUTE_SETTINGS,
  usual: { legacy: 'legacy', sse: 'legacy', mcp: 'legacy' },
};

export type OwnAgentEnv = CensusEnv & AdminEnv & FlagEnv;

const SUFFIXES = ['STAGE', 'NEXT'] as const;

/** True if something in the environment can say a stage. */
export function saysStages(env: object): boolean {
  const vars = env as Readonly<Record<string, unknown>>;
  if (isFlagship(vars['FLAGS'])) return true;
  return ROUTE_KEYS.some((route) =>
    SUFFIXES.some((suffix) => (vars[`${OWN_AGENT_ROUTES.variablePrefix[route]}_${suffix}`] ?? '') !== ''),
  );
}

/** What cannot be read of the variables that say a stage. Nobody is moved by them; without this nobody would know. */
export const stageProblems = (env: object): readonly string[] =>
  isFlagship((env as Readonly<Record<string, unknown>>)['FLAGS'])
    ? []
    : stageVarProblems(env as StageVars, OWN_AGENT_ROUTES).map((problem) => `The variable ${problem}`);

/** @returns Reads an environment, once per environment. */
export function ownAgentEnv(binding: string): (env: object) => OwnAgentEnv {
  const known = new WeakMap<object, OwnAgentEnv>();
  return (env) => {
    const before = known.get(env);
    if (before !== undefined) return before;
    const vars = env as Readonly<Record<string, unknown>>;
    const { FLAGS, OPERATOR_OBJECT, CENSUS_OBJECT, ...rest } = vars;
    const read = {
      ...rest,
      LEGACY_AGENT: vars[binding],
      ...(isFlagship(FLAGS) && { FLAGS }),
      ...(isNamespace(OPERATOR_OBJECT) && { OPERATOR_OBJECT }),
      ...(isNamespace(CENSUS_OBJECT) && { CENSUS_OBJECT }),
    } as unknown as OwnAgentEnv;
    known.set(env, read);
    return read;
  };
}

const has = (value: unknown, method: string): boolean =>
  typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[method] === 'function';

const isFlagship = (value: unknown): boolean => has(value, 'getStringDetails') || has(value, 'getStringValue');
export const isNamespace = (value: unknown): value is DurableObjectNamespace =>
  has(value, 'idFromName') && has(value, 'newUniqueId');
