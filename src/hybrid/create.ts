/** Composes a Worker: the lanes, the router, the cutover, and the classes of its Durable Objects. */
import { createAdmin } from '../cutover/admin/admin.ts';
import { censusPort, NO_CENSUS } from '../cutover/admin/census-port.ts';
import { CensusObject } from '../cutover/census/census-object.ts';
import { createCensus } from '../cutover/census/collect.ts';
import { createCutover } from '../cutover/cutover.ts';
import { ROUTE_SETTINGS, type RouteSettings } from '../cutover/stage.ts';
import { OperatorObject } from '../cutover/operator-object.ts';
import { createRouter } from '../router/router.ts';
import { DEFAULT_PATHS, routesAt } from '../router/routes.ts';
import { partsOf } from '../router/webmcp.ts';
import type { Properties } from '../shared/caller.ts';
import { visibleTo } from '../shared/catalogue/visible.ts';
import { reportUnavailable } from '../shared/pipeline/report.ts';
import { NO_SERVICES } from '../shared/pipeline/services.ts';
import { systemWorld } from '../shared/world.ts';
import { askTimeoutMs, idleMs } from '../state/times.ts';
import { consoleReporter } from '../state/log.ts';
import { stateObjectFor, type StateObjectClass } from '../state/state-object.ts';
import { createStatelessHalf } from '../stateless/half.ts';
import { DEFAULT_BINDINGS, type BindingNames, type HybridEnv, type UsualVars } from './bindings.ts';
import { createCallerReader } from './callers.ts';
import { problemsOf } from './check-options.ts';
import { createEnvironment, createEnvReader } from './environment.ts';
import { HybridOptionsError, type AnyOptions, type HybridOptions } from './options.ts';
import { servicesMaker, servicesProblems, type ServicesOption } from './services.ts';

/** A composed Worker. Its classes are exported by the Worker under the names that its configuration binds. */
export interface Hybrid<Agent> {
  /** Serves one request. The handler of the Worker, or of a route of another router or sign-in. */
  readonly fetch: (request: Request, env: object, ctx: ExecutionContext) => Promise<Response>;
  /** The same as a value to export: `export default hybrid.handler`. */
  readonly handler: { readonly fetch: Hybrid<Agent>['fetch'] };
  /** Keeps state outside of sessions. */
  readonly StateObject: StateObjectClass;
  /** Keeps the brake and the audit log. */
  readonly OperatorObject: typeof OperatorObject;
  /** Counts who calls what. */
  readonly CensusObject: typeof CensusObject;
  /** The agent of the legacy lane; undefined in a Worker without one. */
  readonly LegacyAgent: Agent;
}

/**
 * Serves a catalogue of tools to both generations of MCP clients.
 *
 * @throws HybridOptionsError that lists every option which cannot be used, with its remedy.
 * @example
 * ```ts
 * const hybrid = createHybrid({ catalogue, legacy: legacyLane() });
 * export class StateObject extends hybrid.StateObject {}
 * export class LegacyAgent extends hybrid.LegacyAgent {}
 * export default hybrid.handler;
 * ```
 */
export function createHybrid<
  Agent = undefined,
  Services = unknown,
  P = Properties,
  Environment extends object = Cloudflare.Env,
>(options: HybridOptions<Agent, Services, P, Environment>): Hybrid<Agent> {
  const problems = problemsOf(options);
  if (problems.length > 0) throw new HybridOptionsError(problems);
  // What the catalogue needs and what the options give fit each other by their types; from here on both are opaque.
  return compose(options as unknown as AnyOptions & HybridOptions<Agent>);
}

function compose<Agent>(options: AnyOptions & HybridOptions<Agent>): Hybrid<Agent> {
  const { catalogue, report = consoleReporter, world = systemWorld } = options;
  const routes = routesAt({ ...DEFAULT_PATHS, ...options.paths }, partsOf(options.webmcp));
  const names = { ...DEFAULT_BINDINGS, ...options.bindings };
  const settings = settingsOf(options);
  const { read: envOf, given } = createEnvReader(names, usualVars(options));
  const option = options.services as ServicesOption | undefined;
  const services = option === undefined ? NO_SERVICES : servicesMaker(option, given);
  const environmentOf = createEnvironment({
    names,
    defaults: options.defaults,
    required: requiredBy(options),
    catalogue,
    report,
    ...(option !== undefined && { moreProblems: (env) => servicesProblems(option, given(env)) }),
  });
  const callerOf = createCallerReader(options, report);
  const census =
    options.census === false ? undefined : createCensus({ onError: (cause) => reportUnavailable(report, cause) });
  const cutover = createCutover(report, settings);

  const legacy = options.legacy?.build({
    catalogue,
    world,
    report,
    paths: routes.paths,
    envOf,
    callerOf,
    services,
    onSessionEnd: async (env, sessionId) => census?.sessionEnded(env, sessionId),
    idleMs,
    askTimeoutMs,
  });
  const admin =
    options.admin === false
      ? undefined
      : createAdmin<HybridEnv>({
          catalogue,
          report,
          stages: cutover,
          census: census === undefined ? NO_CENSUS : censusPort(census),
          paths: routes.paths,
          names,
          settings,
          warningsOf: (env) => environmentOf(env).warnings,
        });
  const fetch = createRouter<HybridEnv>({
    catalogue,
    report,
    routes,
    callerOf,
    envOf,
    environmentOf,
    cutover,
    ...(catalogue.conditional.length > 0 && { definitionsFor: (caller) => visibleTo(catalogue, caller, report) }),
    stateless: createStatelessHalf({
      catalogue,
      world,
      report,
      services,
      path: routes.paths.mcp,
      ...(legacy !== undefined && { sessionsAt: routes.paths.legacy }),
    }),
    ...(options.rateLimitKey !== undefined && { rateKeyOf: options.rateLimitKey }),
    ...(census !== undefined && { census }),
    ...(admin !== undefined && { admin }),
    ...(options.signIn !== undefined && { signIn: options.signIn }),
    ...(legacy !== undefined && { legacy }),
    ...(options.webmcp !== undefined && { webmcp: options.webmcp }),
  });

  return {
    fetch,
    handler: { fetch },
    StateObject: stateObjectFor({ catalogue, world, report, services, callerOf, envOf }),
    OperatorObject,
    CensusObject: censusObjectWith(envOf),
    LegacyAgent: legacy?.Agent as Agent,
  };
}

/** The census's own environment, under the names that it uses. */
const censusObjectWith = (envOf: (env: object) => HybridEnv): typeof CensusObject =>
  class extends CensusObject {
    constructor(...[ctx, env]: ConstructorParameters<typeof CensusObject>) {
      super(ctx, envOf(env));
    }
  };

const settingsOf = ({ flagKeys, stages, variablePrefixes }: AnyOptions): RouteSettings => ({
  flagKeys: { ...ROUTE_SETTINGS.flagKeys, ...flagKeys },
  usual: { ...ROUTE_SETTINGS.usual, ...stages },
  variablePrefix: { ...ROUTE_SETTINGS.variablePrefix, ...variablePrefixes },
});

const usualVars = ({ defaults = {} }: AnyOptions): UsualVars => ({
  ...(defaults.sessionIdleMs !== undefined && { SESSION_IDLE_MS: defaults.sessionIdleMs }),
  ...(defaults.askTimeoutMs !== undefined && { ASK_TIMEOUT_MS: defaults.askTimeoutMs }),
  ...(defaults.keepSessions === true && { KEEP_SESSIONS: 'on' as const }),
});

/** What the Worker answers nothing without; the other bindings are there or not. */
function requiredBy({ legacy, census, admin }: AnyOptions): ReadonlySet<keyof BindingNames> {
  const required = new Set<keyof BindingNames>(['state']);
  if (legacy !== undefined) required.add('legacy');
  if (census === true) required.add('census');
  if (admin === true) required.add('operator');
  return required;
}
