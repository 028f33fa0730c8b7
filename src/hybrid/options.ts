/** The options of `createHybrid` and their defaults. What may be wrong with them is in check-options.ts. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { RouteSettings, StageOf } from '../cutover/stage.ts';
import type { LegacyLane } from '../lane/contract.ts';
import type { ConfigDefaults } from '../router/config.ts';
import type { RateKeyReader } from '../router/door/rate.ts';
import type { RoutePaths } from '../router/routes.ts';
import type { SignInDoor } from '../router/sign-in.ts';
import type { WebmcpFiles } from '../router/webmcp.ts';
import type { Caller, Properties, ScopesReader, SubjectReader } from '../shared/caller.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { World } from '../shared/define/context.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import type { BindingNames, HybridEnv } from './bindings.ts';

/**
 * What `createHybrid` is given. Only the catalogue is required, and what its definitions need: `services` if they name
 * services, and `properties` if they read the sign-in's properties by their types.
 */
export type HybridOptions<
  Agent = undefined,
  Services = unknown,
  P = Properties,
  Environment = Cloudflare.Env,
> = HybridBaseOptions<Agent, Services, P> &
  (unknown extends Services
    ? Partial<WithServices<Services, P, Environment>>
    : WithServices<Services, P, Environment>) &
  (Properties extends P ? Partial<WithProperties<P>> : WithProperties<P>);

/** Where the services of tools, prompts and resources come from. */
export interface WithServices<Services, P, Environment> {
  /**
   * Makes what the definitions need of bindings, secrets and the caller: at most once per request, when it is first read,
   * and in the object that owns the state for a reducer. It must have no effect: it is asked once for a caller without a
   * sign-in at an isolate's first request, so that a missing binding is told before the first call. To read a binding that is not
   * there is an error that names it.
   */
  readonly services: (env: Environment, caller: Caller<P>) => NoInfer<Services>;
}

/** What the properties of the sign-in are. */
export interface WithProperties<P> {
  /**
   * The schema of the sign-in's properties, which answers at once. Properties that it refuses are reported, and their
   * caller has none. Plain JSON values only.
   */
  readonly properties: StandardSchemaV1<unknown, P>;
}

/** The options that do not depend on what the catalogue needs. */
export interface HybridBaseOptions<Agent, Services, P> {
  /** The tools, prompts and resources that every lane serves: the result of `createCatalogue`. */
  readonly catalogue: Catalogue<Services, P>;
  /** The legacy lane, from `hybrid-mcp/legacy`. Without it the Worker serves the stateless lanes only. */
  readonly legacy?: LegacyLane<HybridEnv, Agent>;
  /** The paths of the routes, each beginning with `/`. Default: `/mcp`, `/legacy/mcp`, `/legacy/sse`, `/`, `/healthz`, `/admin`, `/webmcp`. */
  readonly paths?: Partial<RoutePaths>;
  /** What the Worker calls its bindings, if not by the default names. */
  readonly bindings?: Partial<BindingNames>;
  /** The property of the sign-in that names the caller, or a function that finds it. Default: `subject`. */
  readonly subject?: string | SubjectReader;
  /** The property of the sign-in that holds the scopes, as a list or a text, or a function that finds them. Default: `scopes`, else `scope`. */
  readonly scopes?: string | ScopesReader;
  /** The property of the sign-in that names the OAuth client, or a function that finds it. Default: `clientId`, else `client_id`. */
  readonly clientId?: string | SubjectReader;
  /**
   * A sign-in in front of both routes: the result of `signIn()`, which `hybrid-mcp/sign-in` exports. Pages, probes, the
   * operator API and what is gone answer without it. Leave it out if something in front of this Worker asks for a sign-in.
   */
  readonly signIn?: SignInDoor<never>;
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

/** The options whatever the catalogue needs. */
export type AnyOptions = HybridBaseOptions<unknown, unknown, Properties> &
  Partial<WithServices<unknown, never, never>> &
  Partial<WithProperties<unknown>>;

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
