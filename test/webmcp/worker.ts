/**
 * The fixture catalogue at `/mcp` and `/legacy/mcp`, and a class of one's own at `/own`, behind a sign-in: a token is the
 * name of its user, and `old` is one that has run out. A stage is set as a deployment with other variables would set it.
 */
import { createHybrid } from 'hybrid-mcp';
import { McpAgent } from 'hybrid-mcp/agent';
import { legacyLane } from 'hybrid-mcp/legacy';
import { webmcpFiles } from 'hybrid-mcp/webmcp-files';
import page from '../../examples/desk/webmcp.html';
import { fixtureCatalogue as catalogue } from '../fixture/catalogue.ts';
import { makeServer, register, type OwnProps, type OwnState } from '../own-agent/own-server.ts';

const hybrid = createHybrid({ catalogue, legacy: legacyLane(), webmcp: webmcpFiles({ page }) });

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}
export class OperatorObject extends hybrid.OperatorObject {}
export class CensusObject extends hybrid.CensusObject {}

export class MyMCP extends McpAgent<Cloudflare.Env, OwnState, OwnProps> {
  static override readonly hybrid = { subject: 'userId' };
  server = makeServer();
  override initialState = { counter: 0 };
  runs = 0;

  override async init(): Promise<void> {
    register(this);
  }
}

const own = MyMCP.serve('/own');
let deployed: Readonly<Record<string, string>> = {};

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === '/deploy') {
      deployed = await request.json();
      return new Response();
    }
    if (pathname === '/blank') return new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html' } });
    const [, token] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
    if (token === 'old' && !pathname.startsWith('/admin')) {
      return Response.json({ error: 'invalid_token' }, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
    }
    if (token !== undefined) Object.assign(ctx, { props: { userId: token, subject: token } });
    const variables = { ...env, ...deployed };
    return pathname === '/own' ? own.fetch(request, variables, ctx) : hybrid.fetch(request, variables, ctx);
  },
} satisfies ExportedHandler<Env>;
