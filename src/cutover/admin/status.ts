/** Where the migration stands, in one answer: each route's stage, the brake, and the census in sums. Pure but for the flags. */
import type { FlagRecord } from '../flag-record.ts';
import type { Brake } from '../operator.ts';
import { ROUTE_KEYS, type RouteKey, type RouteSettings } from '../stage.ts';
import type { AdminEnv, CensusSummary, EvaluatedStage, StagesPort } from './ports.ts';

export type Stages = Readonly<Record<RouteKey, EvaluatedStage>>;

export interface StatusParts {
  readonly server: { readonly name: string; readonly version: string };
  readonly env: AdminEnv;
  readonly paths: Readonly<Record<RouteKey, string>>;
  readonly settings: RouteSettings;
  readonly names: Readonly<Record<'legacy' | 'flags', string>>;
  /** What an operator should know of the deployment's configuration. */
  readonly warnings: readonly string[];
  readonly stages: Stages;
  readonly brake: Brake | undefined;
  readonly census: CensusSummary | undefined;
  readonly records: Readonly<Record<RouteKey, FlagRecord>> | undefined;
}

const SUFFIXES = ['STAGE', 'NEXT', 'PERCENT', 'CLIENTS'] as const;

export async function readStages(port: StagesPort, ctx: Pick<ExecutionContext, 'waitUntil'>): Promise<Stages> {
  const [legacy, sse, mcp] = await Promise.all([
    port.stageOf('legacy', ctx),
    port.stageOf('sse', ctx),
    port.stageOf('mcp', ctx),
  ]);
  return { legacy, sse, mcp };
}

export function statusOf(parts: StatusParts) {
  const { server, env, paths, settings, names, warnings, stages, brake, census, records } = parts;
  return {
    server: { name: server.name, version: server.version },
    source: env.FLAGS === undefined ? 'variables' : 'flagship',
    hasLegacy: env.LEGACY_AGENT !== undefined,
    localStore: env.LOCAL_STORE ?? null,
    bindings: { legacy: names.legacy, flags: names.flags },
    routes: ROUTE_KEYS.map((route) => ({
      route,
      path: paths[route],
      flag: settings.flagKeys[route],
      stage: stages[route].stage,
      reason: stages[route].reason,
      ...(stages[route].trouble !== undefined && { trouble: stages[route].trouble }),
      variablePrefix: settings.variablePrefix[route],
      variables: variablesOf(settings.variablePrefix[route], env as Readonly<Record<string, unknown>>),
      record: records === undefined ? null : recordOf(records[route]),
    })),
    brake: brake ?? null,
    warnings,
    totals: census === undefined ? null : totalsOf(census),
  };
}

/** As configured, whether or not they are what the stages come from. */
function variablesOf(prefix: string, env: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const named = SUFFIXES.map((suffix) => {
    const name = `${prefix}_${suffix}`;
    const value = env[name];
    return [name, typeof value === 'string' || typeof value === 'number' ? String(value) : ''] as const;
  });
  return Object.fromEntries(named.filter(([, value]) => value !== ''));
}

/** Without the token of a claim, which is for who made it. */
function recordOf({ claim, ...record }: FlagRecord) {
  return {
    ...record,
    ...(claim !== undefined && {
      claim: { who: claim.who, ...(claim.said !== undefined && { said: claim.said }), at: claim.at },
    }),
  };
}

function totalsOf({ clients, unlisted, openSessions, untrackedSessions, lastLegacyCallAt }: CensusSummary) {
  return {
    clients: clients.length + (unlisted?.clients ?? 0),
    blockedClients: clients.filter(({ verdict }) => typeof verdict === 'object').length,
    openSessions,
    untrackedSessions,
    lastLegacyCallAt,
  };
}
