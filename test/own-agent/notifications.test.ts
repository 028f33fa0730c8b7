/** What a class says beside its answers: to the client of a call, to those who listen, and to nobody. */
import { describe, it } from 'vitest';
import { env } from 'cloudflare:workers';
import type { SessionAgentApi } from '../../src/state/transfer.ts';
import { openLane, type Lane, type LaneName } from '../support/wire.ts';
import { HOSTED, openOwn, ORIGIN, sender, textOf, type Vars } from './clients.ts';

const fresh = (): { user: string } => ({ user: crypto.randomUUID() });

/** The messages of a stream, one after the other. */
function eventsOf(response: Response) {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next(): Promise<{
      readonly method?: string;
      readonly params?: Record<string, unknown>;
      readonly result?: unknown;
    }> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end !== -1) {
          const event = text.slice(0, end);
          text = text.slice(end + 2);
          const data = event.split('\n').find((line) => line.startsWith('data: '));
          if (data !== undefined) return JSON.parse(data.slice('data: '.length)) as object;
          continue;
        }
        const { done, value } = await reader.read();
        if (done) return { method: 'the end' };
        text += value;
      }
    },
    leave: () => reader.cancel(),
  };
}

const openSubscribed = (lane: LaneName, vars: Vars, who = fresh()): Promise<Lane> =>
  openLane(lane, { origin: ORIGIN, send: sender(vars, who, '/subscribed') });

describe('a change that a handler tells of', () => {
  it('reaches the client of its call on the compat lane, which has no other stream', async ({ expect }) => {
    const lane = await openOwn('legacy', HOSTED, fresh());
    const { answer, others } = await lane.request('tools/call', { name: 'announce', arguments: {} });
    expect(answer?.result?.['content']).toEqual([{ type: 'text', text: 'announced' }]);
    expect(others.map(({ method }) => method)).toEqual(['notifications/message', 'notifications/tools/list_changed']);
  });

  it('reaches a 2026 client that listens, during a call and after it', async ({ expect }) => {
    const lane = await openOwn('modern', HOSTED, fresh());
    const stream = await lane.open('subscriptions/listen', {
      notifications: { toolsListChanged: true, promptsListChanged: true },
    });
    const events = eventsOf(stream);
    expect((await events.next()).params?.['notifications']).toEqual({
      toolsListChanged: true,
      promptsListChanged: true,
    });
    const { others } = await lane.request('tools/call', { name: 'announce', arguments: {} });
    expect(others).toEqual([]);
    expect([(await events.next()).method, (await events.next()).method]).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
    ]);
    await events.leave();
    expect(await textOf(lane, 'announce')).toBe('announced');
  });

  it('is for nobody among those who share an object, and they are told so', async ({ expect }) => {
    const lane = await openOwn('modern', { ...HOSTED, AGENT_KEEPS_NO_STATE: 'on' });
    const { answer } = await lane.request('server/discover');
    expect(answer?.result?.['capabilities']).toEqual({
      logging: {},
      tools: {},
      prompts: {},
      resources: {},
      completions: {},
    });
    const events = eventsOf(await lane.open('subscriptions/listen', { notifications: { toolsListChanged: true } }));
    expect((await events.next()).params?.['notifications']).toEqual({});
    expect((await events.next()).result).toBeDefined();
    expect((await events.next()).method).toBe('the end');
  });
});

describe('a class that tells of changes outside of calls', () => {
  it.for([
    ['says so', { AGENT_NEEDS_SESSION: 'on' }, '/mcp', 'MCP_OBJECT'],
    ['has resources to subscribe to', {}, '/subscribed', 'SUBSCRIBED_OBJECT'],
  ] as const)('keeps its 2025 clients on the legacy lane, if it %s', async ([, vars, path, binding], { expect }) => {
    const objects = (env as unknown as Record<string, DurableObjectNamespace>)[binding];
    for (let times = 0; times < 2; times += 1) {
      const lane = await openLane('legacy', { origin: ORIGIN, send: sender({ ...HOSTED, ...vars }, fresh(), path) });
      const agent = objects?.getByName(`streamable-http:${lane.sessionId}`) as unknown as SessionAgentApi;
      expect(await agent.standing()).toBe('live');
    }
  });

  it('tells a 2026 client of the resources that it asks for, and of them only while it listens', async ({ expect }) => {
    const lane = await openSubscribed('modern', HOSTED);
    const uris = ['own://one', 'own://two'];
    const events = eventsOf(
      await lane.open('subscriptions/listen', { notifications: { resourceSubscriptions: uris } }),
    );
    expect((await events.next()).params?.['notifications']).toEqual({ resourceSubscriptions: uris });
    expect(await textOf(lane, 'change')).toBe('own://one own://two');
    const seen = [await events.next(), await events.next()].map(({ method, params }) => [method, params?.['uri']]);
    expect(seen).toEqual(uris.map((uri) => ['notifications/resources/updated', uri]));
    await events.leave();
    await expect.poll(async () => textOf(lane, 'change')).toBe('');
  });
});

describe('the level of log messages', () => {
  it('is set by a 2025 client on the compat lane, and the class keeps it from call to call', async ({ expect }) => {
    const lane = await openOwn('legacy', HOSTED, fresh());
    const said = async () =>
      (await lane.request('tools/call', { name: 'announce', arguments: {} })).others.map(({ method }) => method);
    expect(await said()).toEqual(['notifications/message', 'notifications/tools/list_changed']);
    expect((await lane.request('logging/setLevel', { level: 'error' })).answer?.result).toEqual({});
    expect(await said()).toEqual(['notifications/tools/list_changed']);
    const refused = (await lane.request('logging/setLevel', { level: 'loud' })).answer?.error;
    expect(refused?.code).toBe(-32_603);
  });

  it('is said with each request by a 2026 client, whose protocol has no method for it', async ({ expect }) => {
    const lane = await openOwn('modern', HOSTED, fresh());
    expect((await lane.request('logging/setLevel', { level: 'error' })).answer?.error?.code).toBe(-32_601);
    const said = async (logLevel: string) =>
      (
        await lane.request(
          'tools/call',
          { name: 'announce', arguments: {} },
          { 'io.modelcontextprotocol/logLevel': logLevel },
        )
      ).others.map(({ method }) => method);
    expect([await said('info'), await said('error')]).toEqual([['notifications/message'], []]);
  });
});
