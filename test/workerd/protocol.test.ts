/** Headers, versions and methods of the two protocol generations: what each lane does with each, as a matrix. */
import { createExecutionContext } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import worker from '../desk/worker.ts';
import { ENVELOPE, LANE_NAMES, openLane, readReply, type Lane, type LaneName, type Message } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const open = (name: LaneName): Promise<Lane> => openLane(name, { origin: ORIGIN, send });

/** Status, and the error's code or what was answered. */
async function told(lane: Lane, body: unknown, headers: Record<string, string> = {}): Promise<readonly unknown[]> {
  const response = await lane.post(body, headers);
  const { answer } = await readReply(response, 1);
  return [response.status, answer?.error?.code ?? (answer === undefined ? 'nothing' : 'result')];
}

const request = (method: string, params: Record<string, unknown> = {}): Message => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
});
const envelope = { [ENVELOPE.version]: '2026-07-28', [ENVELOPE.capabilities]: {} };
const modern = (method: string, params: Record<string, unknown> = {}): Message =>
  request(method, { ...params, _meta: envelope });
const CALL = { name: 'add', arguments: { a: 1, b: 2 } };

describe.each(LANE_NAMES)('methods of one generation only on %s', (name) => {
  it.for([
    ['ping', {}, { legacy: [200, 'result'], compat: [200, 'result'], modern: [404, -32601] }],
    [
      'logging/setLevel',
      { level: 'info' },
      { legacy: [200, 'result'], compat: [200, 'result'], modern: [404, -32601] },
    ],
    ['resources/subscribe', { uri: 'a://b' }, { legacy: [200, -32602], compat: [200, -32602], modern: [404, -32601] }],
    ['server/discover', {}, { legacy: [200, -32601], compat: [200, -32601], modern: [200, 'result'] }],
  ] as const)('%s', async ([method, params, expected], { expect }) => {
    const lane = await open(name);
    const { status, answer } = await lane.request(method, params);
    await lane.close();
    expect([status, answer?.error?.code ?? 'result']).toEqual(expected[name]);
  });
});

describe('methods of one generation only', () => {
  it('initialize does not exist on modern, and belongs to compat without an envelope', async ({ expect }) => {
    const lane = await open('modern');
    const { status, answer } = await lane.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    });
    expect([status, answer?.error?.code]).toEqual([404, -32601]);
  });

  it('the lists of capabilities promise no changes of lists on any lane', async ({ expect }) => {
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    for (const name of LANE_NAMES) {
      const lane = await open(name);
      const { answer } =
        name === 'modern' ? await lane.request('server/discover') : await lane.request('initialize', initialize);
      const capabilities = answer?.result?.['capabilities'] as Record<string, { listChanged?: boolean }>;
      expect(['tools', 'prompts', 'resources'].map((list) => capabilities[list]?.listChanged)).toEqual([
        false,
        false,
        false,
      ]);
      await lane.close();
    }
  });
});

describe('the headers of a modern request', () => {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' };
  const absent = (name: string): Record<string, string> => ({ ...headers, [name]: '' });

  it('are all that a call needs', async ({ expect }) => {
    expect(await told(await open('modern'), modern('tools/call', CALL), headers)).toEqual([200, 'result']);
  });

  it.for(['mcp-protocol-version', 'mcp-method', 'mcp-name'])(
    'a call without %s is refused',
    async (name, { expect }) => {
      expect(await told(await open('modern'), modern('tools/call', CALL), absent(name))).toEqual([400, -32020]);
    },
  );

  it.for([
    ['a modern header without an envelope', request('tools/call', CALL), headers, 400, -32602],
    [
      'a 2025 version in the envelope',
      request('tools/call', { ...CALL, _meta: { ...envelope, [ENVELOPE.version]: '2025-11-25' } }),
      { ...headers, 'mcp-protocol-version': '2025-11-25' },
      400,
      -32022,
    ],
    [
      'initialize with a modern header',
      request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      }),
      { 'mcp-protocol-version': '2026-07-28' },
      400,
      -32020,
    ],
  ] as const)('%s is refused', async ([, body, own, status, code], { expect }) => {
    expect(await told(await open('modern'), body, own)).toEqual([status, code]);
  });

  const LONG = 'y'.repeat(300_000);
  it.for([
    ['a tool', modern('tools/call', { ...CALL, name: LONG }), headers, -32020],
    ['a tool without a header', modern('tools/call', { ...CALL, name: LONG }), absent('mcp-name'), -32020],
    ['a prompt', modern('prompts/get', { name: LONG }), { ...headers, 'mcp-method': 'prompts/get' }, -32020],
    ['a URI', modern('resources/read', { uri: LONG }), { ...headers, 'mcp-method': 'resources/read' }, -32020],
    ['a method', modern(LONG), headers, -32020],
    [
      'a version',
      request('tools/list', { _meta: { ...envelope, [ENVELOPE.version]: LONG } }),
      { ...headers, 'mcp-method': 'tools/list' },
      -32020,
    ],
    ['a version alone', request('tools/list', { _meta: { ...envelope, [ENVELOPE.version]: LONG } }), {}, -32022],
    [
      'a version in a header',
      request('tools/list'),
      { 'mcp-protocol-version': LONG.slice(0, 8_000), 'mcp-method': 'tools/list' },
      -32602,
    ],
  ] as const)('%s of any length is refused in short', async ([, body, own, code], { expect }) => {
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const message = JSON.stringify({ ...body, id: 'i'.repeat(5_000) });
    const posted = new Request(`${ORIGIN}/mcp`, { method: 'POST', headers: { ...json, ...own }, body: message });
    const response = await send(posted);
    const text = await response.text();
    const { id, error } = JSON.parse(text) as Message;
    expect([response.status, error?.code, String(id).length]).toEqual([400, code, 5_000]);
    expect(error?.message).toContain('yyy');
    expect(text.length).toBeLessThan(5_000 + 2_500);
  });

  it('a batch with a modern message is refused', async ({ expect }) => {
    expect(await told(await open('modern'), [modern('tools/list')], { 'mcp-method': 'tools/list' })).toEqual([
      400, -32600,
    ]);
  });

  it('do not open the legacy route', async ({ expect }) => {
    const lane = await open('legacy');
    expect(await told(lane, modern('tools/list'), { ...headers, 'mcp-method': 'tools/list' })).toEqual([400, -32000]);
    await lane.close();
  });
});

describe('2025 requests', () => {
  it.for(['legacy', 'compat'] as const)(
    'server/discover without an envelope is an unknown method: %s',
    async (name, { expect }) => {
      const lane = await open(name);
      expect(await told(lane, request('server/discover'))).toEqual([200, -32601]);
      await lane.close();
    },
  );

  it.for(['legacy', 'compat'] as const)('run as a batch: %s', async (name, { expect }) => {
    const lane = await open(name);
    const response = await lane.post([request('ping'), { ...request('ping'), id: 2 }]);
    expect([response.status, (await response.text()).match(/"result":\{\}/g)?.length]).toEqual([200, 2]);
    await lane.close();
  });

  it.for(['legacy', 'compat'] as const)('of any served version are answered: %s', async (name, { expect }) => {
    const lane = await open(name);
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])
      expect(await told(lane, request('ping'), { 'mcp-protocol-version': version })).toEqual([200, 'result']);
    expect(await told(lane, request('ping'), { 'mcp-protocol-version': '1999-01-01' })).toEqual([400, -32000]);
    await lane.close();
  });

  it.for([
    ['/legacy/mcp', 'none', undefined, [400, -32000]],
    ['/legacy/mcp', 'one that nobody gave out', 'f'.repeat(64), [404, -32001]],
    ['/legacy/mcp', 'one of the other lane', `c_${'A'.repeat(27)}`, [200, 'result']],
    ['/mcp', 'none', undefined, [200, 'result']],
    ['/mcp', 'one that nobody gave out', 'f'.repeat(64), [200, 'result']],
    ['/mcp', 'one of its own form', `c_${'A'.repeat(27)}`, [200, 'result']],
  ] as const)('to %s with a session id of %s', async ([path, , sessionId, expected], { expect }) => {
    const response = await send(
      new Request(`${ORIGIN}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
        },
        body: JSON.stringify(request('tools/list')),
      }),
    );
    const { answer } = await readReply(response, 1);
    expect([response.status, answer?.error?.code ?? 'result']).toEqual(expected);
  });

  it.for([
    ['legacy', '/legacy/mcp', /^[0-9a-f]{64}$/],
    ['compat', '/mcp', /^c_[A-Za-z0-9_-]{27}$/],
  ] as const)(
    'initialize gives a session id, and later requests need no version header: %s',
    async ([name, path, form], { expect }) => {
      const lane = await open(name);
      expect(lane.sessionId).toMatch(form);
      const response = await send(
        new Request(`${ORIGIN}${path}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-session-id': lane.sessionId ?? '',
          },
          body: JSON.stringify(request('tools/call', CALL)),
        }),
      );
      expect((await readReply(response, 1)).answer?.result).toHaveProperty('content');
      await lane.close();
    },
  );

  it('GET listens and DELETE ends on legacy; on compat only DELETE has something to end', async ({ expect }) => {
    for (const [name, listening, ended] of [
      ['legacy', 200, 204],
      ['compat', 405, 204],
    ] as const) {
      const lane = await open(name);
      const url = `${ORIGIN}${name === 'legacy' ? '/legacy/mcp' : '/mcp'}`;
      const headers = { accept: 'text/event-stream', 'mcp-session-id': lane.sessionId ?? '' };
      const stream = await send(new Request(url, { headers }));
      await stream.body?.cancel();
      const deleted = await send(new Request(url, { method: 'DELETE', headers }));
      expect([stream.status, deleted.status]).toEqual([listening, ended]);
    }
  });
});

describe('what surrounds a request', () => {
  it.for(LANE_NAMES)('lists are the same whatever headers come with it: %s', async (name, { expect }) => {
    const tools = async (headers: Record<string, string>): Promise<unknown> => {
      const lane = await openLane(name, {
        origin: ORIGIN,
        send: (sent) => {
          const all = new Headers(sent.headers);
          for (const [key, value] of Object.entries(headers)) all.set(key, value);
          return send(new Request(sent, { headers: all }));
        },
      });
      const { answer } = await lane.request('tools/list');
      await lane.close();
      return answer?.result?.['tools'];
    };
    expect(await tools({ 'cf-account-id': 'a', 'x-tenant': 'b', authorization: 'Bearer c' })).toEqual(await tools({}));
  });

  it.for(LANE_NAMES)('an execution context of another make changes no answer: %s', async (name, { expect }) => {
    const { ctx, lane } = await inContext(name);
    const { status, answer } = await lane.request('tools/call', CALL);
    expect([status, answer?.result?.['content']]).toEqual([200, [{ type: 'text', text: '{"sum":3}' }]]);
    expect(ctx).toBeDefined();
    await lane.close();
  });

  it('the Worker is an object with fetch, as a provider of sign-in wants its handlers', ({ expect }) => {
    expect(Object.keys(worker)).toEqual(['fetch']);
  });
});

/** As a middleware leaves it that replaces the properties of a sign-in, with the mark of the sign-in still on it. */
async function inContext(name: LaneName) {
  const ctx = createExecutionContext();
  Object.defineProperty(ctx, Symbol.for('cloudflare.workers-oauth-provider.verified-context.v1'), {
    value: { malformed: true },
  });
  Object.defineProperty(ctx, 'props', { value: { tenant: 'a' } });
  const lane = await openLane(name, { origin: ORIGIN, send: (sent) => worker.fetch(sent, env, ctx) });
  return { ctx, lane };
}
