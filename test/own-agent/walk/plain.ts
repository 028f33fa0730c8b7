/** The server of the walk as it is in production before, and after a way back. */
import { McpAgent } from 'agents/mcp';
import { makeServer, register, signIn, type CounterState } from './counter.ts';

export class MyMCP extends McpAgent<Cloudflare.Env, CounterState> {
  server = makeServer();
  override initialState = { counter: 0 };

  override async init(): Promise<void> {
    register(this);
  }
}

const served = MyMCP.serve('/mcp');

export default {
  fetch(request, env, ctx) {
    signIn(request, ctx);
    return served.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Env>;
