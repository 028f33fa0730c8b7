/** Clients of both SDKs, of every version that connects the same way, and those that stand behind one of them. */
import { createRequire } from 'node:module';
import process from 'node:process';
import { answerOf, INFO, namesOf, SURE, type Driver, type Opened } from './driver.ts';

/** The part that both SDKs' clients have in common. */
interface SdkClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: object): Promise<object>;
  close(): Promise<void>;
}

const opened = (client: SdkClient): Opened => ({
  list: async () => namesOf((await client.listTools()).tools),
  call: async (name, args) => answerOf(await client.callTool({ name, arguments: args })),
  close: () => client.close(),
});

/**
 * SDK v1. `asks` says that it knows questions to the user, `needsEventSource` that it leaves the reader of event streams to
 * whoever uses it.
 */
export const sdkV1 =
  ({
    asks = false,
    needsEventSource = false,
  }: {
    readonly asks?: boolean;
    readonly needsEventSource?: boolean;
  }): Driver =>
  async (load, { url, transport }) => {
    if (needsEventSource) Object.assign(globalThis, { EventSource: (await load('eventsource')).default });
    const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
    const client = new Client(INFO, { capabilities: asks ? { elicitation: {} } : {} });
    if (asks) {
      const { ElicitRequestSchema } = await load('@modelcontextprotocol/sdk/types.js');
      client.setRequestHandler(ElicitRequestSchema, () => SURE);
    }
    const { StreamableHTTPClientTransport, SSEClientTransport } = await load(
      `@modelcontextprotocol/sdk/client/${transport === 'http' ? 'streamableHttp' : 'sse'}.js`,
    );
    const Transport = StreamableHTTPClientTransport ?? SSEClientTransport;
    await client.connect(new Transport(new URL(url)));
    return opened(client as SdkClient);
  };

/** SDK v2: `legacy` pins it to 2025 protocols, `{ pin }` to one modern one, and `auto` lets it find out. */
export const sdkV2 =
  (mode: 'auto' | 'legacy' | { readonly pin: string }): Driver =>
  async (load, { url, transport }) => {
    const { Client, StreamableHTTPClientTransport, SSEClientTransport } = await load('@modelcontextprotocol/client');
    const client = new Client(INFO, { capabilities: { elicitation: {} }, versionNegotiation: { mode } });
    client.setRequestHandler('elicitation/create', () => SURE);
    const Transport = transport === 'http' ? StreamableHTTPClientTransport : SSEClientTransport;
    await client.connect(new Transport(new URL(url)));
    return opened(client as SdkClient);
  };

/** A bridge for programs that speak over their standard input: SDK v1 in front, the network behind. */
export const mcpRemote: Driver = async (load, { url, transport }) => {
  const { program } = await load('mcp-remote');
  const require = createRequire(import.meta.url);
  const { Client } = await import(require.resolve('@modelcontextprotocol/sdk/client/index.js'));
  const { StdioClientTransport } = await import(require.resolve('@modelcontextprotocol/sdk/client/stdio.js'));
  const { ElicitRequestSchema } = await import(require.resolve('@modelcontextprotocol/sdk/types.js'));
  const client = new Client(INFO, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => SURE);
  const args = [program, url, '--allow-http', '--transport', transport === 'http' ? 'http-only' : 'sse-only'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  return opened(client as SdkClient);
};

/** The client of `agents`, which runs in a Worker. */
export const agents: Driver = async (_load, { url, transport, worker }) => {
  const name = crypto.randomUUID();
  const ask = async (method: string, body: object): Promise<never> => {
    const response = await fetch(`${worker}/client/${name}/${method}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const answer: { threw?: string } = JSON.parse(await response.text());
    if (answer.threw !== undefined) throw new Error(answer.threw);
    return answer as never;
  };
  const { state } = (await ask('open', { url, type: transport === 'http' ? 'auto' : 'sse' })) as { state: string };
  if (state !== 'ready') throw new Error(`It is ${state}`);
  return {
    list: async () => ((await ask('tools', {})) as { names: string[] }).names,
    call: async (tool, args) => answerOf(await ask('call', { name: tool, args })),
    close: () => ask('close', {}),
  };
};
