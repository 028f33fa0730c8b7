/** `MyMCP.serve(path)` for both generations of clients: the package's own handler, and the stateless lanes beside it. */
import type { McpAgent } from 'agents/mcp';
import type { Cutover } from '../cutover/cutover.ts';
import { createFront } from '../hosted/front.ts';
import { servedWithOneEntrance } from '../legacy/lane.ts';
import { RecentMap } from '../shared/recent-map.ts';
import { reportConfiguration } from '../shared/pipeline/report.ts';
import { consoleReporter as report } from '../state/log.ts';
import { eraOf } from '../stateless/request.ts';
import { createHostedLane } from '../stateless/hosted/lane.ts';
import { isNamespace, ownAgentEnv, saysStages, stageProblems } from './environment.ts';
import { optionsOf, ownAgentSettings, type OwnAgentSettings } from './options.ts';
import { census, cutover } from './shared.ts';

/** The options of the agents package's `serve`. */
export type ServeOptions = NonNullable<Parameters<typeof McpAgent.serve>[1]>;

/** What `serve` gives: what the agents package's does, and what a sign-in in front of it asks. */
export type Served = ReturnType<typeof McpAgent.serve> & {
  /** The answer to a client whose generation this URL serves no more, whoever calls; undefined where it does. */
  closed(request: Request, env: unknown, ctx: ExecutionContext): Promise<Response | undefined>;
};

/** More paths than a Worker serves a class at. */
const MAX_SERVED = 32;
const servedBy = new WeakMap<object, RecentMap<Served>>();

/**
 * The same for the same path and options: people call `serve` in the handler of each request, and what has been found out
 * of the class and its sessions is kept by what serves it.
 * @param agentClass The class that is served, for what it says of itself.
 */
export function serveOwnAgent(agentClass: object, path: string, options: ServeOptions = {}): Served {
  const known = servedBy.get(agentClass) ?? new RecentMap<Served>(MAX_SERVED);
  servedBy.set(agentClass, known);
  const key = JSON.stringify([path, options]);
  const served = known.get(key) ?? makeServed(agentClass, path, options);
  known.set(key, served);
  return served;
}

function makeServed(agentClass: object, path: string, options: ServeOptions): Served {
  const { binding = 'MCP_OBJECT', transport = 'streamable-http', jurisdiction, corsOptions } = options;
  const plain = servedWithOneEntrance(path, options);
  const envOf = ownAgentEnv(binding);
  const known = new WeakMap<object, OwnAgentSettings>();
  const said = new Set<string>();
  const warnOnce = (about: string, problem: string): void => {
    if (said.has(about)) return;
    said.add(about);
    reportConfiguration(report, [problem], 'configuration_warning');
  };
  const settingsOf = (env: object): OwnAgentSettings => {
    const before = known.get(env);
    if (before !== undefined) return before;
    const { settings, problems } = ownAgentSettings(optionsOf(agentClass), env);
    known.set(env, settings);
    for (const problem of [...problems, ...stageProblems(env)]) warnOnce(problem, problem);
    return settings;
  };
  const lane = createHostedLane(path, report);
  const front = createFront({
    plain,
    path,
    isOldTransport: transport === 'sse',
    agents: (env) => namespaceIn(env, binding, jurisdiction),
    cutover: (env): Cutover | undefined => (saysStages(env) ? cutover(envOf(env)) : undefined),
    census,
    envOf,
    eraOf,
    answer: lane.fetch,
    settingsOf,
    corsHeaders: corsHeadersOf(corsOptions),
    onNoSubject: (props) => warnOnce('subject', noSubject(props)),
    onHandleClash: (problem) => warnOnce('handles', problem),
  });
  return {
    fetch: async (request, env, ctx) => {
      // Whoever asks first: what a variable cannot say has to be known before the client that it is about comes.
      settingsOf(env as object);
      return front.fetch(request, env as object, ctx);
    },
    closed: (request, env, ctx) => front.closed(request, env as object, ctx),
  };
}

function namespaceIn(env: object, binding: string, jurisdiction: ServeOptions['jurisdiction']): DurableObjectNamespace {
  const namespace: unknown = (env as Readonly<Record<string, unknown>>)[binding];
  if (!isNamespace(namespace)) {
    throw new TypeError(
      `There is no Durable Object binding ${binding}. Add it to the Wrangler configuration for the class that is served, or name the one that is there: serve(path, { binding: "…" }).`,
    );
  }
  return jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction);
}

/** Names the properties, which are the application's own words, and none of their values. */
const noSubject = (props: object): string =>
  `The sign-in names no caller: none of its properties (${Object.keys(props).join(', ')}) is the subject. Name the one that is, for example by the variable AGENT_SUBJECT=claims.sub; until then 2026-07-28 clients are answered as the plain class answers them.`;

/** The headers that the agents package sets for the same options. */
function corsHeadersOf(cors: ServeOptions['corsOptions'] = {}): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Headers':
      cors.headers ?? 'Content-Type, Accept, Authorization, mcp-session-id, mcp-protocol-version',
    'Access-Control-Allow-Methods': cors.methods ?? 'GET, POST, DELETE, OPTIONS',
    'Access-Control-Allow-Origin': cors.origin ?? '*',
    'Access-Control-Expose-Headers': cors.exposeHeaders ?? 'mcp-session-id',
    'Access-Control-Max-Age': String(cors.maxAge ?? 86_400),
  };
}
