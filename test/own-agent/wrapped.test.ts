/** Wrapped, nothing changes: each answer of the legacy lane is what the plain class gives, status, headers and body. */
import { describe, it } from 'vitest';
import { modernRequest, ORIGIN, sender, type Vars } from './clients.ts';

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...JSON_HEADERS, ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const UNKNOWN = 'a'.repeat(64);

const CASES: readonly (readonly [string, RequestInit])[] = [
  ['OPTIONS', { method: 'OPTIONS', headers: { origin: 'https://elsewhere.example' } }],
  ['PUT', { method: 'PUT' }],
  ['no Accept', post(INITIALIZE, { accept: 'application/json' })],
  ['another media type', post(INITIALIZE, { 'content-type': 'text/plain' })],
  ['no JSON', post('{')],
  ['no JSON-RPC', post({ foo: 1 })],
  ['an empty batch', post([])],
  ['initialize in a batch', post([INITIALIZE, INITIALIZE])],
  ['initialize with a session id', post(INITIALIZE, { 'mcp-session-id': UNKNOWN })],
  ['a call without a session', post({ jsonrpc: '2.0', id: 2, method: 'tools/list' })],
  [
    'a call of an unknown session',
    post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, { 'mcp-session-id': UNKNOWN }),
  ],
  ['an invented session id', post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, { 'mcp-session-id': 'invented' })],
  [
    'an unknown version',
    post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, { 'mcp-protocol-version': '1999-01-01' }),
  ],
  ['a GET without a session', { method: 'GET', headers: { accept: 'text/event-stream' } }],
  [
    'a GET of an unknown session',
    { method: 'GET', headers: { accept: 'text/event-stream', 'mcp-session-id': UNKNOWN } },
  ],
  ['a GET that wants no stream', { method: 'GET', headers: { accept: 'application/json' } }],
  ['a DELETE without a session', { method: 'DELETE' }],
  ['a DELETE of an unknown session', { method: 'DELETE', headers: { 'mcp-session-id': UNKNOWN } }],
];

async function seen(path: string, init: RequestInit, vars: Vars) {
  const response = await sender(vars, {}, path)(new Request(`${ORIGIN}/mcp`, init));
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'mcp-session-id'));
  return { status: response.status, headers, body: await response.text() };
}

describe.each([
  ['as it is', {}],
  ['with flags that move nobody', { LEGACY_ROUTE_STAGE: 'legacy', MCP_ROUTE_STAGE: 'legacy' }],
  [
    'with flags that move others',
    { LEGACY_ROUTE_STAGE: 'legacy', LEGACY_ROUTE_NEXT: 'stateless', LEGACY_ROUTE_CLIENTS: 'x' },
  ],
] as const)('the wrapped class %s', (_name, vars) => {
  it.for(CASES)('answers %s as the plain class does', async ([, init], { expect }) => {
    const plain = await seen('/plain', init, {});
    expect(plain.status).toBeGreaterThan(0);
    expect(await seen('/mcp', init, vars)).toEqual(plain);
  });

  it('answers initialize, a call and the end of a session as the plain class does', async ({ expect }) => {
    const session = async (path: string, on: Vars) => {
      const send = sender(on, {}, path);
      const begun = await send(new Request(`${ORIGIN}/mcp`, post(INITIALIZE)));
      const id = begun.headers.get('mcp-session-id') ?? '';
      const withId = { 'mcp-session-id': id };
      const said: unknown[] = [begun.status, withoutIds(await begun.text()), /^[0-9a-f]{64}$/.test(id)];
      for (const init of [
        post({ jsonrpc: '2.0', method: 'notifications/initialized' }, withId),
        post(
          { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
          withId,
        ),
        post({ jsonrpc: '2.0', id: 3, method: 'nope' }, withId),
        post({ jsonrpc: '2.0', id: 4, method: 'ping' }, withId),
        { method: 'DELETE', headers: withId },
        post({ jsonrpc: '2.0', id: 5, method: 'ping' }, withId),
      ] satisfies RequestInit[]) {
        const response = await send(new Request(`${ORIGIN}/mcp`, init));
        const names = [...response.headers.keys()].sort();
        said.push([response.status, names, withoutIds(await response.text())]);
      }
      return said;
    };
    const plain = await session('/plain', {});
    expect(plain).toHaveLength(9);
    expect(await session('/mcp', vars)).toEqual(plain);
  });

  it('answers a 2026 client as the plain class does', async ({ expect }) => {
    const [plain, ours] = [await modernRequest('/plain', {}), await modernRequest('/mcp', vars)];
    expect([ours.status, await ours.text()]).toEqual([plain.status, await plain.text()]);
    expect(plain.status).toBe(400);
  });
});

/** The id of an event names its stream, which is random. */
const withoutIds = (text: string): string => text.replaceAll(/^id: .*$/gm, 'id: …');
