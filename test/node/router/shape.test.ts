/** What the door takes for JSON-RPC, and which path means what. */
import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { readMessage } from '../../../src/router/door/shape.ts';
import { DEFAULT_PATHS, methodsOf, routesAt } from '../../../src/router/routes.ts';
import { messageOf } from '../../../src/shared/message.ts';

const request = { jsonrpc: '2.0', id: 1, method: 'ping' };
const refusalOf = (json: unknown, batches = true) => {
  const read = readMessage(json, batches);
  return read.ok ? undefined : read.refusal;
};
const reasonOf = (json: unknown): string | undefined => refusalOf(json)?.reason;
const routes = routesAt(DEFAULT_PATHS);
const expects = (json: unknown): boolean => messageOf(json).expectsAnswer;
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('the shape of a message', () => {
  it.for([
    request,
    { ...request, id: 'a' },
    { ...request, id: '' },
    { ...request, id: -1 },
    { ...request, params: {} },
    { ...request, params: { _meta: { progressToken: 1, other: null } } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } },
    [request, { ...request, id: 2 }],
    [{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }],
  ])('%j passes', (json, { expect }) => {
    expect(reasonOf(json)).toBeUndefined();
  });

  it.for([
    null,
    1,
    'ping',
    {},
    { foo: 1 },
    { ...request, jsonrpc: '1.0' },
    { ...request, id: null },
    { ...request, id: 1.5 },
    { ...request, id: 2 ** 53 },
    { ...request, id: {} },
    { ...request, method: 1 },
    { ...request, params: [] },
    { ...request, params: null },
    { ...request, extra: 1 },
    { ...request, params: { _meta: 5 } },
    { ...request, params: { _meta: { progressToken: {} } } },
    { ...request, result: {} },
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', result: {} },
    { jsonrpc: '2.0', id: 1, result: 1 },
    { jsonrpc: '2.0', id: 1, error: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1.5, message: '' } },
    { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } },
    [request, 1],
    [[request]],
  ])('%j is not JSON-RPC', (json, { expect }) => {
    expect(reasonOf(json)).toBe('not_json_rpc');
  });

  it('a key __proto__ is a key like any other', ({ expect }) => {
    expect(reasonOf(JSON.parse('{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"x":1}}'))).toBe('not_json_rpc');
    expect(reasonOf(JSON.parse('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}'))).toBe('not_json_rpc');
    expect(reasonOf(JSON.parse('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}'))).toBeUndefined();
  });

  it.for([
    ['none', []],
    ['over a hundred', Array.from({ length: 101 }, (_, id) => ({ ...request, id }))],
    ['an id twice', [request, request]],
    ['a call and its cancellation', [request, { jsonrpc: '2.0', method: 'notifications/cancelled' }]],
    ['initialize', [{ ...request, method: 'initialize' }]],
  ] as const)('a batch of %s is refused', ([, batch], { expect }) => {
    expect(reasonOf(batch)).toBe('batch');
  });

  it('a batch is refused where one message is taken at a time', ({ expect }) => {
    expect(refusalOf([request], false)?.message).toBe('Invalid Request: this URL takes one message at a time');
  });

  it('128 levels pass, 129 do not, and a hundred thousand do not overflow', ({ expect }) => {
    const message = (levels: number): unknown => ({ ...request, params: { deep: nested(levels) } });
    expect(reasonOf(message(126))).toBeUndefined();
    expect(reasonOf(message(127))).toBe('too_deep');
    expect(reasonOf(message(100_000))).toBe('too_deep');
    expect(reasonOf(nested(100_000))).toBe('too_deep');
  });

  it.for([
    {},
    { protocolVersion: 1, capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    { protocolVersion: '2025-11-25', clientInfo: { name: 'a', version: '1' } },
    { protocolVersion: '2025-11-25', capabilities: { roots: true }, clientInfo: { name: 'a', version: '1' } },
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a' } },
  ])('initialize with %j is malformed', (params, { expect }) => {
    expect(reasonOf({ ...request, method: 'initialize', params })).toBe('malformed_initialize');
  });

  it('any JSON gets a verdict, and what passes is an object or a list of objects', ({ expect }) => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (json) => {
        if (reasonOf(json) === undefined) expect(typeof json).toBe('object');
      }),
    );
  });

  it('something waits for an answer exactly where a request is', ({ expect }) => {
    expect(expects(request)).toBe(true);
    expect(expects([{ jsonrpc: '2.0', method: 'x' }, request])).toBe(true);
    expect(expects({ jsonrpc: '2.0', method: 'x' })).toBe(false);
    expect(expects({ jsonrpc: '2.0', id: 9, error: { code: -1, message: 'no' } })).toBe(false);
  });
});

describe('paths', () => {
  it.for([
    ['/mcp', '/mcp'],
    ['/mcp/', '/mcp'],
    ['/mcp///', '/mcp'],
    ['/legacy/sse/message/', '/legacy/sse/message'],
    ['/', '/'],
    ['//', '/'],
  ])('%s means %s', ([pathname = '', path = ''], { expect }) => {
    expect(routes.find(pathname)?.path).toBe(path);
  });

  it.for(['//mcp', '/MCP', '/mcp/x', '/%6dcp', '/mcp;a', '/legacy', '/legacy//mcp', '/constructor', '/__proto__', ''])(
    '%s means nothing',
    (pathname, { expect }) => {
      expect(routes.find(pathname)).toBeUndefined();
    },
  );

  it('of slashes take no quadratic time', ({ expect }) => {
    const started = performance.now();
    expect(routes.find(`${'/'.repeat(1_000_000)}x`)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('each have their methods', ({ expect }) => {
    const methods = (path: string): readonly string[] => methodsOf(routes.find(path)!);
    expect(methods('/mcp')).toEqual(['GET', 'POST', 'DELETE']);
    expect(methods('/legacy/mcp')).toEqual(['GET', 'POST', 'DELETE']);
    expect(methods('/legacy/sse')).toEqual(['GET']);
    expect(methods('/legacy/sse/message')).toEqual(['POST']);
    expect(methods('/healthz')).toEqual(['GET', 'HEAD']);
  });
});
