/** Small things of the legacy routes on the wire that a client or a proxy depends on. */
import { exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { MessageReader } from '../support/events.ts';
import { ENVELOPE, openLane, type Message } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const post = (path: string, message: object, headers: Record<string, string> = {}): Promise<Response> =>
  send(
    new Request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    }),
  );
const INITIALIZE = {
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'wire', version: '1' } },
};

/** A session of the old transport: where it takes messages, and what comes on its stream. */
async function openSse() {
  const stream = await send(new Request(`${ORIGIN}/legacy/sse`, { headers: { accept: 'text/event-stream' } }));
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  const until = async (what: RegExp): Promise<string> => {
    while (!what.test(seen)) seen += (await reader.read()).value ?? '';
    const [, found = ''] = what.exec(seen) ?? [];
    return found;
  };
  const endpoint = await until(/data: (\/legacy\/sse\/message\S+)\n/);
  return { stream, endpoint, until, close: () => reader.cancel() };
}

describe('event streams of the legacy routes', () => {
  it('tell proxies to hold back nothing, and to change nothing (legacy)', async ({ expect }) => {
    const lane = await openLane('legacy', { origin: ORIGIN, send });
    const id = { 'mcp-session-id': lane.sessionId ?? '' };
    const listening = await send(
      new Request(`${ORIGIN}/legacy/mcp`, { headers: { accept: 'text/event-stream', ...id } }),
    );
    const called = await lane.open('tools/call', { name: 'echo', arguments: { text: 'x' } });
    const sse = await openSse();
    for (const response of [listening, called, sse.stream]) {
      const { headers } = response;
      expect([headers.get('content-type'), headers.get('cache-control'), headers.get('x-accel-buffering')]).toEqual([
        expect.stringContaining('text/event-stream'),
        'no-cache, no-transform',
        'no',
      ]);
    }
    await listening.body?.cancel();
    await called.body?.cancel();
    await sse.close();
  });
});

describe('a client of 2026-07-28 on the legacy routes', () => {
  const _meta = {
    [ENVELOPE.version]: '2026-07-28',
    [ENVELOPE.client]: { name: 'wire', version: '1' },
    [ENVELOPE.capabilities]: {},
  };

  it('is told on the stream of the old transport that its probe is unknown, and falls back (legacy)', async ({
    expect,
  }) => {
    const { endpoint, until, close } = await openSse();
    const probe = await post(endpoint, { id: 7, method: 'server/discover', params: { _meta } });
    expect([probe.status, await probe.text()]).toEqual([202, 'Accepted']);
    expect(JSON.parse(await until(/data: (.*"id":7.*)\n/))).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32601, message: 'Method not found' },
    });
    expect((await post(endpoint, INITIALIZE)).status).toBe(202);
    expect(await until(/data: (.*"id":"first".*)\n/)).toContain('"protocolVersion":"2025-11-25"');
    await close();
  });

  it('whose initialize has a later version in its header is told so (legacy)', async ({ expect }) => {
    const later = { 'mcp-protocol-version': '2026-07-28' };
    const refused = await post('/legacy/mcp', INITIALIZE, later);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: 'first',
        error: {
          code: -32000,
          message:
            'Bad Request: this URL serves protocol versions up to 2025-11-25, and the header MCP-Protocol-Version names a later one. Send initialize without it, or use http://localhost/mcp for 2026-07-28',
        },
      },
    ]);
    const listing = await post('/legacy/mcp', { id: 1, method: 'tools/list', params: { _meta } }, later);
    expect((await listing.json<Message>()).error?.message).toBe(
      'Bad Request: this URL serves protocol versions up to 2025-11-25. Send initialize, or use http://localhost/mcp for 2026-07-28',
    );
  });
});

describe('refusals of the legacy package', () => {
  it('have the id of the request that they refuse (legacy)', async ({ expect }) => {
    const lane = await openLane('legacy', { origin: ORIGIN, send });
    const id = { 'mcp-session-id': lane.sessionId ?? '' };
    const ended = await openLane('legacy', { origin: ORIGIN, send });
    await ended.close();
    const list = { id: 'mine', method: 'tools/list' };
    const refusals = [
      await post('/legacy/mcp', list),
      await post('/legacy/mcp', list, { ...id, accept: 'application/json' }),
      await post('/legacy/mcp', list, { ...id, 'mcp-protocol-version': '2024-01-01' }),
      await post('/legacy/mcp', list, { 'mcp-session-id': ended.sessionId ?? '' }),
      await post('/mcp', list, { accept: 'application/json;q=0' }),
    ];
    const seen = await Promise.all(
      refusals.map(async (response) => [response.status, (await response.json<Message>()).id]),
    );
    expect(seen).toEqual([
      [400, 'mine'],
      [406, 'mine'],
      [400, 'mine'],
      [404, 'mine'],
      [406, 'mine'],
    ]);
  });

  it('accept what the client accepts, as HTTP means it (legacy)', async ({ expect }) => {
    for (const accept of ['Application/JSON, TEXT/event-stream', '*/*;q=0.1', 'application/*, text/*;q=0.5']) {
      const response = await post('/legacy/mcp', INITIALIZE, { accept });
      expect(response.status).toBe(200);
      await new MessageReader(response).cancel();
    }
  });
});
