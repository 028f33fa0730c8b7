import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpAgent } from 'hybrid-mcp/agent';
import { guard } from 'hybrid-mcp/sign-in';
import { door } from './own-function.ts';

export class MyMCP extends McpAgent<Cloudflare.Env, unknown, { subject?: string }> {
  server = new McpServer({ name: 'my-agent', version: '1.0.0' });

  override async init(): Promise<void> {
    this.server.registerTool('who', {}, () => ({
      content: [{ type: 'text', text: this.props?.subject ?? 'nobody' }],
    }));
  }
}

export default guard(door, MyMCP.serve('/mcp'));
