/**
 * One real client a lane, as an application would connect it: SDK v1 on the legacy route, SDK v2 on /mcp once as a
 * 2025 and once as a 2026-07-28 client. What a lane saw is what its client handed to the application.
 */
import { Client as ClientV2, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { observe, type Observation } from '../../src/parity/observe.ts';
import type { AskedLane } from '../../src/parity/run-table.ts';
import { ask } from './ask.ts';

export interface ConnectedLane extends AskedLane, AsyncDisposable {
  readonly name: 'legacy' | 'compat' | 'modern';
  readonly client: 'SDK v1' | 'SDK v2';
  readonly protocol: string;
  readonly path: string;
}

const INFO = { name: 'hybrid-mcp-demo', version: '0.1.0' } as const;
const TIMEOUT = { timeout: 15_000 } as const;

/** Connects all three, or none: a client that connected before another failed is closed again. */
export async function connectLanes(url: string, token?: string): Promise<readonly ConnectedLane[]> {
  const settled = await Promise.allSettled([
    connectLegacy(url, token),
    connectStateless(url, 'compat', token),
    connectStateless(url, 'modern', token),
  ]);
  const lanes = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed === undefined) return lanes;
  await Promise.all(lanes.map((lane) => lane[Symbol.asyncDispose]()));
  throw new Error(`A client could not connect to ${url}: ${reasonOf(failed.reason)}`, { cause: failed.reason });
}

/** Sent along with every request. */
const signedIn = (token: string | undefined) =>
  token === undefined ? {} : { requestInit: { headers: { Authorization: `Bearer ${token}` } } };

async function connectLegacy(url: string, token: string | undefined): Promise<ConnectedLane> {
  const client = new ClientV1(INFO);
  const transport = new TransportV1(new URL('/legacy/mcp', url), signedIn(token));
  await client.connect(transport, TIMEOUT);
  return {
    name: 'legacy',
    client: 'SDK v1',
    protocol: transport.protocolVersion ?? 'unknown',
    path: '/legacy/mcp',
    ask: (call) => seen(ask(client, call), errorV1),
    [Symbol.asyncDispose]: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

async function connectStateless(
  url: string,
  name: 'compat' | 'modern',
  token: string | undefined,
): Promise<ConnectedLane> {
  const mode = name === 'compat' ? 'legacy' : { pin: '2026-07-28' };
  const client = new ClientV2(INFO, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), signedIn(token));
  await client.connect(transport, TIMEOUT);
  return {
    name,
    client: 'SDK v2',
    protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
    path: '/mcp',
    ask: (call) => seen(ask(client, call), errorV2),
    [Symbol.asyncDispose]: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

interface RpcErrorSeen {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An error that the server sent is an answer; anything else means that the question did not get through. */
async function seen(
  answer: Promise<unknown>,
  errorOf: (thrown: unknown) => RpcErrorSeen | undefined,
): Promise<Observation> {
  try {
    return observe({ result: await answer });
  } catch (thrown) {
    const error = errorOf(thrown);
    return error === undefined ? { kind: 'harness_error', cause: reasonOf(thrown) } : observe({ error });
  }
}

/** Codes of what happened on the client's own side, which SDK v1 throws as the same class. */
const CLIENT_SIDE: ReadonlySet<number> = new Set([ErrorCode.RequestTimeout, ErrorCode.ConnectionClosed]);

function errorV1(thrown: unknown): RpcErrorSeen | undefined {
  if (!(thrown instanceof McpError)) return undefined;
  if (CLIENT_SIDE.has(thrown.code)) return undefined;
  const prefix = `MCP error ${thrown.code}: `;
  const message = thrown.message.startsWith(prefix) ? thrown.message.slice(prefix.length) : thrown.message;
  return rpcError(thrown.code, message, thrown.data);
}

function errorV2(thrown: unknown): RpcErrorSeen | undefined {
  return thrown instanceof ProtocolError ? rpcError(thrown.code, thrown.message, thrown.data) : undefined;
}

const rpcError = (code: number, message: string, data: unknown): RpcErrorSeen => ({
  code,
  message,
  ...(data !== undefined && { data }),
});

const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
