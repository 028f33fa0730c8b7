/** A server of SDK v1 with the registrations of a class, asked over its own protocol: the control of what is ported. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

type Register = (server: McpServer) => unknown;

interface Answered {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Gives what asks the server: the result, or the error, without the frame. */
export async function plainServer(
  register: Register,
): Promise<(method: string, params?: Readonly<Record<string, unknown>>) => Promise<unknown>> {
  const server = new McpServer({ name: 'plain', version: '1.0.0' });
  await register(server);
  const waiting = new Map<number, (answered: Answered) => void>();
  const transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (message: JSONRPCMessage) => {
      const { id } = message as { readonly id?: number };
      if (id !== undefined) waiting.get(id)?.(JSON.parse(JSON.stringify(message)) as Answered);
    },
    onmessage: undefined as ((message: JSONRPCMessage) => void) | undefined,
  };
  await server.connect(transport);
  let last = 0;
  const send = (method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Answered> => {
    const id = (last += 1);
    const { promise, resolve } = Promise.withResolvers<Answered>();
    waiting.set(id, resolve);
    transport.onmessage?.({ jsonrpc: '2.0', id, method, params });
    return promise;
  };
  await send('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  });
  return async (method, params) => {
    const { result, error } = await send(method, params);
    return error === undefined ? result : { code: error.code, message: error.message };
  };
}
