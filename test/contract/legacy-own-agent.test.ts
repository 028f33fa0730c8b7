/** A class of somebody else's under `sessionAgent`: its sessions go on, its answers stay as they are. */
import {
  createExecutionContext,
  evictDurableObject,
  listDurableObjectIds,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { McpAgent } from 'agents/mcp';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { createLegacyLane, type LegacyLane } from '../../src/legacy/lane.ts';
import { sessionAgent } from '../../src/legacy/session/session-agent.ts';
import { ownBindings as bindings, serveOwn } from '../fixture/own-legacy-agents.ts';
import { readReply, type Reply } from '../support/wire.ts';

const wrapped = createLegacyLane({ binding: 'OWN_AGENT', streamablePath: '/mcp', ssePath: '/sse' });
const plain = McpAgent.serve('/mcp', { binding: 'OWN_AGENT' });

/** Only the objects of this class: what other files hold open is none of its business. */
async function evictAgents(): Promise<void> {
  for (const id of await listDurableObjectIds(bindings.OWN_AGENT)) {
    await evictDurableObject(bindings.OWN_AGENT.get(id)).catch((cause: unknown) => {
      if (!String(cause).includes('not currently running')) throw cause;
    });
  }
}

/** Serves the class with the mixin or without, as after a deployment. */
async function deploy(which: 'plain' | 'wrapped'): Promise<Pick<LegacyLane, 'fetch'>> {
  serveOwn(which);
  await evictAgents();
  return which === 'wrapped' ? wrapped : plain;
}

interface Session {
  readonly id: string;
  readonly props: object;
}

type Server = Pick<LegacyLane, 'fetch'>;

async function post(server: Server, message: object, { id, props }: Partial<Session> = {}): Promise<Response> {
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(id !== undefined && { 'mcp-session-id': id }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  return server.fetch(request, env, Object.assign(createExecutionContext(), { props: props ?? {} }));
}

const PARAMS = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'own', version: '1.0' } };

async function open(server: Server, props: object = {}): Promise<Session> {
  const response = await post(server, { id: 0, method: 'initialize', params: PARAMS }, { props });
  await response.text();
  const session = { id: response.headers.get('mcp-session-id') ?? '', props };
  await post(server, { method: 'notifications/initialized' }, session);
  return session;
}

let lastId = 0;
async function ask(server: Server, session: Session, method: string, params: object = {}): Promise<Reply> {
  const id = (lastId += 1);
  return readReply(await post(server, { id, method, params }, session), id);
}
const call = (server: Server, session: Session, name: string, args: object = {}): Promise<Reply> =>
  ask(server, session, 'tools/call', { name, arguments: args });
const textOf = ({ answer }: Reply): string => {
  const [block] = (answer?.result?.['content'] ?? []) as { text: string }[];
  return block?.text ?? JSON.stringify(answer);
};

afterEach(() => serveOwn('wrapped'));

describe('legacy: a class of its own, with and without the mixin', () => {
  it('goes on with its state, its tables and its properties, from one to the other and back', async ({ expect }) => {
    let server = await deploy('plain');
    const ann = await open(server, { login: 'ann' });
    expect(textOf(await call(server, ann, 'increment'))).toBe('6 after 6 by ann');
    server = await deploy('wrapped');
    expect(textOf(await call(server, ann, 'increment'))).toBe('7 after 6 7 by ann');
    server = await deploy('plain');
    expect(textOf(await call(server, ann, 'increment'))).toBe('8 after 6 7 8 by ann');
    server = await deploy('wrapped');
    expect(textOf(await call(server, ann, 'increment', { by: 2 }))).toBe('10 after 6 7 8 10 by ann');
  });

  it('gives the same answers, word for word', async ({ expect }) => {
    const seen: Record<string, unknown[]> = {};
    for (const which of ['plain', 'wrapped'] as const) {
      const server = await deploy(which);
      const answers: unknown[] = (seen[which] = []);
      for (const props of [{}, { login: 'ann' }, { login: 'bo', early: true }]) {
        const session = await open(server, props);
        for (const [method, params] of [
          ['tools/list', {}],
          ['prompts/list', {}],
          ['resources/templates/list', {}],
          ['tools/call', { name: 'increment', arguments: { by: 2 } }],
          ['tools/call', { name: 'increment', arguments: { by: 'two' } }],
          ['tools/call', { name: 'look', arguments: {} }],
          ['tools/call', { name: 'look', arguments: {} }],
          ['tools/call', { name: 'later', arguments: { seconds: 3600 } }],
          ['tools/call', { name: 'fail', arguments: {} }],
          ['tools/call', { name: 'nothing', arguments: {} }],
          ['tools/call', { name: 'steps', arguments: { steps: 2, pauseMs: 1 }, _meta: { progressToken: 'p' } }],
          ['prompts/get', { name: 'greet', arguments: { name: 'Bo' } }],
          ['resources/read', { uri: 'note://1' }],
          ['logging/setLevel', { level: 'error' }],
          ['unknown/method', {}],
          ['ping', {}],
        ] as const) {
          const { status, answer, others } = await ask(server, session, method, params);
          answers.push([method, status, { ...answer, id: 0 }, others]);
        }
        const reply = await post(server, { id: 1, method: 'ping' }, { id: 'f'.repeat(64), props });
        answers.push([reply.status, await reply.text()]);
      }
    }
    expect(seen['plain']?.length).toBe(51);
    expect(seen['wrapped']).toEqual(seen['plain']);
    expect(JSON.stringify(seen['plain'])).toContain('7 after 7 by ann');
  });

  it('keeps nothing of ours where the class looks', async ({ expect }) => {
    const server = await deploy('wrapped');
    const session = await open(server, { login: 'ann' });
    await call(server, session, 'increment');
    const agent = bindings.OWN_AGENT.getByName(`streamable-http:${session.id}`);
    const drained = agent as unknown as { drain(): Promise<boolean>; takeBack(): Promise<boolean> };
    expect([await drained.drain(), await drained.takeBack()]).toEqual([true, true]);
    const kept = await runInDurableObject(agent, async (object, { storage }) => {
      const own = object as unknown as McpAgent<Env>;
      const { sql } = storage;
      return {
        state: own.state,
        props: own.props,
        schedules: own.getSchedules().length,
        jobs: [...sql.exec('select * from cf_agents_jobs')].length,
        ours: [...(await storage.list({ prefix: 'hybrid-mcp:' }))],
      };
    });
    expect(kept).toEqual({
      state: { counter: 6 },
      props: { login: 'ann' },
      schedules: 0,
      jobs: 0,
      ours: [['hybrid-mcp:session', { drained: false }]],
    });
  });

  it('is drained, unknown to the package meanwhile, and taken back with its state', async ({ expect }) => {
    const server = await deploy('wrapped');
    const session = await open(server);
    await call(server, session, 'increment');
    const agent = bindings.OWN_AGENT.getByName(`streamable-http:${session.id}`) as unknown as {
      drain(): Promise<boolean>;
      takeBack(): Promise<boolean>;
    };
    await agent.drain();
    expect([
      await wrapped.standing(env, { transport: 'streamable', id: session.id }, { subject: 'ann' }),
      (await ask(server, session, 'ping')).status,
    ]).toEqual(['drained', 404]);
    await agent.takeBack();
    expect(textOf(await call(server, session, 'increment'))).toBe('7 after 6 7 by nobody');
  });

  it('answers its own pages', async ({ expect }) => {
    const session = await open(await deploy('wrapped'));
    const agent = bindings.OWN_AGENT.getByName(`streamable-http:${session.id}`);
    expect(await (await agent.fetch('http://localhost/own')).text()).toBe('the class’s own page');
  });

  it('whose init throws can still be asked, and ended', async ({ expect }) => {
    const server = await deploy('wrapped');
    const session = await open(server, { login: 'ann' });
    await runInDurableObject(bindings.OWN_AGENT.getByName(`streamable-http:${session.id}`), (_agent, { storage }) =>
      storage.put('props', { login: 'ann', broken: true }),
    );
    await evictAgents();
    expect(await wrapped.standing(env, { transport: 'streamable', id: session.id }, { subject: 'ann' })).toBe('live');
    expect(await wrapped.standing(env, { transport: 'streamable', id: session.id }, { subject: 'bob' })).toBe(
      'foreign',
    );
    await wrapped.endSession(env, session.id);
    expect(await wrapped.standing(env, { transport: 'streamable', id: session.id }, { subject: 'ann' })).toBe('gone');
  });
});

describe('legacy: a class of its own that expires', () => {
  const lane = createLegacyLane({ binding: 'OWN_EXPIRING_AGENT', streamablePath: '/mcp' });
  const agentOf = ({ id }: Session) => bindings.OWN_EXPIRING_AGENT.getByName(`streamable-http:${id}`);
  const later = (minutes: number): void => void vi.setSystemTime(Date.now() + minutes * 60_000);
  const rung = (session: Session): Promise<unknown[]> =>
    runInDurableObject(agentOf(session), (_agent, { storage }) => [...storage.sql.exec('select text from log')]);
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('runs its own schedules, and ends after its idle time', async ({ expect }) => {
    const session = await open(lane);
    expect(textOf(await call(lane, session, 'later', { seconds: 600 }))).toBe('1');
    later(11);
    expect(await runDurableObjectAlarm(agentOf(session))).toBe(true);
    expect(await rung(session)).toEqual([{ text: 'bell' }]);
    expect((await ask(lane, session, 'ping')).status).toBe(200);
    later(80);
    expect(await runDurableObjectAlarm(agentOf(session))).toBe(true);
    expect((await ask(lane, session, 'ping')).status).toBe(404);
  });

  it('keeps the end of a session when its last schedule is cancelled', async ({ expect }) => {
    const session = await open(lane);
    await call(lane, session, 'later', { seconds: 600 });
    const alarm = await runInDurableObject(agentOf(session), async (agent, { storage }) => {
      const own = agent as unknown as McpAgent<Env>;
      for (const { id } of own.getSchedules()) await own.cancelSchedule(id);
      return ((await storage.getAlarm()) ?? 0) - Date.now();
    });
    expect(Math.round(alarm / 60_000)).toBe(66);
  });
});

describe('legacy: what a class chooses', () => {
  it('no event store: its streams are its own, and its answers arrive', async ({ expect }) => {
    const lane = createLegacyLane({ binding: 'OWN_STORELESS_AGENT', streamablePath: '/mcp' });
    const session = await open(lane);
    const { others, answer } = await ask(lane, session, 'tools/call', {
      name: 'steps',
      arguments: { steps: 2, pauseMs: 1 },
      _meta: { progressToken: 'p' },
    });
    expect([others.length, answer?.result]).toEqual([2, { content: [{ type: 'text', text: 'done' }] }]);
    const events = await runInDurableObject(
      bindings.OWN_STORELESS_AGENT.getByName(`streamable-http:${session.id}`),
      async (_agent, { storage }) => (await storage.list({ prefix: '__mcp_event__:' })).size,
    );
    expect(events).toBe(0);
  });

  it('no workaround: the package’s own fault is back', async ({ expect }) => {
    serveOwn('bare');
    await evictAgents();
    const session = await open(wrapped);
    const { id } = session;
    expect(textOf(await call(wrapped, session, 'increment'))).toBe('6 after 6 by nobody');
    const kept = async (): Promise<number> =>
      runInDurableObject(
        bindings.OWN_AGENT.getByName(`streamable-http:${id}`),
        async (_agent, { storage }) => (await storage.list({ prefix: '__mcp_event__:' })).size,
      );
    expect(await kept()).toBe(0);
    serveOwn('wrapped');
    await evictAgents();
    await call(wrapped, session, 'increment');
    expect(await kept()).toBe(1);
  });
});

describe('legacy: a class that sessionAgent() refuses', () => {
  it('has a member by one of the names that it adds', ({ expect }) => {
    class Draining extends McpAgent {
      server = undefined as never;
      async init(): Promise<void> {}
      drain(): void {}
    }
    expect(() => sessionAgent(Draining)).toThrow(
      new TypeError(
        'The class "Draining" has members named "drain", which sessionAgent() adds. Rename them in the class.',
      ),
    );
  });
});
