/**
 * The names of the Worker's bindings. Everything behind `createHybrid` uses one set of names; a Worker whose bindings are
 * called otherwise says how, and its environment is read through that. Pure.
 */
import type { CensusEnv } from '../cutover/census/shards.ts';
import type { AdminEnv } from '../cutover/admin/ports.ts';
import type { FlagEnv } from '../cutover/flags/provider.ts';
import type { DoorVars } from '../router/config.ts';
import type { DeprecationVars } from '../router/deprecation.ts';
import type { RateLimitEnv } from '../router/door/rate.ts';
import type { AskVars } from '../state/ask-timeout.ts';
import type { IdleVars } from '../state/idle.ts';
import type { HolderEnv } from '../state/transfer.ts';

/** The environment as this package reads it: bindings under its own names, and environment variables. */
export type HybridEnv = HolderEnv &
  CensusEnv &
  AdminEnv &
  FlagEnv &
  RateLimitEnv &
  DoorVars &
  DeprecationVars &
  IdleVars &
  AskVars;

/** The names of a Worker's bindings, as its Wrangler configuration has them. */
export interface BindingNames {
  /** The Durable Objects that keep state outside of sessions. */
  readonly state: string;
  /** The `McpAgent` of the legacy lane. */
  readonly legacy: string;
  /** The Durable Object with the brake and the audit log. */
  readonly operator: string;
  /** The Durable Objects of the census. */
  readonly census: string;
  /** The Analytics Engine dataset of the census. */
  readonly censusEvents: string;
  /** The Flagship binding. */
  readonly flags: string;
  /** The rate limiter. */
  readonly rateLimiter: string;
}

export const DEFAULT_BINDINGS: BindingNames = {
  state: 'STATE_OBJECT',
  legacy: 'LEGACY_AGENT',
  operator: 'OPERATOR_OBJECT',
  census: 'CENSUS_OBJECT',
  censusEvents: 'CENSUS_EVENTS',
  flags: 'FLAGS',
  rateLimiter: 'RATE_LIMITER',
};

/** Options that take the place of a variable which a deployment does not set. */
export type UsualVars = Readonly<Partial<Record<'SESSION_IDLE_MS' | 'ASK_TIMEOUT_MS', number>>> & {
  readonly KEEP_SESSIONS?: 'on';
};

/** Reads an environment through the given names, once per environment. */
export function createEnvReader(names: BindingNames, usual: UsualVars = {}): (env: object) => HybridEnv {
  const keys = Object.keys(DEFAULT_BINDINGS) as (keyof BindingNames)[];
  const renamed = keys
    .map((key) => ({ own: DEFAULT_BINDINGS[key], name: names[key] }))
    .filter((one) => one.own !== one.name);
  if (renamed.length === 0 && Object.keys(usual).length === 0) return (env) => env as HybridEnv;
  const known = new WeakMap<object, HybridEnv>();
  const made = new WeakSet<object>();
  return (env) => {
    // What an agent's class was given may come back from it.
    if (made.has(env)) return env as HybridEnv;
    const before = known.get(env);
    if (before !== undefined) return before;
    const given = env as Readonly<Record<string, unknown>>;
    const unset = Object.entries(usual).filter(([name]) => (given[name] ?? '') === '');
    const read = {
      ...given,
      // A binding that has our name and another purpose must not be taken for ours.
      ...Object.fromEntries(renamed.map(({ own, name }) => [own, given[name]])),
      ...Object.fromEntries(unset),
    } as unknown as HybridEnv;
    known.set(env, read);
    made.add(read);
    return read;
  };
}
