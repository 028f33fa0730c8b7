/** A legacy session and its client: who is still there, who may come in, and what is left behind. */
import {
  createExecutionContext,
  evictDurableObject,
  listDurableObjectIds,
  reset,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { createLegacyLane } from '../../src/legacy/lane.ts';
import worker from '../fixture/worker.ts';

const lane = createLegacyLane({ keepAliveMs: 40 });
const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'present', version: '1.0' } },
};
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const UNKNOWN = { jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null };

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly id?: string;
  readonly message?: object;
  readonly subject?: string;
}

function send({ path = '/legacy/mcp', method, id, message, subject }: Sent): Promise<Response> {
  const request = new Request(`http://localhost${path}`, {
    method: method ?? (message === undefined ? 'GET' : 'POST'),
    headers: { ...HEADERS, ...(id !== undefined && { 'mcp-session-id': id }) },
    ...(message !== undefined && { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  });
  const props = subject === undefined ? {} : { subject };
  return lane.fetch(request, env, Object.assign(createExecutionContext(), { props }));
}

async function open(subject?: string): Promise<string> {
  const response = await send({ message: INITIALIZE, ...(subject !== undefined && { subject }) });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const call = (id: string, name: string, args: object = {}, subject?: string): Promise<Response> =>
  send({
    id,
    message: { id: 2, method: 'tools/call', params: { name, arguments: args, _meta: { progressToken: 'p' } } },
    ...(subject !== undefined && { subject }),
  });

/** Of a stream to listen on. */
const SOON_OVER: object = { LISTEN_STREAM_MS: '300' };

/** The agent's end of a stream that it serves. */
const agentAt = (name: string) => env.LEGACY_AGENT.getByName(name);
const streamsOf = (name: string): Promise<number> => streamsAt(agentAt(name));
const streamsAt = (stub: ReturnType<typeof agentAt>): Promise<number> =>
  runInDurableObject(stub, (agent) => [...(agent as { getConnections(): Iterable<unknown> }).getConnections()].length);

async function sseSession(
  subject?: string,
): Promise<{ reader: ReadableStreamDefaultReader<string>; endpoint: string; id: string }> {
  const response = await send({ path: '/legacy/sse', ...(subject !== undefined && { subject }) });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const endpoint = /data: (\S+)/.exec((await reader.read()).value ?? '')?.[1] ?? '';
  return { reader, endpoint, id: new URL(endpoint, 'http://localhost').searchParams.get('sessionId') ?? '' };
}

describe('legacy: the stream of a client that has gone', () => {
  it.for(['GET', 'POST', 'sse'] as const)(
    'is closed on the side of the agent, and its session ends: %s',
    async (kind, { expect }) => {
      await reset();
      let name = '';
      let leave: () => Promise<void>;
      if (kind === 'sse') {
        const { reader, id } = await sseSession();
        name = `sse:${id}`;
        leave = () => reader.cancel();
      } else {
        const id = await open();
        name = `streamable-http:${id}`;
        const response = await (kind === 'GET' ? send({ id }) : call(id, 'steps', { steps: 100, pauseMs: 100 }));
        leave = async () => response.body?.cancel();
      }
      expect(await streamsOf(name)).toBe(1);
      await leave();
      await expect.poll(() => streamsOf(name), { interval: 20 }).toBe(0);
      vi.useFakeTimers({ toFake: ['Date'] });
      vi.setSystemTime(Date.now() + 27 * 60 * 60 * 1000);
      expect(await runDurableObjectAlarm(agentAt(name))).toBe(true);
      expect(await agentAt(name).isSession()).toBe(false);
      vi.useRealTimers();
    },
  );

  it.for(['GET', 'sse'] as const)(
    'is closed when its time is up, if the client is there and never reads: %s',
    async (kind, { expect }) => {
      await reset();
      const others = new Set((await listDurableObjectIds(env.LEGACY_AGENT)).map(String));
      const id = kind === 'GET' ? await open() : undefined;
      const response = await worker.fetch(
        new Request(`http://localhost/legacy/${kind === 'GET' ? 'mcp' : 'sse'}`, {
          headers: { ...HEADERS, ...(id !== undefined && { 'mcp-session-id': id }) },
        }),
        { ...env, ...SOON_OVER },
        createExecutionContext(),
      );
      expect(response.status).toBe(200);
      const objects = (await listDurableObjectIds(env.LEGACY_AGENT)).filter((each) => !others.has(String(each)));
      expect(objects.length).toBe(1);
      // The one way to its name: nothing that the stream says is read.
      const agent = env.LEGACY_AGENT.get(objects[0]!);
      expect(await streamsAt(agent)).toBe(1);
      await expect.poll(() => streamsAt(agent), { interval: 20 }).toBe(0);
      vi.useFakeTimers({ toFake: ['Date'] });
      vi.setSystemTime(Date.now() + 27 * 60 * 60 * 1000);
      expect(await runDurableObjectAlarm(agent)).toBe(true);
      expect(await agent.isSession()).toBe(false);
      vi.useRealTimers();
      expect(response.bodyUsed).toBe(false);
    },
  );

  it.for(['GET', 'sse'] as const)(
    'carries a comment from time to time while it is there, and its session stays: %s',
    async (kind, { expect }) => {
      await reset();
      const { name, reader } = await (async () => {
        if (kind === 'sse') {
          const { reader, id } = await sseSession();
          return { name: `sse:${id}`, reader };
        }
        const id = await open();
        const response = await send({ id });
        return {
          name: `streamable-http:${id}`,
          reader: response.body!.pipeThrough(new TextDecoderStream()).getReader(),
        };
      })();
      const comments = [(await reader.read()).value, (await reader.read()).value];
      expect(comments).toEqual([': keepalive\n\n', ': keepalive\n\n']);
      vi.useFakeTimers({ toFake: ['Date'] });
      vi.setSystemTime(Date.now() + 27 * 60 * 60 * 1000);
      expect(await runDurableObjectAlarm(agentAt(name))).toBe(true);
      expect(await agentAt(name).isSession()).toBe(true);
      vi.useRealTimers();
      await reader.cancel();
    },
  );
});

describe('legacy: an agent that wakes', () => {
  const lines: unknown[] = [];
  beforeEach(() => {
    lines.length = 0;
    for (const level of ['error', 'warn'] as const)
      vi.spyOn(console, level).mockImplementation((...line) => void lines.push(line));
  });
  afterEach(() => void vi.restoreAllMocks());

  it.for(['live', 'drained'] as const)(
    'says nothing in the log, and knows its client: %s',
    async (standing, { expect }) => {
      const id = await open();
      if (standing === 'drained') await agentAt(`streamable-http:${id}`).drain();
      await evictDurableObject(agentAt(`streamable-http:${id}`));
      const client = await runInDurableObject(agentAt(`streamable-http:${id}`), async (agent) => {
        const { server } = agent as unknown as { server: { getClientVersion(): unknown } };
        await (agent as unknown as { __unsafe_ensureInitialized(): Promise<void> }).__unsafe_ensureInitialized();
        await new Promise((resolve) => setTimeout(resolve, 0));
        return server.getClientVersion();
      });
      expect(client).toEqual({ name: 'present', version: '1.0' });
      if (standing === 'live') expect(await (await call(id, 'count')).text()).toContain('"value":1');
      expect(lines).toEqual([]);
    },
  );
});

describe('legacy: the messages of the old transport', () => {
  const sessions = async (): Promise<number> => (await listDurableObjectIds(env.LEGACY_AGENT)).length;

  it.for(['initialize', 'ping', 'tools/list'])('open no session: %s', async (method, { expect }) => {
    const before = await sessions();
    for (const sessionId of [
      'zz-invented',
      'f'.repeat(64),
      '',
      env.LEGACY_AGENT.newUniqueId().toString().toUpperCase(),
    ]) {
      const path = `/legacy/sse/message?sessionId=${sessionId}`;
      const response = await send({ path, message: { ...INITIALIZE, method } });
      expect([sessionId, response.status, await response.json()]).toEqual([sessionId, 404, UNKNOWN]);
    }
    expect(await sessions()).toBe(before);
  });

  it('open no session under an id that can have been given out, and leave nothing behind', async ({ expect }) => {
    for (const sessionId of [await open(), env.LEGACY_AGENT.newUniqueId().toString()]) {
      const path = `/legacy/sse/message?sessionId=${sessionId}`;
      const response = await send({ path, message: INITIALIZE });
      expect([response.status, await response.json()]).toEqual([404, UNKNOWN]);
      expect(await runDurableObjectAlarm(agentAt(`sse:${sessionId}`))).toBe(true);
      expect(
        await runInDurableObject(agentAt(`sse:${sessionId}`), async (_agent, { storage }) => [
          await storage.get('props'),
          [...(await storage.list({ prefix: 'hybrid-mcp:' }))],
        ]),
      ).toEqual([undefined, []]);
    }
  });

  it('make nobody else the client of a session', async ({ expect }) => {
    const ann = await sseSession('ann');
    expect((await send({ path: ann.endpoint, message: INITIALIZE, subject: 'ann' })).status).toBe(202);
    expect((await ann.reader.read()).value).toContain('serverInfo');
    const foreign = { ...INITIALIZE, params: { ...INITIALIZE.params, clientInfo: { name: 'bob', version: '6' } } };
    for (const subject of ['bob', undefined]) {
      const from = subject === undefined ? {} : { subject };
      expect((await send({ path: ann.endpoint, message: foreign, ...from })).status).toBe(404);
      expect((await send({ path: `/legacy/sse?sessionId=${ann.id}`, ...from })).status).toBe(404);
    }
    await ann.reader.cancel();
    expect((await send({ path: ann.endpoint, message: foreign, subject: 'bob' })).status).toBe(404);
    const kept = await runInDurableObject(agentAt(`sse:${ann.id}`), async (_agent, { storage }) =>
      storage.get('props'),
    );
    expect(kept).toEqual({ subject: 'ann' });
  });

  it('cost two requests to the object', async ({ expect }) => {
    const { endpoint, reader } = await sseSession();
    const asked: string[] = [];
    const namespace = new Proxy(env.LEGACY_AGENT, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        if (key !== 'get') return (...args: unknown[]) => Reflect.apply(value, target, args) as unknown;
        return (id: DurableObjectId) =>
          new Proxy(target.get(id), {
            get: (stub, method) => {
              if (method !== 'then') asked.push(String(method));
              const own: unknown = Reflect.get(stub, method);
              return typeof own === 'function'
                ? (...args: unknown[]) => Reflect.apply(own, stub, args) as unknown
                : own;
            },
          });
      },
    });
    const request = new Request(`http://localhost${endpoint}`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE }),
    });
    await lane.fetch(request, { LEGACY_AGENT: namespace }, Object.assign(createExecutionContext(), { props: {} }));
    expect(asked).toEqual(['_enter', 'onSSEMcpMessage']);
    await reader.cancel();
  });
});

describe('legacy: who may come into a session', () => {
  const standings = async (transport: string, id: string): Promise<string[]> =>
    Promise.all(['ann', 'bob', undefined].map((subject) => lane.standing(env, { transport, id }, { subject })));

  it('its owner, live, drained and taken back, and nobody is not the owner', async ({ expect }) => {
    const id = await open('ann');
    expect(await standings('streamable', id)).toEqual(['live', 'foreign', 'foreign']);
    await agentAt(`streamable-http:${id}`).drain();
    await evictDurableObject(agentAt(`streamable-http:${id}`));
    expect(await standings('streamable', id)).toEqual(['drained', 'foreign', 'foreign']);
    expect(await Promise.all(['ann', 'bob'].map((who) => agentAt(`streamable-http:${id}`).admits(who)))).toEqual([
      true,
      false,
    ]);
    await agentAt(`streamable-http:${id}`).takeBack();
    expect(await standings('streamable', id)).toEqual(['live', 'foreign', 'foreign']);
  });

  it('its owner, on the old transport', async ({ expect }) => {
    const { id, reader } = await sseSession('ann');
    expect(await standings('sse', id)).toEqual(['live', 'foreign', 'foreign']);
    await reader.cancel();
  });

  it('everybody who knows the id, if it was opened without a sign-in', async ({ expect }) => {
    expect(await standings('streamable', await open())).toEqual(['live', 'live', 'live']);
  });

  it('nobody once it has ended, which only its owner can do', async ({ expect }) => {
    const id = await open('ann');
    expect((await send({ method: 'DELETE', id, subject: 'bob' })).status).toBe(404);
    expect((await send({ method: 'DELETE', id })).status).toBe(404);
    expect((await send({ method: 'DELETE', id, subject: 'ann' })).status).toBe(204);
    expect(await standings('streamable', id)).toEqual(['gone', 'gone', 'gone']);
  });
});
