/**
 * Hands requests of the legacy route to `McpAgent`'s own handlers, for both of its transports. An agent is entered with one
 * request, a session of the old transport is begun by listening only, and streams end and live with their clients.
 */
import { McpAgent } from 'agents/mcp';
import { agentName, type SessionAgentApi, type SessionStanding } from '../state/transfer.ts';
import { Reached, SessionNotBegun, withCheckedEntrance, withOneEntrance } from './entrance.ts';
import { Bridge } from './stream.ts';

export interface LegacyLaneSetup {
  /** The name of the Durable Object binding in the Worker's configuration. Default: `LEGACY_AGENT`. */
  readonly binding?: string;
  /** The path of the Streamable HTTP transport. Default: `/legacy/mcp`. */
  readonly streamablePath?: string;
  /** The path of the HTTP+SSE transport. Its clients post to this path with `/message`. Default: `/legacy/sse`. */
  readonly ssePath?: string;
  /** Milliseconds between comments on a stream that only listens. Default: 25,000. */
  readonly keepAliveMs?: number;
  /** True for agents that want the caller's properties with each call. A class that has no use for them never sees them. */
  readonly tellsProps?: boolean;
}

export interface LegacyLane {
  fetch(request: Request, env: object, ctx: ExecutionContext): Promise<Response>;
  /** True for a session id that this lane can have given out. */
  isSessionId(env: object, sessionId: string): boolean;
  /** How a session stands for this caller. */
  standing(
    env: object,
    session: { readonly transport: string; readonly id: string },
    caller: { readonly subject: string | undefined },
  ): Promise<SessionStanding>;
  /** Ends a session, drained or not, with its state. */
  endSession(env: object, sessionId: string): Promise<void>;
  /** The name of the session's agent, by which a state object reaches it. */
  agentName(sessionId: string): string;
}

export function createLegacyLane(setup: LegacyLaneSetup = {}): LegacyLane {
  const { binding = 'LEGACY_AGENT', streamablePath = '/legacy/mcp', ssePath = '/legacy/sse' } = setup;
  const { keepAliveMs, tellsProps = false } = setup;
  const streamable = servedWithOneEntrance(streamablePath, { binding, keepAliveMs, tellsProps });
  const sse = servedWithOneEntrance(ssePath, { binding, transport: 'sse', keepAliveMs, tellsProps });
  const agentsIn = (env: object): DurableObjectNamespace => {
    const agents: unknown = (env as Readonly<Record<string, unknown>>)[binding];
    if (agents !== undefined) return agents as DurableObjectNamespace;
    throw new TypeError(
      `There is no binding ${binding}. Add a Durable Object binding of that name for the agent's class.`,
    );
  };
  const sessionIn = (env: object, sessionId: string) => agentCalled(agentsIn(env), agentName(sessionId));
  return {
    isSessionId: (env, sessionId) => isSessionId(agentsIn(env), sessionId),
    standing: (env, { transport, id }, { subject }) =>
      agentCalled(agentsIn(env), transport === 'streamable' ? agentName(id) : `sse:${id}`).standing({ subject }),
    endSession: (env, sessionId) => sessionIn(env, sessionId).endSession(),
    agentName,
    async fetch(request, env, ctx) {
      // The agents alone: whatever else the Worker has is not the package's to look at.
      const agents = { [binding]: agentsIn(env) };
      if (!isAt(ssePath, request.url)) return streamable.fetch(request, agents, ctx);
      return isKnown(agentsIn(env), request) ? sse.fetch(request, agents, ctx) : sessionNotFound();
    },
  };
}

/** A look at the path: parsing the URL takes longer, and the package does it again. */
function isAt(path: string, url: string): boolean {
  const start = url.indexOf('/', url.indexOf('//') + '//'.length);
  return url.startsWith(path, start) && /^(\/message)?([?#]|$)/.test(url.slice(start + path.length));
}

/**
 * True for a session id that this namespace can have given out. Ids are checked before an agent is woken: an agent
 * writes to its storage as it starts, so every invented id would otherwise leave a Durable Object behind.
 */
function isSessionId(agents: DurableObjectNamespace, sessionId: string): boolean {
  // The platform reads an id in capitals as the same id, and the package would name another object by it.
  if (sessionId !== sessionId.toLowerCase()) return false;
  try {
    agents.idFromString(sessionId);
    return true;
  } catch {
    return false;
  }
}

/** True for a request of the old transport that has no session id, which the package answers itself, or one that can exist. */
function isKnown(agents: DurableObjectNamespace, request: Request): boolean {
  const sessionId = new URL(request.url).searchParams.get('sessionId');
  if (sessionId === null) return true;
  return sessionId === '' ? request.method === 'GET' : isSessionId(agents, sessionId);
}

const agentCalled = (agents: DurableObjectNamespace, name: string): SessionAgentApi =>
  agents.getByName(name) as unknown as SessionAgentApi;

export interface ServeOptions extends NonNullable<Parameters<typeof McpAgent.serve>[1]> {
  /** Milliseconds between comments on a stream that only listens. Default: 25,000. */
  readonly keepAliveMs?: number | undefined;
  /** True for agents that want the caller's properties with each call. */
  readonly tellsProps?: boolean;
}

/** Less than the minute after which many proxies cut a silent connection, with one comment to spare. */
const KEEP_ALIVE_MS = 25_000;

/**
 * A class as the package serves it, for one transport.
 * @param path The pathname, as the package takes it.
 * @param options The package's own, and the interval of comments.
 */
export function servedWithOneEntrance(
  path: string,
  { keepAliveMs = KEEP_ALIVE_MS, tellsProps = false, ...options }: ServeOptions,
): { fetch(request: Request, env: object, ctx: ExecutionContext): Promise<Response> } {
  const { binding = 'MCP_OBJECT', transport = 'streamable-http' } = options;
  const plain = McpAgent.serve(path, options);
  const reached = new Reached();
  return {
    async fetch(request, env, ctx) {
      const namespace: unknown = (env as Readonly<Record<string, unknown>>)[binding];
      const isUsable = typeof namespace === 'object' && namespace !== null && 'newUniqueId' in namespace;
      // A binding that is missing is refused in the package's own words.
      if (!isUsable) return plain.fetch(request, env, ctx);
      const { method } = request;
      const bridge = new Bridge();
      const entering = { method, props: ctx.props as object | undefined, bridge, tellsProps };
      const begins = !request.headers.has('mcp-session-id');
      const agents = isOldTransport(transport, request)
        ? withCheckedEntrance(namespace as DurableObjectNamespace, entering)
        : withOneEntrance(namespace as DurableObjectNamespace, { ...entering, begins, reached });
      try {
        const response = await plain.fetch(request, { ...env, [binding]: agents }, ctx);
        // The package itself keeps the stream of a POST alive.
        return bridge.answer(response, method === 'GET' ? keepAliveMs : undefined);
      } catch (cause) {
        if (cause instanceof SessionNotBegun) return sessionNotFound();
        throw cause;
      }
    },
  };
}

/** As the package tells them apart where it serves both at one path. */
function isOldTransport(transport: NonNullable<ServeOptions['transport']>, { method, url, headers }: Request): boolean {
  if (transport !== 'auto') return transport === 'sse';
  if (method === 'GET') return !headers.has('mcp-session-id');
  return method === 'POST' && new URL(url).pathname.endsWith('/message');
}

/** In the package's own words, for POST and for GET. */
export const sessionNotFound = (): Response =>
  new Response(JSON.stringify({ error: { code: -32_001, message: 'Session not found' }, id: null, jsonrpc: '2.0' }), {
    status: 404,
  });
