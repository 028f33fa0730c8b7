/** Hands requests of the legacy route to `McpAgent`'s own handlers, for both of its transports. */
import { McpAgent } from 'agents/mcp';
import { agentName, type SessionAgentApi, type SessionStanding } from '../state/transfer.ts';
import { Reached, SessionNotBegun, withOneEntrance } from './entrance.ts';

/** The name of the Durable Object binding in the Worker's configuration. */
const BINDING = 'LEGACY_AGENT';

export const LEGACY_MCP_PATH = '/legacy/mcp';
export const LEGACY_SSE_PATH = '/legacy/sse';

export interface LegacyEnv {
  readonly LEGACY_AGENT: DurableObjectNamespace;
}

export interface LegacyLane {
  fetch(request: Request, env: LegacyEnv, ctx: ExecutionContext): Promise<Response>;
  /** True for a session id that this lane can have given out. */
  isSessionId(env: LegacyEnv, sessionId: string): boolean;
  /** False where a session belongs to another subject. */
  admits(env: LegacyEnv, transport: string, sessionId: string, subject: string | undefined): Promise<boolean>;
  /** Where a session is served. */
  standing(env: LegacyEnv, sessionId: string): Promise<SessionStanding>;
  /** Ends a session, drained or not, with its state. */
  endSession(env: LegacyEnv, sessionId: string): Promise<void>;
  /** The name of the session's agent, by which a state object reaches it. */
  agentName(sessionId: string): string;
}

export function createLegacyLane(): LegacyLane {
  const streamable = McpAgent.serve(LEGACY_MCP_PATH, { binding: BINDING });
  const reached = new Reached();
  const sse = McpAgent.serveSSE(LEGACY_SSE_PATH, { binding: BINDING });
  return {
    isSessionId: isLegacySessionId,
    admits: (env, transport, sessionId, subject) =>
      agentCalled(env, transport === 'streamable' ? agentName(sessionId) : `sse:${sessionId}`).admits(subject),
    standing: (env, sessionId) => agentIn(env, sessionId).standing(),
    endSession: (env, sessionId) => agentIn(env, sessionId).endSession(),
    agentName,
    async fetch(request, env, ctx) {
      if (isOldTransport(request.url)) return sse.fetch(request, env, ctx);
      const agents = withOneEntrance(env.LEGACY_AGENT, {
        method: request.method,
        props: ctx.props as object | undefined,
        begins: !request.headers.has('mcp-session-id'),
        reached,
      });
      try {
        return await streamable.fetch(request, { [BINDING]: agents }, ctx);
      } catch (cause) {
        if (cause instanceof SessionNotBegun) return sessionNotFound();
        throw cause;
      }
    },
  };
}

/** A look at the path: parsing the URL takes longer, and the package does it again. */
const isOldTransport = (url: string): boolean =>
  url.startsWith(LEGACY_SSE_PATH, url.indexOf('/', url.indexOf('//') + '//'.length));

/** In the package's own words. */
const sessionNotFound = (): Response =>
  Response.json({ jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null }, { status: 404 });

/**
 * True for a session id that this namespace can have given out. Ids are checked before an agent is woken: an agent
 * writes to its storage as it starts, so every invented id would otherwise leave a Durable Object behind.
 */
function isLegacySessionId(env: LegacyEnv, sessionId: string): boolean {
  // The platform reads an id in capitals as the same id, and the package would name another object by it.
  if (sessionId !== sessionId.toLowerCase()) return false;
  try {
    env.LEGACY_AGENT.idFromString(sessionId);
    return true;
  } catch {
    return false;
  }
}

const agentIn = (env: LegacyEnv, sessionId: string): SessionAgentApi => agentCalled(env, agentName(sessionId));

const agentCalled = (env: LegacyEnv, name: string): SessionAgentApi =>
  env.LEGACY_AGENT.getByName(name) as unknown as SessionAgentApi;
