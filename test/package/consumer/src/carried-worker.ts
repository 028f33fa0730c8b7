import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpAgent } from 'agents/mcp';
import { createCatalogue, createHybrid, defineState, defineStatefulTool, reply } from 'hybrid-mcp';
import { agentLane } from 'hybrid-mcp/legacy';
import { carries, type ClassData } from 'hybrid-mcp/port';
import { z } from 'zod';

// The class as it is in production.
class CountingMCP extends McpAgent<Env, { count: number }> {
  server = new McpServer({ name: 'counting', version: '1.0.0' });
  override initialState = { count: 0 };

  async init(): Promise<void> {
    this.server.tool('count', { by: z.int() }, async ({ by }) => {
      this.setState({ count: this.state.count + by });
      return { content: [{ type: 'text', text: String(this.state.count) }] };
    });
  }
}

// The same tool as a definition, with a state of the catalogue.
const counter = defineState({
  name: 'counter',
  schema: z.object({ value: z.int() }),
  initial: { value: 0 },
  handle: false,
});
const catalogue = createCatalogue({
  info: { name: 'counting', title: 'Counting', version: '1.0.0' },
  instructions: '',
  tools: [
    defineStatefulTool({
      name: 'count',
      title: 'Count',
      description: 'Adds to a counter.',
      input: z.object({ by: z.int() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      state: counter,
      reduce: ({ value }, { by }) => ({ state: { value: value + by }, reply: reply.text(String(value + by)) }),
    }),
  ],
});

// What the class keeps, as the catalogue's state, and back.
export const carry = carries({
  states: { counter },
  out: ({ state }: ClassData<{ count: number }>) => ({ counter: { value: state.count } }),
  back: ({ counter: { value } }, { state }) => ({ ...state, count: value }),
});

const hybrid = createHybrid({ catalogue, legacy: agentLane(CountingMCP, { carry }) });

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}
export default hybrid.handler satisfies ExportedHandler<Env>;
