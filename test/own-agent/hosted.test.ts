/** Hosting: the stateless lanes answer with the code of the unchanged class. */
import { describe, it } from 'vitest';
import { ENVELOPE, type Message } from '../support/wire.ts';
import {
  agentOf,
  at,
  HOSTED,
  modernRequest,
  openByHandle,
  openOwn,
  openPlain,
  textOf,
  withoutHandles,
} from './clients.ts';

const ANN = { user: 'ann' };
const ENVELOPED = { [ENVELOPE.version]: '2026-07-28', [ENVELOPE.capabilities]: {} };

/** The answers of a 2025 client on each lane, and the same of a 2026 client without what its protocol adds. */
async function answersOf(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
  const fresh = (): { user: string } => ({ user: crypto.randomUUID() });
  const lanes = {
    plain: await openPlain(fresh()),
    wrapped: await openOwn('legacy', {}, fresh()),
    compat: await openOwn('legacy', HOSTED, fresh()),
    modern: await openOwn('modern', HOSTED, fresh()),
    handle: await openByHandle(),
  };
  const answers: Record<string, unknown> = {};
  for (const [name, lane] of Object.entries(lanes)) {
    const { answer } = await lane.request(method, params);
    const result = name === 'handle' ? withoutHandles(answer?.result ?? {}) : answer?.result;
    answers[name] = answer?.error ?? resultOf(result, lane.name === 'modern');
    await lane.close();
  }
  return answers;
}

/** SDK v2 leaves `execution` out of a listing, which only tasks of the 2025 protocols know. */
function resultOf(result: Record<string, unknown> | undefined, isModern: boolean): unknown {
  const text = JSON.stringify(result, (key, inner: unknown) => (key === 'execution' ? undefined : inner));
  const {
    resultType,
    ttlMs: _ttlMs,
    cacheScope: _scope,
    _meta: meta,
    ...own
  } = JSON.parse(text) as Record<string, unknown>;
  if (isModern) {
    const added = { resultType, meta };
    const expected = { 'io.modelcontextprotocol/serverInfo': { name: 'own', version: '1.0.0' } };
    if (JSON.stringify(added) !== JSON.stringify({ resultType: 'complete', meta: expected })) return { added };
  }
  // Who calls is another on each lane here.
  return JSON.parse(JSON.stringify(own).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\bnobody\b/g, '<user>'));
}

describe('the same call', () => {
  it.for([
    ['tools/list', {}, 'tools'],
    ['tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, 'content'],
    ['tools/call', { name: 'add', arguments: { a: 'x' } }, 'content'],
    ['tools/call', { name: 'nope', arguments: {} }, 'content'],
    ['tools/call', { name: 'fail', arguments: {} }, 'content'],
    ['tools/call', { name: 'refuse', arguments: {} }, 'content'],
    ['tools/call', { name: 'increment', arguments: {} }, 'structuredContent'],
    ['tools/call', { name: 'whoami', arguments: {} }, 'content'],
    ['prompts/list', {}, 'prompts'],
    ['prompts/get', { name: 'greet', arguments: { name: 'Ann' } }, 'messages'],
    ['prompts/get', { name: 'nope' }, 'message'],
    ['resources/list', {}, 'resources'],
    ['resources/templates/list', {}, 'resourceTemplates'],
    ['resources/read', { uri: 'own://readme' }, 'contents'],
    ['resources/read', { uri: 'own://notes/7' }, 'contents'],
    ['resources/read', { uri: 'own://nope' }, 'message'],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'a' } },
      'completion',
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'own://notes/{id}' }, argument: { name: 'id', value: '' } },
      'completion',
    ],
  ] as const)(
    'is answered alike by the plain class and on each lane: %s %j',
    async ([method, params, has], { expect }) => {
      const { plain, ...ours } = await answersOf(method, params);
      expect(plain).toHaveProperty(has);
      expect(ours).toEqual({ wrapped: plain, compat: plain, modern: plain, handle: plain });
    },
  );
});

describe('state', () => {
  it('goes from the legacy lane to the stateless ones and back in the very object', async ({ expect }) => {
    const lane = await openOwn('legacy', {}, ANN);
    expect(await textOf(lane, 'increment')).toBe('1 in 1 rows');
    expect(await textOf(lane, 'increment', { by: 2 })).toBe('3 in 2 rows');
  });

  it('of a signed-in 2026 client is the same from call to call', async ({ expect }) => {
    const user = { user: crypto.randomUUID() };
    const lane = await openOwn('modern', HOSTED, user);
    expect([await textOf(lane, 'increment'), await textOf(lane, 'increment')]).toEqual(['1 in 1 rows', '2 in 2 rows']);
  });
});

describe('a session', () => {
  it('that the stateless lanes have begun is one of the plain protocol, and goes on there', async ({ expect }) => {
    const lane = await openOwn('legacy', HOSTED, ANN);
    expect([await textOf(lane, 'increment'), await textOf(lane, 'increment')]).toEqual(['1 in 1 rows', '2 in 2 rows']);
    const reply = await lane.request('tools/list');
    expect(reply.headers.get('server-timing')).toBe('lane;desc="compat", reason;desc="drained"');
    await lane.close();
    expect((await lane.request('tools/list')).status).toBe(404);
  });

  it('keeps its object through a drain and back', async ({ expect }) => {
    const lane = await openOwn('legacy', {}, ANN);
    expect(await textOf(lane, 'increment')).toBe('1 in 1 rows');
    const agent = agentOf(lane.sessionId);
    expect(await agent.drain()).toBe(true);
    expect(await textOf({ ...lane, request: at(lane, HOSTED, ANN) }, 'increment')).toBe('2 in 2 rows');
    expect(await agent.takeBack()).toBe(true);
    expect(await textOf({ ...lane, request: at(lane, HOSTED, ANN) }, 'increment')).toBe('3 in 3 rows');
  });

  it('of one caller is unknown to another, drained or not', async ({ expect }) => {
    const lane = await openOwn('legacy', HOSTED, ANN);
    await textOf(lane, 'increment');
    for (const who of [{ user: 'bob' }, {}]) {
      const { status, answer } = await at(lane, HOSTED, who)('tools/list');
      expect([status, answer?.error]).toEqual([404, { code: -32_001, message: 'Session not found' }]);
    }
    expect(await textOf(lane, 'increment')).toBe('2 in 2 rows');
  });
});

describe('a handler', () => {
  const FORMS = { elicitation: { form: {} } };

  it('that asks is resumed with each answer, and runs once', async ({ expect }) => {
    const lane = await openOwn('modern', HOSTED, { user: crypto.randomUUID() }, FORMS);
    const call = { name: 'book', arguments: {} };
    const first = (await lane.request('tools/call', call)).answer?.result;
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { q1: { method: 'elicitation/create', params: { message: 'How many?' } } },
    });
    const second = (
      await lane.request('tools/call', {
        ...call,
        requestState: first?.['requestState'],
        inputResponses: { q1: { action: 'accept', content: { n: 3 } } },
      })
    ).answer?.result;
    expect(second).toMatchObject({
      resultType: 'input_required',
      inputRequests: { q2: { method: 'elicitation/create', params: { message: 'Sure about 3?' } } },
    });
    const third = (
      await lane.request('tools/call', {
        ...call,
        requestState: second?.['requestState'],
        inputResponses: { q2: { action: 'accept', content: { ok: true } } },
      })
    ).answer;
    expect(third?.result?.['content']).toEqual([{ type: 'text', text: 'counter 3, ok true, ran 1 times' }]);
  });

  it('that needs what the client has not declared is refused: -32021 with HTTP 400 on modern', async ({ expect }) => {
    const able = await openOwn('modern', HOSTED, ANN, { roots: {} });
    const { answer } = await able.request('tools/call', { name: 'roots', arguments: {} });
    expect(answer?.result?.['inputRequests']).toEqual({ q1: { method: 'roots/list', params: {} } });
    const refusals: unknown[] = [];
    for (const [name, capabilities] of [
      ['roots', {}],
      ['roots', FORMS],
      ['book', { roots: {} }],
      ['book', { elicitation: { url: {} } }],
    ] as const) {
      const lane = await openOwn('modern', HOSTED, ANN, capabilities);
      const { status, answer } = await lane.request('tools/call', { name, arguments: {} });
      refusals.push([status, answer?.error?.code, answer?.error?.data]);
    }
    expect(refusals).toEqual([
      [400, -32_021, { requiredCapabilities: { roots: {} } }],
      [400, -32_021, { requiredCapabilities: { roots: {} } }],
      [400, -32_021, { requiredCapabilities: { elicitation: { form: {} } } }],
      [400, -32_021, { requiredCapabilities: { elicitation: { form: {} } } }],
    ]);
  });

  it('is told so in place of a question that cannot be put, and may go on', async ({ expect }) => {
    expect(await textOf(await openOwn('modern', HOSTED, ANN), 'perhaps')).toBe('no roots');
    expect(await textOf(await openOwn('legacy', HOSTED, ANN), 'perhaps')).toBe('no roots');
    expect(await textOf(await openOwn('legacy', HOSTED, ANN), 'roots')).toBe(
      'MCP error -32601: The client of this call cannot be asked: it declares no such capability, or its protocol has no way back',
    );
  });

  it('sends its progress and its log to the client of its call', async ({ expect }) => {
    const lane = await openOwn('modern', HOSTED, ANN);
    const { answer, others } = await lane.request(
      'tools/call',
      { name: 'progress', arguments: {} },
      { progressToken: 7, 'io.modelcontextprotocol/logLevel': 'debug' },
    );
    expect(answer?.result?.['content']).toEqual([{ type: 'text', text: 'done' }]);
    expect(others.map(({ method, params }) => [method, params?.['progress'] ?? params?.['data']])).toEqual([
      ['notifications/progress', 1],
      ['notifications/progress', 2],
      ['notifications/message', 'half way'],
    ]);
  });
});

describe('callers', () => {
  it('of one account with other rights never see each other’s lists', async ({ expect }) => {
    const user = crypto.randomUUID();
    const [admin, reader] = [
      await openOwn('modern', HOSTED, { user, role: 'admin' }),
      await openOwn('modern', HOSTED, { user, role: 'reader' }),
    ];
    const names = async (lane: typeof admin): Promise<string[]> => {
      const { answer } = await lane.request('tools/list');
      return ((answer?.result?.['tools'] ?? []) as { name: string }[])
        .map(({ name }) => name)
        .filter((name) => name === 'secret');
    };
    const lists = await Promise.all([1, 2, 3].flatMap(() => [names(admin), names(reader)]));
    expect(lists).toEqual([['secret'], [], ['secret'], [], ['secret'], []]);
    expect(await Promise.all([textOf(admin, 'whoami'), textOf(reader, 'whoami'), textOf(reader, 'secret')])).toEqual([
      `${user} admin`,
      `${user} reader`,
      'MCP error -32602: Tool secret not found',
    ]);
  });

  it('without a sign-in are answered as the plain class answers them, if the class keeps state', async ({ expect }) => {
    const plain = await modernRequest('/plain', {});
    const ours = await modernRequest('/mcp', HOSTED);
    expect([ours.status, await ours.json()]).toEqual([plain.status, await plain.json()]);
    expect(plain.status).toBe(400);
  });

  it('are refused in short, whatever they say at length', async ({ expect }) => {
    const lane = await openOwn('modern', HOSTED, { user: 'long' });
    const request = { jsonrpc: '2.0', id: 1, method: 'y'.repeat(300_000), params: { _meta: ENVELOPED } };
    const response = await lane.post(request, { 'mcp-method': 'z', 'mcp-protocol-version': '2026-07-28' });
    const { error } = await response.json<Message>();
    expect([response.status, error?.code, error?.message.length]).toEqual([400, -32020, 1_201]);
  });

  it('without a sign-in share a few objects, if the class says that it keeps no state', async ({ expect }) => {
    const lane = await openOwn('modern', { ...HOSTED, AGENT_KEEPS_NO_STATE: 'on' });
    expect(await textOf(lane, 'add', { a: 1, b: 2 })).toBe('3');
    expect(await textOf(lane, 'whoami')).toBe('nobody -');
  });
});
