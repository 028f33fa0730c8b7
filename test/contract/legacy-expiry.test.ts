/** Legacy sessions that nobody uses remove themselves, with a clock that the test moves. */
import { reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { openLane, type Lane } from '../support/wire.ts';

const HOUR_MS = 60 * 60 * 1000;
const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const open = (): Promise<Lane> => openLane('legacy', { origin: 'http://localhost', send });
const count = async (lane: Lane): Promise<unknown> =>
  (await lane.request('tools/call', { name: 'count', arguments: {} })).answer?.result?.['structuredContent'];

const later = (hours: number): void => void vi.setSystemTime(Date.now() + hours * HOUR_MS);
const agentOf = ({ sessionId }: Lane) => env.LEGACY_AGENT.getByName(`streamable-http:${sessionId}`);

describe('expiry of legacy sessions', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  it('a legacy session that nobody uses is gone after its idle time, with its storage', async ({ expect }) => {
    const lane = await open();
    await count(lane);
    later(27);
    expect(await runDurableObjectAlarm(agentOf(lane))).toBe(true);
    expect((await lane.request('ping')).status).toBe(404);
    // The package tears a session down in an alarm of its own, a second later.
    later(1);
    expect(await runDurableObjectAlarm(agentOf(lane))).toBe(true);
    expect(
      await runInDurableObject(agentOf(lane), async (_object, { storage }) => storage.get('initializeRequest')),
    ).toBeUndefined();
  });

  it('a legacy session in use stays', async ({ expect }) => {
    const lane = await open();
    await count(lane);
    later(20);
    await count(lane);
    later(7);
    expect(await runDurableObjectAlarm(agentOf(lane))).toBe(true);
    expect(await count(lane)).toMatchObject({ value: 3 });
  });

  it('a session that was only opened expires too', async ({ expect }) => {
    const lane = await open();
    later(27);
    expect(await runDurableObjectAlarm(agentOf(lane))).toBe(true);
    expect((await lane.request('ping')).status).toBe(404);
  });

  it('a drained session that its client goes on with stays, with its count', async ({ expect }) => {
    const lane = await open();
    await count(lane);
    await agentOf(lane).drain();
    expect(await count(lane)).toMatchObject({ value: 2 });
    later(20);
    expect(await count(lane)).toMatchObject({ value: 3 });
    later(7);
    expect(await runDurableObjectAlarm(agentOf(lane))).toBe(true);
    expect(await count(lane)).toMatchObject({ value: 4 });
  });

  it('a legacy session that expires leaves the state that was handed off to whoever has the handle', async ({
    expect,
  }) => {
    const lane = await open();
    const { handle } = (await count(lane)) as { handle: string };
    await agentOf(lane).drain();
    const other = await openLane('modern', { origin: 'http://localhost', send });
    const onward = async (): Promise<unknown> => {
      const { answer } = await other.request('tools/call', { name: 'count', arguments: { handle } });
      return answer?.result?.['structuredContent'];
    };
    expect(await onward()).toMatchObject({ value: 2 });
    later(27);
    expect(await runDurableObjectAlarm(agentOf(lane))).toBe(true);
    expect((await lane.request('ping')).status).toBe(404);
    expect(await onward()).toMatchObject({ value: 3 });
  });

  it('DELETE ends a legacy session at once', async ({ expect }) => {
    const lane = await open();
    await lane.close();
    expect((await lane.request('ping')).status).toBe(404);
  });
});
