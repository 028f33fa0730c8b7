/** What earlier versions have stored for a legacy session is read, moved, and gone on with. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { agentOf } from '../support/agents.ts';
import { openFixture } from './fixture-lanes.ts';

interface Stored {
  setState(state: unknown): void;
  readonly state: unknown;
  schedule(at: Date, callback: string): Promise<unknown>;
}

const inside = <T>(id: string, look: (agent: Stored, storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
  runInDurableObject(env.LEGACY_AGENT.getByName(`streamable-http:${id}`), async (agent, { storage }) =>
    look(agent as unknown as Stored, storage),
  );

/** Puts a session's records where earlier versions kept them. */
async function storeAsEarlier(id: string, more: object = {}): Promise<void> {
  await inside(id, async (agent, storage) => {
    const record = storage.kv.get<object>('hybrid-mcp:catalogue');
    agent.setState({ ...record, ...more });
    for (const key of ['catalogue', 'session', 'used-at']) storage.kv.delete(`hybrid-mcp:${key}`);
    storage.kv.put('session-used-at', Date.now());
    await storage.deleteAlarm();
    await agent.schedule(new Date(Date.now() + 60_000), 'expireIfIdle');
  });
  await evictDurableObject(env.LEGACY_AGENT.getByName(`streamable-http:${id}`));
}

const count = async (lane: Awaited<ReturnType<typeof openFixture>>) => {
  const { answer, headers } = await lane.request('tools/call', { name: 'count', arguments: { by: 1 } });
  const counted = answer?.result?.['structuredContent'] as { value: number; handle: string } | undefined;
  return { value: counted?.value, handle: counted?.handle, on: headers.get('server-timing')?.split('"')[1] };
};

describe('legacy sessions of earlier versions', () => {
  it('go on with their count and their handle', async ({ expect }) => {
    const lane = await openFixture('legacy');
    const id = lane.sessionId ?? '';
    const { handle } = await count(lane);
    await storeAsEarlier(id);
    expect(await count(lane)).toEqual({ value: 2, handle, on: 'legacy' });
    const kept = await inside(id, (agent, storage) => [
      agent.state,
      storage.kv.get<{ bound: boolean }>('hybrid-mcp:catalogue')?.bound,
    ]);
    expect(kept).toEqual([null, true]);
    await evictDurableObject(env.LEGACY_AGENT.getByName(`streamable-http:${id}`));
    expect((await count(lane)).value).toBe(3);
  });

  it('stay drained, and come back', async ({ expect }) => {
    const lane = await openFixture('legacy');
    const id = lane.sessionId ?? '';
    const { handle } = await count(lane);
    await storeAsEarlier(id, { drained: true });
    expect(await count(lane)).toEqual({ value: 2, handle, on: 'compat' });
    await agentOf(id).takeBack();
    expect(await count(lane)).toEqual({ value: 3, handle, on: 'legacy' });
  });

  it('outlive their old alarm, and get one that is not among their schedules', async ({ expect }) => {
    const lane = await openFixture('legacy');
    const id = lane.sessionId ?? '';
    await count(lane);
    await storeAsEarlier(id);
    await inside(id, (_agent, storage) => void storage.sql.exec('update cf_agents_jobs set time = 0'));
    await evictDurableObject(env.LEGACY_AGENT.getByName(`streamable-http:${id}`));
    expect(await runDurableObjectAlarm(env.LEGACY_AGENT.getByName(`streamable-http:${id}`))).toBe(true);
    const left = await inside(id, async (_agent, storage) => [
      [...storage.sql.exec('select * from cf_agents_jobs')].length,
      typeof (await storage.getAlarm()),
    ]);
    expect(left).toEqual([0, 'number']);
    expect((await count(lane)).value).toBe(2);
  });
});
