/**
 * The client of `agents` where it runs: in an agent, which is a Durable Object. `POST /client/<name>/<method>` has the
 * agent of that name do it, so that a program outside drives it as it does every other client.
 */
import { Agent, getAgentByName } from 'agents';

interface Opening {
  readonly url: string;
  readonly type: 'streamable-http' | 'sse' | 'auto';
}

export class ClientAgent extends Agent<Env> {
  #server = '';

  async open({ url, type }: Opening): Promise<object> {
    this.mcp.configureElicitationHandlers({ form: async () => ({ action: 'accept', content: { sure: true } }) });
    const { id, state } = await this.addMcpServer('tried', url, { transport: { type } });
    this.#server = id;
    return { state };
  }

  tools(): object {
    return { names: this.mcp.listTools().map(({ name }) => name) };
  }

  call({ name, args }: { readonly name: string; readonly args: Record<string, unknown> }): Promise<object> {
    return this.mcp.callTool({ serverId: this.#server, name, arguments: args });
  }

  async close(): Promise<object> {
    await this.removeMcpServer(this.#server);
    return {};
  }
}

export async function fetchClient(request: Request, env: Env): Promise<Response> {
  const [, , name = '', method = ''] = new URL(request.url).pathname.split('/');
  const { CLIENT_AGENT } = env as unknown as { CLIENT_AGENT: DurableObjectNamespace<ClientAgent> };
  const agent = await getAgentByName(CLIENT_AGENT, name);
  const body = await request.json<never>();
  try {
    if (method === 'open') return Response.json(await agent.open(body));
    if (method === 'tools') return Response.json(await agent.tools());
    if (method === 'call') return Response.json(await agent.call(body));
    if (method === 'close') return Response.json(await agent.close());
    return new Response(null, { status: 404 });
  } catch (cause) {
    return Response.json({ threw: cause instanceof Error ? cause.message : String(cause) });
  }
}
