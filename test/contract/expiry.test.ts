/** Sessions and state objects that nobody uses remove themselves, with a clock that the test moves. */
import { reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { handleOfSession } from '../../src/state/handle.ts';
import { openLane, type Lane } from '../support/wire.ts';

const HOUR_MS = 60 * 60 * 1000;
const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const open = (name: 'legacy' | 'compat'): Promise<Lane> => openLane(name, { origin: 'http://localhost', send });
const count = async (lane: Lane): Promise<unknown> =>
  (await lane.request('tools/call', { name: 'count', arguments: {} })).answer?.result?.['structuredContent'];

const later = (hours: number): void => void vi.setSystemTime(Date.now() + hours * HOUR_MS);
const agentOf = ({ sessionId }: Lane) => env.LEGACY_AGENT.getByName(`streamable-http:${sessionId}`);
const stateOf = async ({ sessionId = '' }: Lane) => env.STATE_OBJECT.getByName(await handleOfSession(sessionId));
const keysOf = (stub: DurableObjectStub): Promise<string[]> =>
  runInDurableObject(stub, async (_object, { storage }) => [...(await storage.list()).keys()]);

describe('expiry', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  it('a legacy session that nobody uses is gone after its idle time, with its storage', async ({ expect }) => {
    const lane = await open('legacy');
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
    const lane = await open('legacy');
    await count(lane);
    later(20);
    await count(lane);
    later(7);
    expect(await runDurableObjectAlarm(agentOf(lane))).toBe(true);
    expect(await count(lane)).toMatchObject({ value: 3 });
  });

  it('a session that was only opened expires too', async ({ expect }) => {
    const lane = await open('legacy');
    later(27);
    expect(await runDurableObjectAlarm(agentOf(lane))).toBe(true);
    expect((await lane.request('ping')).status).toBe(404);
  });

  it('a state object is empty after its idle time', async ({ expect }) => {
    const lane = await open('compat');
    await count(lane);
    const stub = await stateOf(lane);
    expect(await keysOf(stub)).toEqual(['issued', 'state:counter']);
    later(27);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await keysOf(stub)).toEqual([]);
  });

  it('a call puts the removal of a state object off', async ({ expect }) => {
    const lane = await open('compat');
    await count(lane);
    const stub = await stateOf(lane);
    const alarm = (): Promise<number | null> => runInDurableObject(stub, (_object, { storage }) => storage.getAlarm());
    const first = await alarm();
    later(1);
    await count(lane);
    expect(await alarm()).toBe(first);
    later(20);
    await count(lane);
    expect(Number(await alarm()) - Date.now()).toBe(26.4 * HOUR_MS);
  });

  it('a compat session stores nothing until a stateful tool is called', async ({ expect }) => {
    const lane = await open('compat');
    await lane.request('tools/list');
    expect(await keysOf(await stateOf(lane))).toEqual([]);
  });

  it('DELETE removes the state of a compat session at once', async ({ expect }) => {
    const lane = await open('compat');
    await count(lane);
    await lane.close();
    expect(await keysOf(await stateOf(lane))).toEqual([]);
  });

  it('DELETE ends a legacy session at once', async ({ expect }) => {
    const lane = await open('legacy');
    await lane.close();
    expect((await lane.request('ping')).status).toBe(404);
  });
});
