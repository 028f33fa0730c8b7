/** A server behind a sign-in: properties of the caller, tools by permission, an API that is called with the caller's token. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpAgent } from 'agents/mcp';
import { z } from 'zod';

interface ApiEnv {
  /** Whom the tools ask. */
  API_URL?: string;
}

type Props = { login: string; role: 'admin' | 'reader'; accessToken: string };

const ALLOWED_TO_DELETE = new Set(['admin']);

export class MyMCP extends McpAgent<Cloudflare.Env & ApiEnv, unknown, Props> {
  server = new McpServer({ name: 'Tickets', version: '2.1.0' });

  private get api() {
    const { accessToken } = this.props ?? { accessToken: '' };
    const base = this.env.API_URL ?? 'http://localhost:1';
    return (path: string, init?: RequestInit) =>
      fetch(base + path, { ...init, headers: { authorization: `Bearer ${accessToken}` } });
  }

  async init() {
    if (!this.props?.login) throw new Error('Sign in first');

    this.server.registerTool('whoami', { description: 'Says who you are' }, async () => ({
      content: [{ type: 'text', text: `${this.props?.login} (${this.props?.role})` }],
    }));

    this.server.tool(
      'listTickets',
      'Lists your tickets',
      { limit: z.number().int().max(50).default(10) },
      async ({ limit }) => {
        const response = await this.api(`/tickets?limit=${limit}`);
        if (!response.ok)
          return { content: [{ type: 'text', text: `The API said ${response.status}` }], isError: true };
        return { content: [{ type: 'text', text: await response.text() }] };
      },
    );

    if (ALLOWED_TO_DELETE.has(this.props.role)) {
      this.server.tool('deleteTicket', { id: z.string() }, async ({ id }) => {
        await this.api(`/tickets/${encodeURIComponent(id)}`, { method: 'DELETE' });
        return { content: [{ type: 'text', text: `Deleted ${id}` }] };
      });
    }
  }
}

/** Stands for the sign-in: tokens of the form `login:role`. */
function propsOf(request: Request): Props | undefined {
  const token = request.headers.get('authorization')?.match(/^Bearer (\w+):(admin|reader)$/);
  if (!token?.[1]) return undefined;
  return { login: token[1], role: token[2] as Props['role'], accessToken: `api-${token[1]}` };
}

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext) {
    const url = new URL(request.url);
    if (url.pathname === '/healthz') return new Response('ok');
    const props = propsOf(request);
    if (!props) return new Response('Unauthorized', { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
    Object.assign(ctx, { props });
    return MyMCP.serve('/mcp').fetch(request, env, ctx);
  },
};
