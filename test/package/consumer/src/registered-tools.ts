import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

export interface Props extends Record<string, unknown> {
  readonly permissions?: readonly string[];
}

export function registerTools(server: McpServer, { env, props }: { env: Env; props: Props | undefined }): void {
  server.tool('add', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  if (props?.permissions?.includes('admin')) {
    server.tool('bindings', async () => ({ content: [{ type: 'text', text: Object.keys(env).join(', ') }] }));
  }
}
