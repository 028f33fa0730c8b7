/** What of a request reaches a lane. */
import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { forwarded, widenedAccept } from '../../../src/router/door/forward.ts';
import { clientKey } from '../../../src/router/door/rate.ts';
import { DEFAULT_PATHS, routesAt, type McpRoute } from '../../../src/router/routes.ts';

const route = (path: string): McpRoute => routesAt(DEFAULT_PATHS).find(path) as McpRoute;
const accept = 'application/json, text/event-stream';
const NEITHER = 'application/octet-stream';
const post = (path: string, headers: Record<string, string> = {}): Request =>
  new Request(`http://localhost${path}`, { method: 'POST', headers: { accept, ...headers } });

describe('the request that a lane gets', () => {
  it('is the very same one where nothing has to change', ({ expect }) => {
    const request = post('/mcp', { 'mcp-method': 'tools/call', 'mcp-name': 'add', 'mcp-param-region': 'eu' });
    expect(forwarded(request, route('/mcp'))).toBe(request);
  });

  it('keeps every header of the client', async ({ expect }) => {
    const own = {
      authorization: 'Bearer x',
      'cf-connecting-ip': '192.0.2.1',
      'last-event-id': '7',
      'mcp-method': 'tools/call',
      'mcp-name': 'add',
      'mcp-param-region': 'eu',
      'mcp-protocol-version': '2026-07-28',
      'mcp-session-id': 'c_x',
      'x-tenant': 'a',
    };
    const inner = forwarded(post('/mcp/', own), route('/mcp'), { json: { id: 7 } });
    expect(await inner.json()).toEqual({ id: 7 });
    expect(inner.url).toBe('http://localhost/mcp');
    expect(Object.fromEntries(inner.headers)).toMatchObject({ ...own, accept });
  });

  it.for([
    ['APPLICATION/JSON', 'application/json'],
    ['Application/Json; charset=utf-8', 'application/json'],
    ['application/json; charset=utf-8', 'application/json; charset=utf-8'],
  ] as const)('with a message of the type %j has the type %j', ([type, given], { expect }) => {
    const request = post('/legacy/mcp', { 'content-type': type });
    expect(forwarded(request, route('/legacy/mcp'), { json: {} }).headers.get('content-type')).toBe(given);
    expect(forwarded(request, route('/legacy/mcp')).headers.get('content-type')).toBe(type);
  });

  it('gives the message as often as it is forwarded, although the body was read', async ({ expect }) => {
    const request = new Request('http://localhost/legacy/mcp', {
      method: 'POST',
      headers: { accept },
      body: '{"id":7}',
    });
    const json: unknown = await request.json();
    for (const inner of [1, 2].map(() => forwarded(request, route('/legacy/mcp'), { json }))) {
      expect(await inner.json()).toEqual({ id: 7 });
    }
  });

  it.for([
    'x-agents-lifecycle-props',
    'x-cf-agents-subagent-url',
    'x-partykit-room',
    'cf-mcp-method',
    'cf-mcp-message',
    'upgrade',
  ])('has no header %s, which steers the legacy package from inside', (name, { expect }) => {
    expect(forwarded(post('/legacy/mcp', { [name]: 'x' }), route('/legacy/mcp')).headers.has(name)).toBe(false);
  });

  it('has no query, which steers it too, except the session of the old transport', ({ expect }) => {
    expect(forwarded(post('/legacy/mcp?_pk=a:b&__agents_transport=capnweb'), route('/legacy/mcp')).url).toBe(
      'http://localhost/legacy/mcp',
    );
    expect(forwarded(post('/legacy/sse/message?_pk=a&sessionId=1&sessionId=2'), route('/legacy/sse/message')).url).toBe(
      'http://localhost/legacy/sse/message?sessionId=1',
    );
  });

  it('has no old session id where it starts a session', ({ expect }) => {
    const request = post('/legacy/mcp', { 'mcp-session-id': 'old' });
    expect(forwarded(request, route('/legacy/mcp'), { startsSession: true }).headers.has('mcp-session-id')).toBe(false);
  });

  it('is cancelled with the client', ({ expect }) => {
    const client = new AbortController();
    const request = new Request('http://localhost/mcp/', { method: 'POST', signal: client.signal });
    const inner = forwarded(request, route('/mcp'));
    client.abort();
    expect(inner.signal.aborted).toBe(true);
  });
});

describe('the Accept header', () => {
  it.for([
    [null, accept],
    ['', accept],
    ['*/*', accept],
    ['text/html, */*;q=0.8', accept],
    ['application/*, text/*', accept],
    ['application/*', 'application/json'],
    ['*/*, text/event-stream;q=0', 'application/json'],
    ['image/*', undefined],
    [accept, undefined],
    ['application/json', undefined],
    ['text/event-stream', undefined],
    ['text/html', undefined],
    ['text/event-stream, application/json', undefined],
    ['application/json;q=0.1, text/event-stream;q=1', undefined],
    ['Application/JSON, TEXT/event-stream', accept],
    ['APPLICATION/*;Q=0.5', 'application/json'],
    ['application/json, text/event-stream;q=0', 'application/json'],
    ['application/json;q=0.000, text/event-stream; Q = 0', 'application/octet-stream'],
    ['*/*, application/*;q=0', 'text/event-stream'],
    ['*/*;q=0', undefined],
    ['text/*;q=0, text/event-stream, application/json', undefined],
    ['text/plain;a="application/json", text/event-stream', 'text/event-stream'],
  ] as const)('%j is read as %j', ([given, read], { expect }) => {
    expect(widenedAccept(given)).toBe(read);
  });

  it('is read without a throw, whatever it says', ({ expect }) => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([undefined, accept, 'application/json', 'text/event-stream', NEITHER]).toContain(widenedAccept(text));
      }),
    );
  });
});

describe('the key of the rate limit', () => {
  it.for([
    [null, 'no-address'],
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
  ] as const)('for %s is %s', ([address, key], { expect }) => {
    expect(clientKey(address)).toBe(key);
  });
});
