/** The `McpAgent` of `plain-agent.ts` with its import changed, and nothing else. Variables say how it is served. */
import { McpAgent } from 'hybrid-mcp/agent';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { benchTools, INSTRUCTIONS, registeredReply, SERVER_INFO } from './tools.ts';

export class LegacyAgent extends McpAgent {
  server = new McpServer(SERVER_INFO, { instructions: INSTRUCTIONS });

  override async init(): Promise<void> {
    for (const { name, input, output, run, ...config } of benchTools) {
      this.server.registerTool(name, { ...config, inputSchema: input.shape, outputSchema: output.shape }, (args) =>
        registeredReply(run(args)),
      );
    }
  }
}

const changedAgent = LegacyAgent.serve('/legacy/mcp', { binding: 'LEGACY_AGENT' });

export default {
  fetch: (request, env, ctx) => changedAgent.fetch(request, env, ctx),
} satisfies ExportedHandler<Env>;
