/** What people deploy on SDK v2: `createMcpHandler` with registered tools, and nothing else. */
import { createMcpHandler } from 'agents/mcp/server';
import { McpServer } from '@modelcontextprotocol/server';
import { benchTools, INSTRUCTIONS, registeredReply, SERVER_INFO } from './tools.ts';

function createServer(): McpServer {
  const server = new McpServer(SERVER_INFO, { instructions: INSTRUCTIONS });
  for (const { name, input, output, run, ...config } of benchTools) {
    server.registerTool(name, { ...config, inputSchema: input, outputSchema: output }, (args) =>
      registeredReply(run(args)),
    );
  }
  return server;
}

export const plainHandler = createMcpHandler(createServer, { route: '/mcp' });

export default {
  fetch: (request) => plainHandler.fetch(request),
} satisfies ExportedHandler;
