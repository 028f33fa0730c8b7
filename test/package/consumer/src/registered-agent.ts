import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpAgent } from 'agents/mcp';
import { registerTools, type Props } from './registered-tools.ts';

export class MyMCP extends McpAgent<Env, unknown, Props> {
  server = new McpServer({ name: 'my-server', version: '1.0.0' });

  async init(): Promise<void> {
    registerTools(this.server, { env: this.env, props: this.props });
  }
}
