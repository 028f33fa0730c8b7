/** What each lane's client puts on the wire for one operation, and how an answer is known to be right. */
import type { Client, Received, Sent } from './client.ts';

export const OPERATIONS = [
  'modern tools/call',
  'modern tools/list',
  'compat tools/call',
  'compat tools/list',
  'legacy tools/call',
  'legacy initialize + call',
  'wrapped tools/call',
  'wrapped initialize + call',
  'hosted tools/call',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** One operation on one connection; resolves when its last answer has been read. */
export type Run = () => Promise<void>;

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const;
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const CLIENT_INFO = { name: 'bench', version: '1.0.0' } as const;

const ARGUMENTS = { place: 'Lisbon', days: 5, unit: 'celsius' } as const;
/** In every answer of a called tool, and in no refusal. */
const CALL_ANSWER = '5 days for Lisbon';

interface Message {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

function messageOf(kind: 'tools/call' | 'tools/list', tools: number): Message {
  // The last tool: a search that grows with the catalogue must show.
  const params = kind === 'tools/call' ? { name: `forecast_${tools - 1}`, arguments: ARGUMENTS } : {};
  return { method: kind, params };
}

function modern({ method, params }: Message, path = '/mcp'): Sent {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = params['name'];
  return {
    path,
    headers: {
      ...JSON_HEADERS,
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  };
}

const dated = (path: string, message: Message | { readonly method: string }, sessionId?: string): Sent => ({
  path,
  headers: {
    ...JSON_HEADERS,
    'mcp-protocol-version': LEGACY,
    ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
  },
  body: JSON.stringify({ jsonrpc: '2.0', ...('params' in message && { id: 1 }), ...message }),
});

const INITIALIZE: Message = {
  method: 'initialize',
  params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT_INFO },
};

const LEGACY_PATH = '/legacy/mcp';

/** @param constant True for the floor, whose answers say nothing. */
export async function operation(client: Client, name: Operation, tools: number, constant: boolean): Promise<Run> {
  const kind = name.endsWith('list') ? 'tools/list' : 'tools/call';
  const proof = kind === 'tools/call' ? CALL_ANSWER : `"forecast_${tools - 1}"`;
  const check = (answer: Received): void => {
    if (answer.status !== 200 || (!constant && !answer.text.includes(proof))) {
      throw new Error(`${name} was answered with ${answer.status}: ${answer.text.slice(0, 500)}`);
    }
  };
  const message = messageOf(kind, tools);
  const again =
    (sent: Sent): Run =>
    async () =>
      check(await client.send(sent));
  switch (name) {
    case 'modern tools/call':
    case 'modern tools/list':
      return again(modern(message));
    case 'compat tools/call':
    case 'compat tools/list':
      return again(dated('/mcp', message));
    case 'hosted tools/call':
      return again(modern(message, LEGACY_PATH));
    case 'legacy tools/call':
    case 'wrapped tools/call':
      return again(dated(LEGACY_PATH, message, await openSession(client)));
    case 'legacy initialize + call':
    case 'wrapped initialize + call':
      return async () => check(await client.send(dated(LEGACY_PATH, message, await openSession(client))));
  }
}

/** @returns The session's id; the floor has none. */
export async function openSession(client: Client): Promise<string | undefined> {
  const { sessionId } = await client.send(dated(LEGACY_PATH, INITIALIZE));
  await client.send(dated(LEGACY_PATH, { method: 'notifications/initialized' }, sessionId));
  return sessionId;
}
