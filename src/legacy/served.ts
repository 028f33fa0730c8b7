/**
 * A class as the agents package serves it: each agent is entered with one request, a session of the old transport is begun
 * by listening only, and streams end and live with their clients.
 */
import { McpAgent } from 'agents/mcp';
import { Reached, SessionNotBegun, withCheckedEntrance, withOneEntrance } from './entrance.ts';
import { Bridge } from './stream.ts';

export interface ServeOptions extends NonNullable<Parameters<typeof McpAgent.serve>[1]> {
  /** Milliseconds between comments on a stream that only listens. Default: 25,000. */
  readonly keepAliveMs?: number | undefined;
}

/** Less than the minute after which many proxies cut a silent connection, with one comment to spare. */
const KEEP_ALIVE_MS = 25_000;

/**
 * @param path The pathname, as the package takes it.
 * @param options The package's own, and the interval of comments.
 */
export function servedWithOneEntrance(
  path: string,
  { keepAliveMs = KEEP_ALIVE_MS, ...options }: ServeOptions,
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
      const entering = { method, props: ctx.props as object | undefined, bridge };
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
