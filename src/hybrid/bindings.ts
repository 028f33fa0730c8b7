/**
 * The environment of a Worker under the names that this package uses, and the names of its bindings: a Worker whose
 * bindings are called otherwise says how. Types and names only.
 */
import type { CensusEnv } from '../cutover/census/shards.ts';
import type { AdminEnv } from '../cutover/admin/ports.ts';
import type { FlagEnv } from '../cutover/flags/provider.ts';
import type { DoorVars } from '../router/config.ts';
import type { DeprecationVars } from '../router/deprecation.ts';
import type { RateLimitEnv } from '../router/door/rate.ts';
import type { AskVars, IdleVars } from '../state/times.ts';
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
