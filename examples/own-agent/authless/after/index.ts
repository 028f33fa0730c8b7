/** A server without a sign-in and without state: a few tools over a public API. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpAgent } from 'hybrid-mcp/agent';
import { z } from 'zod';

export class MyMCP extends McpAgent {
  server = new McpServer({ name: 'Units', version: '1.0.0' });

  async init() {
    this.server.tool('add', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }));

    this.server.tool(
      'convert',
      'Converts a length',
      { value: z.number(), from: z.enum(['m', 'km', 'mi']), to: z.enum(['m', 'km', 'mi']) },
      async ({ value, from, to }) => {
        const metres = { m: 1, km: 1000, mi: 1609.344 };
        return { content: [{ type: 'text', text: String((value * metres[from]) / metres[to]) }] };
      },
    );

    this.server.registerTool(
      'divide',
      { description: 'Divides two numbers', inputSchema: { a: z.number(), b: z.number() } },
      async ({ a, b }) => {
        if (b === 0) return { content: [{ type: 'text', text: 'Cannot divide by zero' }], isError: true };
        return { content: [{ type: 'text', text: String(a / b) }] };
      },
    );

    this.server.resource('units', 'units://all', async (uri) => ({
      contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(['m', 'km', 'mi']) }],
    }));
  }
}

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext) {
    const url = new URL(request.url);
    if (url.pathname === '/healthz') return new Response('ok');
    if (url.pathname === '/sse' || url.pathname === '/sse/message') {
      return MyMCP.serveSSE('/sse').fetch(request, env, ctx);
    }
    if (url.pathname === '/mcp') return MyMCP.serve('/mcp').fetch(request, env, ctx);
    return new Response('Not found', { status: 404 });
  },
};
