/** Connected clients of both SDKs, each closed with `await using`. The first test that fails to connect says to what. */
import {
  Client as ClientV2,
  SSEClientTransport as SSEClientTransportV2,
  StreamableHTTPClientTransport as TransportV2,
  type ClientOptions,
} from '@modelcontextprotocol/client';
import { Client as ClientV1, type ClientOptions as OptionsV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What the fixture tool `who` shows where the lane knows its client. */
const INFO = { name: 'e2e', version: '1.2.3' } as const;

interface Connected<C, T> extends AsyncDisposable {
  readonly client: C;
  readonly transport: T;
}

type V1 = Connected<ClientV1, TransportV1>;
type V2 = Connected<ClientV2, TransportV2>;

/** SDK v1 over Streamable HTTP. */
export async function connectV1(url: string, options: OptionsV1 = {}): Promise<V1> {
  const client = new ClientV1(INFO, options);
  const transport = new TransportV1(new URL(url));
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

/** SDK v1 in a session that it opened before: without `initialize`. */
export async function resumeV1(url: string, sessionId: string): Promise<V1> {
  const client = new ClientV1(INFO);
  const transport = new TransportV1(new URL(url), { sessionId });
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

/** SDK v1 over HTTP+SSE. */
export async function connectSse(url: string): Promise<Connected<ClientV1, SSEClientTransport>> {
  const client = new ClientV1(INFO);
  const transport = new SSEClientTransport(new URL(url));
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

/** `legacy` pins the client to 2025 protocols, `{ pin }` to one modern one, and `auto` lets it find out. */
export type Negotiation = NonNullable<NonNullable<ClientOptions['versionNegotiation']>['mode']>;

/** SDK v2 over Streamable HTTP. */
export async function connectV2(
  url: string,
  mode: Negotiation,
  options: ClientOptions = {},
  send: typeof fetch = fetch,
): Promise<V2> {
  const client = new ClientV2(INFO, { ...options, versionNegotiation: { mode } });
  const transport = new TransportV2(new URL(url), { fetch: send });
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

/** SDK v2 over HTTP+SSE. */
export async function connectSseV2(url: string, mode: Negotiation): Promise<Connected<ClientV2, SSEClientTransportV2>> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode } });
  const transport = new SSEClientTransportV2(new URL(url));
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}
