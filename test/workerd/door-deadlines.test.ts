/** The door with short times and lanes that behave as badly as they can. */
import { createExecutionContext } from 'cloudflare:test';
import { describe, it } from 'vitest';
import type { DoorVars } from '../../src/router/config.ts';
import { deskCatalogue as catalogue } from '../../examples/desk/catalogue.ts';
import type { Report } from '../../src/shared/pipeline/report.ts';
import { routerWith } from '../support/router.ts';
import { messagesIn } from '../support/wire.ts';

type Answer = (request: Request) => Promise<Response>;

function router(answer: Answer, vars: DoorVars = {}, hasLegacy = true) {
  const reports: Report[] = [];
  const fetch = routerWith({
    catalogue,
    report: (what) => void reports.push(what),
    stateless: {
      fetch: answer,
      eraOf: async () => '2025',
      endSession: () => Promise.resolve(),
      isSessionId: () => false,
      newSessionId: () => Promise.resolve('c_new'),
    },
    ...(hasLegacy && {
      legacy: {
        fetch: answer,
        isSessionId: () => true,
        standing: () => Promise.resolve('gone'),
        endSession: () => Promise.resolve(),
        agentName: (sessionId) => sessionId,
      },
    }),
  });
  return {
    reports,
    send: (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(new Request(`http://localhost${path}`, init), vars, createExecutionContext()),
    post: (path: string, message: unknown): Promise<Response> =>
      fetch(
        new Request(`http://localhost${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(message),
        }),
        vars,
        createExecutionContext(),
      ),
  };
}

const CALL = { jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'add', arguments: {} } };

/** A stream that says one thing and then nothing, and knows whether it was cancelled; `cancelled` is when. */
function silent() {
  const state = { cancelled: false };
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(': one\n\n')),
    cancel: () => {
      state.cancelled = true;
      cancelled.resolve();
    },
  });
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  return { state, cancelled: cancelled.promise, answer: () => Promise.resolve(response) };
}

describe.each(['/mcp', '/legacy/mcp'])('a lane of %s', (path) => {
  it('that never answers is answered for', async ({ expect }) => {
    const { post } = router(() => new Promise(() => undefined), { ANSWER_DEADLINE_MS: '20' });
    const response = await post(path, CALL);
    expect([response.status, await response.json()]).toEqual([
      504,
      { jsonrpc: '2.0', id: 'c', error: { code: -32000, message: 'The server did not begin to answer within 20 ms' } },
    ]);
  });

  it('that answers too late has its stream ended', async ({ expect }) => {
    const { state, answer, cancelled } = silent();
    // Too late by the client's answer, and not by a clock: the lane answers when the door has answered for it.
    const late = Promise.withResolvers<void>();
    const { post } = router(() => late.promise.then(answer), { ANSWER_DEADLINE_MS: '10' });
    expect((await post(path, CALL)).status).toBe(504);
    expect(state.cancelled).toBe(false);
    late.resolve();
    // A stream that nobody ends keeps this test waiting until it fails.
    await cancelled;
    expect(state.cancelled).toBe(true);
  });

  it('that never ends its stream is ended, and the call is answered', async ({ expect }) => {
    const { state, answer } = silent();
    const response = await router(answer, { CALL_STREAM_MS: '30' }).post(path, CALL);
    expect(messagesIn((await response.text()).replace(': one\n\n', ''), 'text/event-stream')).toEqual([
      { jsonrpc: '2.0', id: 'c', error: { code: -32000, message: 'The call was not answered within 30 ms' } },
    ]);
    expect(state.cancelled).toBe(true);
  });

  it('has its stream cancelled when the client leaves', async ({ expect }) => {
    const { state, answer } = silent();
    const response = await router(answer).post(path, CALL);
    await response.body?.cancel();
    expect(state.cancelled).toBe(true);
  });

  it('that throws is one fixed answer, and the cause is reported', async ({ expect }) => {
    const { post, reports } = router(() => Promise.reject(new Error('secret cause')));
    const response = await post(path, CALL);
    expect([response.status, await response.json()]).toEqual([
      500,
      { jsonrpc: '2.0', id: null, error: { code: -32603, message: 'Internal error' } },
    ]);
    expect(reports.map(({ fault, cause }) => [fault, String(cause)])).toEqual([['internal', 'Error: secret cause']]);
  });
});

describe('streams to listen on', () => {
  it('end without a word after their time', async ({ expect }) => {
    const { state, answer } = silent();
    const { send } = router(answer, { LISTEN_STREAM_MS: '20', CALL_STREAM_MS: '60000' });
    const response = await send('/legacy/mcp', { headers: { 'mcp-session-id': 'x' } });
    expect([await response.text(), state.cancelled]).toEqual([': one\n\n', true]);
  });

  it('of a subscription end with its result', async ({ expect }) => {
    const { answer } = silent();
    const { post } = router(answer, { LISTEN_STREAM_MS: '20', CALL_STREAM_MS: '60000' });
    const response = await post('/mcp', { jsonrpc: '2.0', id: 5, method: 'subscriptions/listen' });
    expect(messagesIn((await response.text()).replace(': one\n\n', ''), 'text/event-stream')).toEqual([
      {
        jsonrpc: '2.0',
        id: 5,
        result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 5 } },
      },
    ]);
  });
});

describe('the door', () => {
  it.for(['/mcp', '/legacy/mcp'])('does not wait for a slow body: %s', async (path, { expect }) => {
    const { send } = router(() => Promise.reject(new Error('not reached')), { ANSWER_DEADLINE_MS: '20' });
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) });
    const response = await send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect([response.status, await response.json()]).toEqual([
      408,
      { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Request Timeout: the body took more than 20 ms' } },
    ]);
  });

  it.for(['/mcp', '/legacy/mcp'])('keeps to a smaller body limit of its own: %s', async (path, { expect }) => {
    const answer: Answer = () => Promise.resolve(Response.json({ jsonrpc: '2.0', id: 'c', result: {} }));
    const size = JSON.stringify(CALL).length;
    expect((await router(answer, { MAX_BODY_BYTES: size }).post(path, CALL)).status).toBe(200);
    const refused = await router(answer, { MAX_BODY_BYTES: size - 1 }).post(path, CALL);
    expect([refused.status, await refused.json()]).toEqual([
      413,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: `Request body too large: the limit is ${size - 1} bytes` },
      },
    ]);
  });

  it('with a variable that it cannot read says so to the operator only', async ({ expect }) => {
    const { post, reports } = router(() => Promise.reject(new Error('not reached')), { MAX_BODY_BYTES: '4MB' });
    const response = await post('/mcp', CALL);
    expect([response.status, await response.json()]).toEqual([
      500,
      { jsonrpc: '2.0', id: null, error: { code: -32603, message: 'Internal error' } },
    ]);
    expect(reports.map(({ cause }) => String(cause))).toEqual([
      'ConfigurationProblems: The variable MAX_BODY_BYTES must be a whole number from 1 to 16777216.',
    ]);
  });

  it('does not hand a foreign host or page to a lane, whatever the method', async ({ expect }) => {
    const { send, reports } = router(() => Promise.reject(new Error('reached')));
    const methods = ['GET', 'POST', 'DELETE', 'OPTIONS', 'PUT'];
    const responses = await Promise.all(
      methods.map((method) => send('/legacy/mcp', { method, headers: { origin: 'https://evil.example' } })),
    );
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect(reports).toEqual([]);
  });

  it('counts what a client asks where a limiter is bound, and goes on without it when it is down', async ({
    expect,
  }) => {
    const ok: Answer = () => Promise.resolve(Response.json({ jsonrpc: '2.0', id: 'c', result: {} }));
    const keys: string[] = [];
    const limiter = (success: boolean) => ({
      limit: ({ key }: { key: string }) => {
        keys.push(key);
        return Promise.resolve({ success });
      },
    });
    const ask = async (RATE_LIMITER: object, path = '/mcp', method = 'POST') => {
      const { send } = router(ok, { RATE_LIMITER } as DoorVars);
      const headers = { 'content-type': 'application/json', 'cf-connecting-ip': '192.0.2.7' };
      return send(path, { method, headers, ...(method === 'POST' && { body: JSON.stringify(CALL) }) });
    };
    const refused = await ask(limiter(false));
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '60',
      { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Too many requests: try again in 60 seconds' } },
    ]);
    expect((await ask(limiter(true))).status).toBe(200);
    expect((await ask({ limit: () => Promise.reject(new Error('down')) })).status).toBe(200);
    expect(keys).toEqual(['192.0.2.7', '192.0.2.7']);
    // Neither a preflight nor a page counts.
    expect((await ask(limiter(false), '/mcp', 'OPTIONS')).status).toBe(204);
    expect((await ask(limiter(false), '/healthz', 'GET')).status).toBe(200);
  });
});

describe('a Worker whose legacy half is gone', () => {
  it.for([
    ['GET', '/legacy/sse'],
    ['GET', '/legacy/mcp'],
    ['DELETE', '/legacy/mcp'],
    ['POST', '/legacy/mcp'],
    ['POST', '/legacy/sse/message'],
  ])('answers %s %s with 410 and where to go', async ([method = '', path = ''], { expect }) => {
    const { send, reports } = router(() => Promise.reject(new Error('not reached')), {}, false);
    const headers = { 'content-type': 'application/json', origin: 'http://localhost:6274' };
    const response = await send(path, { method, headers, ...(method === 'POST' && { body: JSON.stringify(CALL) }) });
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('link'),
      response.headers.get('access-control-allow-origin'),
      await response.json(),
    ]).toEqual([
      410,
      'application/json',
      '<http://localhost/mcp>; rel="successor-version"',
      'http://localhost:6274',
      {
        jsonrpc: '2.0',
        id: method === 'POST' ? 'c' : null,
        error: { code: -32000, message: 'Gone: this server has moved to http://localhost/mcp' },
      },
    ]);
    expect(reports).toEqual([]);
  });
});
