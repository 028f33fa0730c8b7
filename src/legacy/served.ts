/** A class as the agents package serves it, each agent entered with one request. */
import { McpAgent } from 'agents/mcp';
import { Reached, SessionNotBegun, withOneEntrance } from './entrance.ts';

type ServeOptions = NonNullable<Parameters<typeof McpAgent.serve>[1]>;

/**
 * @param path The pathname, as the package takes it.
 * @param options The package's own.
 */
export function servedWithOneEntrance(
  path: string,
  options: ServeOptions,
): { fetch(request: Request, env: object, ctx: ExecutionContext): Promise<Response> } {
  const { binding = 'MCP_OBJECT', transport, jurisdiction } = options;
  const plain = McpAgent.serve(path, options);
  const reached = new Reached();
  // Within a jurisdiction the package derives a namespace of its own, which is served in the package's own steps.
  const asIs = transport === 'sse' || transport === 'auto' || jurisdiction !== undefined;
  return {
    async fetch(request, env, ctx) {
      const namespace: unknown = (env as Readonly<Record<string, unknown>>)[binding];
      const isUnusable = typeof namespace !== 'object' || namespace === null || !('newUniqueId' in namespace);
      // A binding that is missing is refused in the package's own words.
      if (asIs || isUnusable) return plain.fetch(request, env, ctx);
      const agents = withOneEntrance(namespace as DurableObjectNamespace, {
        method: request.method,
        props: ctx.props as object | undefined,
        begins: !request.headers.has('mcp-session-id'),
        reached,
      });
      try {
        return await plain.fetch(request, { ...env, [binding]: agents }, ctx);
      } catch (cause) {
        if (cause instanceof SessionNotBegun) return sessionNotFound();
        throw cause;
      }
    },
  };
}

/** In the package's own words, for POST and for GET. */
export const sessionNotFound = (): Response =>
  new Response(JSON.stringify({ error: { code: -32_001, message: 'Session not found' }, id: null, jsonrpc: '2.0' }), {
    status: 404,
  });
