/** Composes a Worker: the lanes, the router, the cutover, and the classes of its Durable Objects. */
import { createAdmin } from '../cutover/admin/admin.ts';
import { censusPort } from '../cutover/admin/census-port.ts';
import { CensusObject } from '../cutover/census/census-object.ts';
import { createCensus } from '../cutover/census/collect.ts';
import { createCutover } from '../cutover/cutover.ts';
import { OperatorObject } from '../cutover/operator-object.ts';
import { createConfig } from '../router/config.ts';
import { createRouter } from '../router/router.ts';
import { DEFAULT_PATHS, routesAt } from '../router/routes.ts';
import { subjectIn } from '../shared/caller.ts';
import { reportUnavailable } from '../shared/pipeline/report.ts';
import { systemWorld } from '../shared/world.ts';
import { idleMs } from '../state/idle.ts';
import { consoleReporter } from '../state/log.ts';
import { stateObjectFor, type StateObjectClass } from '../state/state-object.ts';
import { createStatelessHalf } from '../stateless/half.ts';
import { createEnvReader, DEFAULT_BINDINGS, type HybridEnv } from './bindings.ts';
import { HybridOptionsError, problemsOf, type HybridOptions } from './options.ts';

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
export function createHybrid<Agent = undefined>(options: HybridOptions<Agent>): Hybrid<Agent> {
  const problems = problemsOf(options);
  if (problems.length > 0) throw new HybridOptionsError(problems);

  const { catalogue, report = consoleReporter, world = systemWorld, subject = 'subject' } = options;
  const routes = routesAt({ ...DEFAULT_PATHS, ...options.paths });
  const envOf = createEnvReader({ ...DEFAULT_BINDINGS, ...options.bindings });
  const subjectOf = typeof subject === 'string' ? subjectIn(subject) : subject;
  const census = createCensus({ onError: (cause) => reportUnavailable(report, cause) });
  const cutover = createCutover(report);

  const legacy = options.legacy?.build({
    catalogue,
    world,
    report,
    paths: routes.paths,
    envOf,
    subjectOf,
    onSessionEnd: (env, sessionId) => census.sessionEnded(env, sessionId),
    idleMs,
  });
  const route = createRouter<HybridEnv>({
    catalogue,
    report,
    routes,
    subjectOf,
    configOf: createConfig(options.defaults),
    cutover,
    census,
    admin: createAdmin({ catalogue, report, stages: cutover, census: censusPort(census) }),
    stateless: createStatelessHalf({ catalogue, world, report, path: routes.paths.mcp }),
    ...(legacy !== undefined && { legacy }),
  });

  const fetch: Hybrid<Agent>['fetch'] = (request, env, ctx) => route(request, envOf(env), ctx);
  return {
    fetch,
    handler: { fetch },
    StateObject: stateObjectFor({ catalogue, world, envOf }),
    OperatorObject,
    CensusObject,
    LegacyAgent: legacy?.Agent as Agent,
  };
}
