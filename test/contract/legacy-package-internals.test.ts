/**
 * What the legacy lane relies on in the packages beyond their documented interface, seen in the installed version, with the
 * package's own handlers and a class without the mixin. `npm run prove:agents` runs it against other versions.
 */
import { createExecutionContext, reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { McpAgent } from 'agents/mcp';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { EVENT_NUMBER_DIGITS, SESSION_STREAM, STORED } from '../../src/legacy/package-internals.ts';
import { ownBindings, serveOwn } from '../fixture/own-legacy-agents.ts';

const streamable = McpAgent.serve('/mcp', { binding: 'OWN_AGENT' });
const sse = McpAgent.serveSSE('/sse', { binding: 'OWN_AGENT' });
const agents = ownBindings.OWN_AGENT;
const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'internals', version: '1.0' } },
};

/** The agents' namespace, which notes what the package asks it and its objects. */
function noting(asked: string[]): DurableObjectNamespace {
  const watched = <T extends object>(inner: T, note: (key: string, args: unknown[]) => void): T =>
    new Proxy(inner, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (key !== 'then') note(String(key), args);
          const result: unknown = Reflect.apply(value, target, args);
          return key === 'get' ? watched(result as object, (method) => asked.push(method)) : result;
        };
      },
    });
  return watched(agents, (key, [name]) => {
    if (key === 'idFromName') asked.push(String(name).replace(/:.*/, ':'));
  });
}

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly id?: string;
  readonly message?: object;
}

async function send({ path = '/mcp', method, id, message }: Sent) {
  const asked: string[] = [];
  const request = new Request(`http://localhost${path}`, {
    method: method ?? (message === undefined ? 'GET' : 'POST'),
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(id !== undefined && { 'mcp-session-id': id }),
    },
    ...(message !== undefined && { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  });
  const ctx = Object.assign(createExecutionContext(), { props: { login: 'ann' } });
  const handler = path.startsWith('/sse') ? sse : streamable;
  return { asked, response: await handler.fetch(request, { OWN_AGENT: noting(asked) }, ctx) };
}

async function open(): Promise<string> {
  const { response } = await send({ message: INITIALIZE });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const stepping = { id: 7, method: 'tools/call', params: { name: 'steps', arguments: { steps: 50, pauseMs: 20 } } };

describe('legacy: what the package asks of an agent', () => {
  beforeEach(() => serveOwn('plain'));
  afterEach(async () => {
    serveOwn('wrapped');
    await reset();
  });

  it('for Streamable HTTP', async ({ expect }) => {
    const begun = await send({ message: INITIALIZE });
    await begun.response.text();
    const id = begun.response.headers.get('mcp-session-id') ?? '';
    const begins = ['__unsafe_ensureInitialized', 'getInitializeRequest'];
    expect(begun.asked).toEqual(['streamable-http:', ...begins, 'setInitializeRequest', 'fetch']);
    const called = await send({ id, message: { id: 2, method: 'ping' } });
    await called.response.text();
    expect(called.asked).toEqual(['streamable-http:', ...begins, 'fetch']);
    const ended = await send({ id, method: 'DELETE' });
    expect([ended.response.status, ended.asked]).toEqual([
      204,
      ['streamable-http:', ...begins, '_cf_terminateSession'],
    ]);
  });

  it('for HTTP+SSE', async ({ expect }) => {
    const listening = await send({ path: '/sse' });
    expect(listening.asked).toEqual(['sse:', '__unsafe_ensureInitialized', 'fetch']);
    const reader = listening.response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const endpoint = /data: (\S+)/.exec((await reader.read()).value ?? '')?.[1] ?? '';
    expect(endpoint).toMatch(/^\/sse\/message\?sessionId=[0-9a-f]{64}$/);
    const posted = await send({ path: endpoint, message: INITIALIZE });
    expect([posted.response.status, posted.asked]).toEqual([
      202,
      ['sse:', '__unsafe_ensureInitialized', 'onSSEMcpMessage'],
    ]);
    expect((await reader.read()).value).toContain('serverInfo');
  });
});

describe('legacy: what the package keeps in an agent', () => {
  beforeEach(() => serveOwn('plain'));
  afterEach(async () => {
    serveOwn('wrapped');
    await reset();
  });

  const inside = <T>(id: string, look: (agent: Record<string, unknown>, storage: DurableObjectStorage) => Promise<T>) =>
    runInDurableObject(agents.getByName(`streamable-http:${id}`), async (agent, { storage }) =>
      look(agent as unknown as Record<string, unknown>, storage),
    );

  it('the request that a session began with, and the properties of its caller', async ({ expect }) => {
    const kept = await inside(await open(), async (_agent, storage) => [
      await storage.get(STORED.initializeRequest),
      await storage.get(STORED.props),
    ]);
    expect(kept).toEqual([{ jsonrpc: '2.0', ...INITIALIZE }, { login: 'ann' }]);
  });

  it('members by these names', async ({ expect }) => {
    const found = await inside(await open(), async (agent) => {
      const lifecycle = agent['lifecycle'] as Record<string, unknown>;
      const transport = agent['_transport'] as Record<string, unknown>;
      return [
        ...['_cf_scheduleDestroy', '_cf_terminateSession', '__unsafe_ensureInitialized', 'reinitializeServer'].map(
          (name) => typeof agent[name],
        ),
        ...['getEventStore', 'setStreamRequestIds', 'getStreamRequestIds', 'deleteStreamRequestIds'].map(
          (name) => typeof agent[name],
        ),
        ...['rearmAlarm', 'isStarted'].map((name) => typeof lifecycle[name]),
        ...['send', 'onmessage'].map((name) => typeof transport[name]),
        agent['_destroyed'],
      ];
    });
    expect(found).toEqual([...Array.from({ length: 12 }, () => 'function'), false]);
  });

  it('the streams of a session, by connection', async ({ expect }) => {
    const id = await open();
    const streams = await Promise.all([send({ id }), send({ id, message: stepping })]);
    const states = await inside(id, async (agent, storage) => {
      const { getConnections } = agent as {
        getConnections: () => Iterable<{ id: string; state: Record<string, unknown> | null }>;
      };
      const connections = [...getConnections.call(agent)].map(({ id: name, state }) => ({
        own: state?.['streamId'] === name,
        ...state,
      }));
      const [eventKey = ''] = (await storage.list({ prefix: STORED.eventPrefix })).keys();
      return { connections, eventKey };
    });
    const stream = states.connections.find(({ own }) => own);
    expect(states.connections).toContainEqual(expect.objectContaining({ own: false, streamId: SESSION_STREAM }));
    expect(stream).toMatchObject({ requestIds: [7] });
    const number = `:${'0'.repeat(EVENT_NUMBER_DIGITS - 1)}1`;
    await expect
      .poll(() =>
        inside(id, async (_agent, storage) =>
          [...(await storage.list({ prefix: STORED.eventPrefix })).keys()].some((key) => key.endsWith(number)),
        ),
      )
      .toBe(true);
    await Promise.all(streams.map(async ({ response }) => response.body?.cancel()));
  });

  it('the mark of an agent that is to be destroyed, which its alarm obeys without a start', async ({ expect }) => {
    const marked = await inside(await open(), async (agent, storage) => {
      await (agent as unknown as McpAgent)._cf_scheduleDestroy();
      return typeof (await storage.get(STORED.destroyPending));
    });
    expect(marked).toBe('number');
    const stranger = agents.getByName('streamable-http:nobody');
    await runInDurableObject(stranger, async (agent, { storage }) => {
      expect((agent as unknown as { lifecycle: { isStarted(): boolean } }).lifecycle.isStarted()).toBe(false);
      await storage.put(STORED.destroyPending, Date.now());
      await storage.setAlarm(Date.now() + 60_000);
    });
    expect(await runDurableObjectAlarm(stranger)).toBe(true);
  });

  it('one alarm, which it sets from its own jobs through one method', async ({ expect }) => {
    const alarms = await inside(await open(), async (agent, storage) => {
      const lifecycle = agent['lifecycle'] as { rearmAlarm: () => Promise<void> };
      const rearm = lifecycle.rearmAlarm.bind(lifecycle);
      let rearmed = 0;
      lifecycle.rearmAlarm = async () => {
        rearmed += 1;
        await rearm();
      };
      const own = agent as unknown as McpAgent;
      const { id } = await own.schedule(3600, 'ring' as never);
      const set = await storage.getAlarm();
      await own.cancelSchedule(id);
      return [rearmed >= 2, typeof set, await storage.getAlarm()];
    });
    expect(alarms).toEqual([true, 'number', null]);
  });

  it('starts an agent before methods that are asynchronous, and no others', async ({ expect }) => {
    serveOwn('wrapped');
    const agent = agents.getByName(`streamable-http:${agents.newUniqueId().toString()}`);
    await (agent as unknown as { isSession(): Promise<boolean> }).isSession();
    const started = await runInDurableObject(agent, (object) =>
      (object as unknown as { lifecycle: { isStarted(): boolean } }).lifecycle.isStarted(),
    );
    expect(started).toBe(false);
  });
});
