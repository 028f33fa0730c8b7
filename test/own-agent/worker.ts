/** The same server twice: as the agents package serves it, and with one import changed. */
import { McpAgent as PlainMcpAgent } from 'agents/mcp';
import { CensusObject, McpAgent, operatorApi, OperatorObject } from 'hybrid-mcp/agent';
import { createHybrid } from 'hybrid-mcp';
import { agentLane } from 'hybrid-mcp/legacy';
import { carried } from './carried.ts';
import { catalogue } from './catalogue.ts';
import { SubscribedMCP } from './subscribed.ts';
import { makeServer, register, type OwnProps, type OwnState } from './own-server.ts';

export { CensusObject, OperatorObject, SubscribedMCP };
/** The class that docs/sign-in.md shows. */
export { MyMCP as GuardedMCP } from '../../docs/examples/sign-in/own-class.ts';

export class PlainMCP extends PlainMcpAgent<Cloudflare.Env, OwnState, OwnProps> {
  server = makeServer();
  override initialState = { counter: 0 };
  runs = 0;

  override async init(): Promise<void> {
    register(this);
  }
}

export class MyMCP extends McpAgent<Cloudflare.Env, OwnState, OwnProps> {
  static override readonly hybrid = { subject: 'userId' };
  server = makeServer();
  override initialState = { counter: 0 };
  runs = 0;

  override async init(): Promise<void> {
    register(this);
  }
}

/** The class as it is in production, beside a catalogue that takes its place. */
const hybrid = createHybrid({
  catalogue,
  legacy: agentLane(PlainMCP),
  bindings: { legacy: 'CLASSIC_OBJECT' },
  paths: {
    legacy: '/classic',
    sse: '/classic-sse',
    mcp: '/next',
    landing: '/next-page',
    health: '/next-health',
    admin: '/next-admin',
  },
  subject: 'userId',
});
export class ClassicMCP extends hybrid.LegacyAgent {}
export class StateObject extends hybrid.StateObject {}

/** A class whose state moves with its sessions. */
export class CarriedMCP extends carried.LegacyAgent {}
export class CarriedState extends carried.StateObject {}

const plain = PlainMCP.serve('/plain', { binding: 'PLAIN_OBJECT' });
const plainSse = PlainMCP.serveSSE('/plain-sse', { binding: 'PLAIN_OBJECT' });
const own = MyMCP.serve('/mcp');
const subscribed = SubscribedMCP.serve('/subscribed', { binding: 'SUBSCRIBED_OBJECT' });
const operator = operatorApi({ name: 'own', version: '1.0.0' });
const ownSse = MyMCP.serveSSE('/sse');

export default {
  fetch(request, env, ctx) {
    // As a sign-in in front of the server does it.
    const userId = request.headers.get('x-user');
    const role = request.headers.get('x-role');
    if (userId !== null) Object.assign(ctx, { props: { userId, ...(role !== null && { role }) } });
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/admin/')) return operator.fetch(request, env, ctx);
    if (/^\/(classic|next)/.test(pathname)) return hybrid.fetch(request, env, ctx);
    if (pathname.startsWith('/carried')) return carried.fetch(request, env, ctx);
    if (pathname === '/subscribed') return subscribed.fetch(request, env, ctx);
    if (pathname === '/plain') return plain.fetch(request, env, ctx);
    if (pathname.startsWith('/plain-sse')) return plainSse.fetch(request, env, ctx);
    if (pathname.startsWith('/sse')) return ownSse.fetch(request, env, ctx);
    return own.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Env>;
