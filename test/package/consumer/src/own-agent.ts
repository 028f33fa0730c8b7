import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpAgent } from 'hybrid-mcp/agent'; // was: from 'agents/mcp'
import { z } from 'zod';

export class MyMCP extends McpAgent {
  server = new McpServer({ name: 'my-agent', version: '1.0.0' });

  override async init(): Promise<void> {
    const input = { a: z.number(), b: z.number() };
    this.server.registerTool('add', { description: 'Adds.', inputSchema: input }, ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }));
  }
}

export default MyMCP.serve('/mcp');
