/** A class of one's own for the official suite: as the agents package serves it, and with its import changed. */
import { McpAgent as PlainMcpAgent } from 'agents/mcp';
import { McpAgent } from 'hybrid-mcp/agent';
import { makeServer, register } from './server.ts';

export class PlainMCP extends PlainMcpAgent {
  server = makeServer();

  override async init(): Promise<void> {
    register(this.server);
  }
}

export class MyMCP extends McpAgent {
  server = makeServer();

  override async init(): Promise<void> {
    register(this.server);
  }
}

const plain = PlainMCP.serve('/plain', { binding: 'PLAIN_OBJECT' });
const wrapped = MyMCP.serve('/wrapped');
const hosted = MyMCP.serve('/hosted');

/** In one deployment every path has the same stages; here the paths stand for deployments. */
const HOSTED = { LEGACY_ROUTE_STAGE: 'stateless', MCP_ROUTE_STAGE: 'stateless' } as const;

export default {
  fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === '/plain') return plain.fetch(request, env, ctx);
    if (pathname === '/wrapped') return wrapped.fetch(request, env, ctx);
    // As a sign-in does it: the suite has none.
    Object.assign(ctx, { props: { subject: 'suite' } });
    return hosted.fetch(request, hostedIn(env), ctx);
  },
} satisfies ExportedHandler<Env>;

const known = new WeakMap<object, Env>();

function hostedIn(env: Env): Env {
  const made = known.get(env) ?? { ...env, ...HOSTED };
  known.set(env, made);
  return made;
}
