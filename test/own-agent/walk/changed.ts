/** The server of the walk with its import changed, and the operator API beside it. */
import { CensusObject, McpAgent, operatorApi, OperatorObject } from 'hybrid-mcp/agent';
import { makeServer, register, signIn, type CounterState } from './counter.ts';

export { CensusObject, OperatorObject };

export class MyMCP extends McpAgent<Cloudflare.Env, CounterState> {
  server = makeServer();
  override initialState = { counter: 0 };

  override async init(): Promise<void> {
    register(this);
  }
}

const served = MyMCP.serve('/mcp');
const operator = operatorApi();

export default {
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname.startsWith('/admin/')) return operator.fetch(request, env, ctx);
    signIn(request, ctx);
    return served.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Env>;
