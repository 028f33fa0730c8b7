/** A legacy session's state on the move: one owner at every moment, the same handle and the same session id throughout. */
import { runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { agentOf } from '../support/agents.ts';
import { openLane, type Lane, type LaneName, type Reply } from '../support/wire.ts';

const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const open = (name: LaneName): Promise<Lane> => openLane(name, { origin: 'http://localhost', send });

const call = (lane: Lane, by: number, handle?: string): Promise<Reply> =>
  lane.request('tools/call', { name: 'count', arguments: { by, ...(handle !== undefined && { handle }) } });
const countedIn = ({ answer }: Reply): { value: number; handle: string } =>
  answer?.result?.['structuredContent'] as { value: number; handle: string };
const count = async (lane: Lane, by = 1, handle?: string) => countedIn(await call(lane, by, handle));
const laneOf = ({ headers }: Reply): string | null => headers.get('server-timing');

/** @param name Of the session's agent, with its transport. */
const ownedByAgent = (name: string): Promise<boolean> =>
  runInDurableObject(
    env.LEGACY_AGENT.getByName(name),
    (_agent, { storage }) =>
      storage.kv.get<{ holding: { owner: boolean } }>('hybrid-mcp:catalogue')?.holding.owner ?? true,
  );

describe('hand-off of a legacy session', () => {
  it('its handle works on every lane before, during and after', async ({ expect }) => {
    const [legacy, compat, modern] = await Promise.all([open('legacy'), open('compat'), open('modern')]);
    const { handle } = await count(legacy, 1);
    expect((await count(modern, 10, handle)).value).toBe(11);
    expect((await count(compat, 100, handle)).value).toBe(111);
    await agentOf(legacy.sessionId).drain();
    expect((await count(modern, 1000, handle)).value).toBe(1111);
    expect(await count(legacy, 1)).toEqual({ value: 1112, handle });
    await agentOf(legacy.sessionId).takeBack();
    expect(await count(legacy, 1)).toEqual({ value: 1113, handle });
    expect((await count(modern, 1, handle)).value).toBe(1114);
  });

  it('a drained session is answered by the compat lane under the same id, with its state', async ({ expect }) => {
    const lane = await open('legacy');
    await count(lane, 5);
    expect(laneOf(await call(lane, 0))).toBe('lane;desc="legacy", reason;desc="pinned"');
    expect(await agentOf(lane.sessionId).drain()).toBe(true);
    const reply = await call(lane, 2);
    expect([laneOf(reply), countedIn(reply).value]).toEqual(['lane;desc="compat", reason;desc="drained"', 7]);
    expect(laneOf(await lane.request('tools/list'))).toBe('lane;desc="compat", reason;desc="drained"');
  });

  it('a drained session that had no state yet starts with none', async ({ expect }) => {
    const lane = await open('legacy');
    await agentOf(lane.sessionId).drain();
    expect((await count(lane, 2)).value).toBe(2);
    expect((await count(lane, 2)).value).toBe(4);
  });

  it('a drained session gives its state to its own handle only', async ({ expect }) => {
    const lane = await open('legacy');
    const { handle } = await count(lane, 5);
    await agentOf(lane.sessionId).drain();
    const stranger = `h_${'B'.repeat(27)}`;
    expect((await call(lane, 1, stranger)).answer?.result?.['isError']).toBe(true);
    expect(await count(lane, 1)).toEqual({ value: 6, handle });
    expect((await call(await open('modern'), 1, stranger)).answer?.result?.['isError']).toBe(true);
    expect((await count(await open('modern'), 1, handle)).value).toBe(7);
  });

  it('a session of the old transport gives its state to whoever goes on by its handle, and gets it back', async ({
    expect,
  }) => {
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    const { body } = await send(new Request('http://localhost/legacy/sse', { headers }));
    if (body === null) throw new Error('There is no stream');
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const next = async (): Promise<string> => (await reader.read()).value ?? '';
    const endpoint = /data: (\S+)/.exec(await next())?.[1] ?? '';
    const post = async (method: string, params: object): Promise<string> => {
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      await send(new Request(`http://localhost${endpoint}`, { method: 'POST', headers, body: message }));
      return next();
    };
    await post('initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    });
    const first = await post('tools/call', { name: 'count', arguments: { by: 1 } });
    const handle = /h_[\w-]{27}/.exec(first)?.[0] ?? '';
    expect((await count(await open('modern'), 1, handle)).value).toBe(2);
    const session = new URL(endpoint, 'http://localhost').searchParams.get('sessionId');
    const name = `sse:${session}`;
    expect(await ownedByAgent(name)).toBe(false);
    expect(await post('tools/call', { name: 'count', arguments: { by: 1 } })).toContain('"value":3');
    expect(await ownedByAgent(name)).toBe(true);
    await reader.cancel();
  });

  it('a session that its own client has left gives its state to whoever goes on by its handle', async ({ expect }) => {
    const lane = await open('legacy');
    const { handle } = await count(lane, 1);
    const name = `streamable-http:${lane.sessionId}`;
    const modern = await open('modern');
    expect((await count(modern, 1, handle)).value).toBe(2);
    expect(await ownedByAgent(name)).toBe(true);
    const usedAt = await runInDurableObject(env.LEGACY_AGENT.getByName(name), (_agent, { storage }) => {
      const then = Date.now() - (24 * 60 * 60 * 1000) / 2;
      storage.kv.put('hybrid-mcp:used-at', then);
      return then;
    });
    expect((await count(modern, 1, handle)).value).toBe(3);
    expect(await ownedByAgent(name)).toBe(false);
    // Calls by the handle do not keep the session open.
    expect(
      await runInDurableObject(env.LEGACY_AGENT.getByName(name), (_agent, { storage }) =>
        storage.kv.get('hybrid-mcp:used-at'),
      ),
    ).toBe(usedAt);
    expect((await count(lane, 1)).value).toBe(4);
    expect(await ownedByAgent(name)).toBe(true);
  });

  it('a session that was taken back is served by the legacy lane again', async ({ expect }) => {
    const lane = await open('legacy');
    await agentOf(lane.sessionId).drain();
    await count(lane, 3);
    await agentOf(lane.sessionId).takeBack();
    const reply = await call(lane, 4);
    expect([laneOf(reply), countedIn(reply).value]).toEqual(['lane;desc="legacy", reason;desc="pinned"', 7]);
  });

  it('DELETE of a drained session ends it at once, and leaves its state to its handle', async ({ expect }) => {
    const lane = await open('legacy');
    const { handle } = await count(lane, 3);
    await agentOf(lane.sessionId).drain();
    await count(lane, 1);
    await lane.close();
    expect((await call(lane, 1)).status).toBe(404);
    expect(countedIn(await call(await open('modern'), 1, handle)).value).toBe(5);
  });

  it('an unknown session cannot be drained', async ({ expect }) => {
    const agent = agentOf('nobody');
    expect([await agent.drain(), await agent.takeBack(), await agent.standing()]).toEqual([false, false, 'gone']);
  });

  it(
    '1,000 increments from 50 clients over both routes during hand-offs are exactly 1,000',
    { timeout: 60_000 },
    async ({ expect }) => {
      const owner = await open('legacy');
      const { handle } = await count(owner, 0);
      const clients = await Promise.all(
        Array.from({ length: 49 }, (_, index) =>
          open((['legacy', 'compat', 'modern'] as const)[index % 3] ?? 'modern'),
        ),
      );
      const agent = agentOf(owner.sessionId);
      let done = 0;
      const work = async (lane: Lane): Promise<void> => {
        for (let calls = 0; calls < 20; calls += 1) {
          const reply = await call(lane, 1, handle);
          expect({ status: reply.status, answer: reply.answer }).toMatchObject({
            status: 200,
            answer: { result: { structuredContent: { handle } } },
          });
          done += 1;
          if (done % 100 === 50) await agent.drain();
          if (done % 100 === 0) await agent.takeBack();
        }
      };
      await Promise.all([owner, ...clients].map(work));
      expect((await count(owner, 0)).value).toBe(1_000);
    },
  );
});
