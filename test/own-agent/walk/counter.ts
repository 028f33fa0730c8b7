/** What the class of the walk does: the same for the plain class and for the one with its import changed. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { McpAgent } from 'agents/mcp';

export interface CounterState {
  counter: number;
}

export const makeServer = (): McpServer => new McpServer({ name: 'walk', version: '1.0.0' });

export function register(agent: McpAgent<Cloudflare.Env, CounterState> & { server: McpServer }): void {
  agent.server.registerTool('increment', { description: 'Counts, in the state and in a table' }, async () => {
    agent.setState({ counter: agent.state.counter + 1 });
    void agent.sql`create table if not exists log (n integer)`;
    void agent.sql`insert into log values (${agent.state.counter})`;
    const [row] = agent.sql<{ rows: number }>`select count(*) rows from log`;
    return { content: [{ type: 'text', text: `${agent.state.counter} in ${row?.rows} rows` }] };
  });
}

/** As a sign-in in front of the server does it. */
export function signIn(request: Request, ctx: ExecutionContext): void {
  const subject = request.headers.get('x-user');
  if (subject !== null) Object.assign(ctx, { props: { subject } });
}
