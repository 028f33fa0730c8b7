/** How answers leave the door: CORS, content types, what is said about methods, and what the packages get wrong. */
import { exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { ENVELOPE, LANE_NAMES, openLane, readReply, type LaneName, type Message } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const PAGE = 'http://localhost:6274';
const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const open = (name: LaneName) => openLane(name, { origin: ORIGIN, send });
const ask = (path: string, init?: RequestInit): Promise<Response> => send(new Request(`${ORIGIN}${path}`, init));

const MCP_PATHS = ['/mcp', '/legacy/mcp', '/legacy/sse', '/legacy/sse/message'] as const;
const listOf = (text: string | null): string[] => (text ?? '').toLowerCase().split(', ');

describe('pages of an allowed origin', () => {
  it.for(MCP_PATHS)('get the same answer to a preflight everywhere: %s', async (path, { expect }) => {
    const response = await ask(path, {
      method: 'OPTIONS',
      headers: {
        origin: PAGE,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'mcp-param-region, mcp-param-Tenant-Id, x-other, mcp-param-bad name',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(listOf(response.headers.get('access-control-allow-headers'))).toEqual([
      'content-type',
      'accept',
      'authorization',
      'mcp-session-id',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'last-event-id',
      'mcp-param-region',
      'mcp-param-tenant-id',
    ]);
    expect(response.headers.get('access-control-allow-methods')).toBe(response.headers.get('allow'));
    expect(response.headers.get('vary')).toBe('Origin, Access-Control-Request-Headers');
  });

  it.for(LANE_NAMES)('can read answers, refusals and session ids: %s', async (name, { expect }) => {
    const lane = await open(name);
    const corsOf = (response: Response) => [
      response.headers.get('access-control-allow-origin'),
      listOf(response.headers.get('access-control-expose-headers')).includes('mcp-session-id'),
      response.headers.get('vary')?.includes('Origin'),
    ];
    const good = await lane.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { origin: PAGE });
    const bad = await lane.post('{', { origin: PAGE });
    expect([corsOf(good), corsOf(bad)]).toEqual([
      [PAGE, true, true],
      [PAGE, true, true],
    ]);
    await good.body?.cancel();
    await lane.close();
  });

  it('get no CORS header where no page asks', async ({ expect }) => {
    const response = await ask('/mcp', { method: 'PUT' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('methods', () => {
  it.for(['/nowhere', '/mcp/x'])('OPTIONS of %s is as unknown as the path', async (path, { expect }) => {
    expect((await ask(path, { method: 'OPTIONS' })).status).toBe(404);
  });

  it.for(['HEAD', 'PATCH', 'PROPFIND'])('%s is 405 with Allow on both routes', async (method, { expect }) => {
    const allowed = await Promise.all(['/mcp', '/legacy/mcp'].map((path) => ask(path, { method })));
    expect(allowed.map((response) => [response.status, response.headers.get('allow')])).toEqual([
      [405, 'GET, POST, DELETE, OPTIONS'],
      [405, 'GET, POST, DELETE, OPTIONS'],
    ]);
  });
});

describe('pages', () => {
  it('are safe to frame, to sniff and to link from', async ({ expect }) => {
    const { headers } = await ask('/');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });
});

const ping = (id: number): Message => ({ jsonrpc: '2.0', id, method: 'tools/list' });

describe('Accept', () => {
  it.for(LANE_NAMES)('may be absent or a wildcard: %s', async (name, { expect }) => {
    const lane = await open(name);
    for (const accept of ['*/*', 'text/*, application/*', '']) {
      const reply = await lane.post(messageFor(name), { accept, 'mcp-method': 'tools/list' });
      expect((await readReply(reply, 7)).answer?.result).toHaveProperty('tools');
    }
    await lane.close();
  });

  it.for(['legacy', 'compat'] as const)('must allow a stream where the answer is one: %s', async (name, { expect }) => {
    const lane = await open(name);
    const response = await lane.post(ping(7), { accept: 'application/json' });
    expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
      406,
      'application/json',
      {
        jsonrpc: '2.0',
        id: 7,
        error: {
          code: -32000,
          message: 'Not Acceptable: Client must accept both application/json and text/event-stream',
        },
      },
    ]);
    await lane.close();
  });

  it('may name JSON alone on modern, whose answer is JSON', async ({ expect }) => {
    const lane = await open('modern');
    const reply = await lane.post(messageFor('modern'), {
      accept: 'application/json',
      'mcp-method': 'tools/list',
    });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json']);
  });
});

/** `tools/list` with id 7, as the lane wants it. */
function messageFor(name: LaneName): Message {
  if (name !== 'modern') return ping(7);
  const _meta = { [ENVELOPE.version]: '2026-07-28', [ENVELOPE.capabilities]: {} };
  return { ...ping(7), params: { _meta } };
}

describe('what the packages get wrong', () => {
  it.for(['legacy', 'compat'] as const)(
    'a posted error response is accepted and opens nothing: %s',
    async (name, { expect }) => {
      const lane = await open(name);
      const one = { jsonrpc: '2.0', id: 9, error: { code: -1, message: 'no' } };
      for (const body of [one, [one], [one, { jsonrpc: '2.0', method: 'notifications/initialized' }]]) {
        const response = await lane.post(body);
        expect([response.status, await response.text()]).toEqual([202, '']);
      }
      await lane.close();
    },
  );

  it('errors of the legacy package are JSON and say so', async ({ expect }) => {
    const headers = { 'content-type': 'application/json', accept: '*/*', origin: PAGE };
    const response = await ask('/legacy/mcp', { method: 'POST', headers, body: JSON.stringify(ping(1)) });
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('access-control-allow-origin'),
    ]).toEqual([400, 'application/json', PAGE]);
    expect(await response.json<Message>()).toMatchObject({ error: { code: -32000 } });
  });

  it('sentences of the legacy package become JSON-RPC', async ({ expect }) => {
    const headers = { 'content-type': 'application/json' };
    const response = await ask('/legacy/sse/message', { method: 'POST', headers, body: JSON.stringify(ping(1)) });
    expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
      400,
      'application/json',
      { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'Bad Request' } },
    ]);
  });

  it('a 2026 probe of the legacy route is 400 in JSON-RPC, with its id, and wakes nothing', async ({ expect }) => {
    const lane = await open('modern');
    const _meta = { [ENVELOPE.version]: '2026-07-28', [ENVELOPE.capabilities]: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'probe', method: 'server/discover', params: { _meta } });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'server/discover',
    };
    const response = await ask('/legacy/mcp', { method: 'POST', headers, body });
    expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
      400,
      'application/json',
      {
        jsonrpc: '2.0',
        id: 'probe',
        error: {
          code: -32000,
          message:
            'Bad Request: this URL serves protocol versions up to 2025-11-25. Send initialize, or use http://localhost/mcp for 2026-07-28',
        },
      },
    ]);
    await lane.close();
  });

  it.for(['legacy', 'compat'] as const)(
    'initialize starts anew, whatever session id it carries: %s',
    async (name, { expect }) => {
      const lane = await open(name);
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
      for (const sessionId of [lane.sessionId ?? '', 'c_AAAAAAAAAAAAAAAAAAAAAAAAAAA', 'of another server']) {
        const response = await lane.post(
          { jsonrpc: '2.0', id: 1, method: 'initialize', params },
          { 'mcp-session-id': sessionId },
        );
        expect((await readReply(response, 1)).answer?.result).toHaveProperty('serverInfo');
        expect(response.headers.get('mcp-session-id')).not.toBe(sessionId);
      }
      await lane.close();
    },
  );

  it.for([
    ['a header that sets an identity', '', { 'x-agents-lifecycle-props': 'garbage' }],
    ['a header that names an inner message', '', { 'cf-mcp-message': 'e30=', 'cf-mcp-method': 'GET' }],
    ['a query that names a connection', '?_pk=a:b', {}],
    ['a query that switches the protocol', '?__agents_transport=capnweb', {}],
  ] as const)('%s does not reach the legacy agent', async ([, query, headers], { expect }) => {
    const lane = await open('legacy');
    const response = await ask(`/legacy/mcp${query}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': lane.sessionId ?? '',
        ...headers,
      },
      body: JSON.stringify(ping(3)),
    });
    expect((await readReply(response, 3)).answer?.result).toHaveProperty('tools');
    await lane.close();
  });

  it.for([
    ['legacy', 'pinned'],
    ['compat', 'pinned'],
    ['modern', 'era_2026'],
  ] as const)('every answer of %s says which lane it was, and why: %s', async ([name, reason], { expect }) => {
    const lane = await open(name);
    const { headers } = await lane.request('tools/list');
    await lane.close();
    expect(headers.get('server-timing')).toBe(`lane;desc="${name}", reason;desc="${reason}"`);
  });
});

describe('the old transport', () => {
  it('works on legacy from its endpoint event to an answer', async ({ expect }) => {
    const stream = await ask('/legacy/sse', { headers: { accept: 'text/event-stream' } });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    const endpoint = /^event: endpoint\ndata: (\S+)\n\n$/.exec((await reader.read()).value ?? '')?.[1] ?? '';
    expect(endpoint).toMatch(/^\/legacy\/sse\/message\?sessionId=[0-9a-f]{64}$/);
    const post = async (body: Message): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      const response = await ask(endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
      await response.body?.cancel();
      return response.status;
    };
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    expect(await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })).toBe(202);
    const event = (await reader.read()).value ?? '';
    expect(JSON.parse(event.slice(event.indexOf('data: ') + 6))).toMatchObject({ id: 1, result: { serverInfo: {} } });
    await reader.cancel();
  });

  it('takes one message at a time', async ({ expect }) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify([ping(1)]);
    const response = await ask('/legacy/sse/message', { method: 'POST', headers, body });
    expect([response.status, (await response.json<Message>()).error]).toEqual([
      400,
      { code: -32600, message: 'Invalid Request: this URL takes one message at a time' },
    ]);
  });
});

const INVENTED = ['f'.repeat(64), '0'.repeat(64), 'a', '../../x', `c_${'A'.repeat(27)}`, '%00', '']; // None was given out.

describe('session ids that legacy did not give out', () => {
  // The stateless lanes answer to an id of their own form on either route, since nothing is stored for one.
  it.for(INVENTED.filter((id) => !id.startsWith('c_')))(
    'are unknown to the streamable transport: %s',
    async (sessionId, { expect }) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessionId,
      };
      const statuses = await Promise.all([
        ask('/legacy/mcp', { method: 'POST', headers, body: JSON.stringify(ping(1)) }),
        ask('/legacy/mcp', { headers }),
        ask('/legacy/mcp', { method: 'DELETE', headers }),
      ]);
      expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(await statuses[0].json()).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32001, message: 'Session not found' },
      });
    },
  );

  it.for(INVENTED)('are unknown to the old transport: %s', async (sessionId, { expect }) => {
    const query = `?sessionId=${encodeURIComponent(sessionId)}`;
    const body = JSON.stringify(ping(1));
    const headers = { 'content-type': 'application/json' };
    const statuses = await Promise.all([
      ask(`/legacy/sse${query}`, { headers: { accept: 'text/event-stream' } }),
      ask(`/legacy/sse/message${query}`, { method: 'POST', headers, body }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([404, 404]);
  });

  it('include a real one in capitals, which would name another object', async ({ expect }) => {
    const lane = await open('legacy');
    const response = await lane.post(ping(1), { 'mcp-session-id': lane.sessionId!.toUpperCase() });
    expect(response.status).toBe(404);
    await lane.close();
  });
});
