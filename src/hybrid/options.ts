/** The options of `createHybrid` and their defaults. What may be wrong with them is in check-options.ts. */
import type { RouteSettings, StageOf } from '../cutover/stage.ts';
import type { LegacyLane } from '../lane/contract.ts';
import type { ConfigDefaults } from '../router/config.ts';
import type { RateKeyReader } from '../router/door/rate.ts';
import type { RoutePaths } from '../router/routes.ts';
import type { WebmcpFiles } from '../router/webmcp.ts';
import type { SubjectReader } from '../shared/caller.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { World } from '../shared/define/context.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import type { BindingNames, HybridEnv } from './bindings.ts';

/** What `createHybrid` is given. Only the catalogue is required. */
export interface HybridOptions<Agent = undefined> {
  /** The tools, prompts and resources that every lane serves: the result of `createCatalogue`. */
  readonly catalogue: Catalogue;
  /** The legacy lane, from `hybrid-mcp/legacy`. Without it the Worker serves the stateless lanes only. */
  readonly legacy?: LegacyLane<HybridEnv, Agent>;
  /** The paths of the routes, each beginning with `/`. Default: `/mcp`, `/legacy/mcp`, `/legacy/sse`, `/`, `/healthz`, `/admin`, `/webmcp`. */
  readonly paths?: Partial<RoutePaths>;
  /** What the Worker calls its bindings, if not by the default names. */
  readonly bindings?: Partial<BindingNames>;
  /** The property of the sign-in that names the caller, or a function that finds it. Default: `subject`. */
  readonly subject?: string | SubjectReader;
  /** The stage of each route if no flag was ever made. Default: `legacy`, `legacy`, and `stateless` for `mcp`. */
  readonly stages?: Partial<StageOf>;
  /** The key of each route's flag. Default: `legacy-route`, `legacy-sse-route`, `mcp-route`. */
  readonly flagKeys?: Partial<RouteSettings['flagKeys']>;
  /** What the variables of each route begin with. Default: `LEGACY_ROUTE`, `LEGACY_SSE_ROUTE`, `MCP_ROUTE`. */
  readonly variablePrefixes?: Partial<RouteSettings['variablePrefix']>;
  /** Limits and allow-lists that hold if no environment variable says otherwise. */
  readonly defaults?: HybridDefaults;
  /** What a bound rate limiter counts requests by. Default: the client's address. */
  readonly rateLimitKey?: RateKeyReader;
  /** False: nothing is counted. True: the Worker answers nothing without the binding. Default: counted if it is bound. */
  readonly census?: boolean;
  /** False: no operator API. True: the Worker answers nothing without the operator's binding. Default: there if it is signed in to. */
  readonly admin?: boolean;
  /** What pages load to have the tools in the browser's model context, from `hybrid-mcp/webmcp-files`. Default: nothing is served. */
  readonly webmcp?: WebmcpFiles;
  /** Where faults and their causes go. Default: one line of JSON each on the console, without what clients sent. */
  readonly report?: Reporter;
  /** The clock, random numbers, ids and network that tools see. Default: the platform's. */
  readonly world?: World;
}

export interface HybridDefaults extends ConfigDefaults {
  /** Milliseconds after which a session or state that nobody uses is removed. */
  readonly sessionIdleMs?: number;
  /** Milliseconds for which a question waits for the user on the legacy lane. */
  readonly askTimeoutMs?: number;
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
