/** State objects that nobody uses remove themselves, with a clock that the test moves. */
import { reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { handleOfSession } from '../../src/state/handle.ts';
import { openLane, readReply, type Lane } from '../support/wire.ts';

const HOUR_MS = 60 * 60 * 1000;
const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const open = (): Promise<Lane> => openLane('compat', { origin: 'http://localhost', send });
const count = async (lane: Lane): Promise<unknown> =>
  (await lane.request('tools/call', { name: 'count', arguments: {} })).answer?.result?.['structuredContent'];

const later = (hours: number): void => void vi.setSystemTime(Date.now() + hours * HOUR_MS);
const stateOf = async ({ sessionId = '' }: Lane) => env.STATE_OBJECT.getByName(await handleOfSession(sessionId));
const keysOf = (stub: DurableObjectStub): Promise<string[]> =>
  runInDurableObject(stub, async (_object, { storage }) => [...(await storage.list()).keys()]);

describe('expiry of state objects', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  it('a state object is empty after its idle time', async ({ expect }) => {
    const lane = await open();
    await count(lane);
    const stub = await stateOf(lane);
    expect(await keysOf(stub)).toEqual(['record']);
    later(27);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await keysOf(stub)).toEqual([]);
  });

  it('a call puts the removal of a state object off', async ({ expect }) => {
    const lane = await open();
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

  it('a handle that was never given out leaves nothing behind', async ({ expect }) => {
    const handle = `h_${'C'.repeat(27)}`;
    await (await open()).request('tools/call', { name: 'count', arguments: { handle } });
    const stub = env.STATE_OBJECT.getByName(handle);
    expect(await keysOf(stub)).toEqual([]);
    expect(await runInDurableObject(stub, (_object, { storage }) => storage.getAlarm())).toBeNull();
  });

  it('a compat session stores nothing until a stateful tool is called', async ({ expect }) => {
    const lane = await open();
    await lane.request('tools/list');
    expect(await keysOf(await stateOf(lane))).toEqual([]);
  });

  it('DELETE leaves the state of a compat session to its handle, for the idle time', async ({ expect }) => {
    const lane = await open();
    await count(lane);
    await lane.close();
    const stub = await stateOf(lane);
    expect(await keysOf(stub)).toEqual(['record']);
    later(27);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await keysOf(stub)).toEqual([]);
  });

  it('DELETE of a compat session that has no state stores nothing', async ({ expect }) => {
    const lane = await open();
    await lane.close();
    expect(await keysOf(await stateOf(lane))).toEqual([]);
  });

  it('an invented compat session id stores no state of its own', async ({ expect }) => {
    const lane = await open();
    const sessionId = `c_${'A'.repeat(27)}`;
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count', arguments: {} } };
    const answers = [1, 2].map(async () => {
      const response = await lane.post(body, { 'mcp-session-id': sessionId });
      return (await readReply(response, 1)).answer?.result?.['structuredContent'] as { value: number; handle: string };
    });
    const [first, second] = await Promise.all(answers);
    expect([first?.value, second?.value]).toEqual([1, 1]);
    expect(first?.handle).not.toBe(second?.handle);
    expect([first?.handle, second?.handle]).not.toContain(await handleOfSession(sessionId));
    const stub = env.STATE_OBJECT.getByName(await handleOfSession(sessionId));
    expect(await keysOf(stub)).toEqual([]);
    expect(await runInDurableObject(stub, (_object, { storage }) => storage.getAlarm())).toBeNull();
  });

  it('a compat session of an earlier version, whose id has no seal, goes on with its state', async ({ expect }) => {
    const lane = await open();
    const sessionId = `c_${'B'.repeat(27)}`;
    const stub = env.STATE_OBJECT.getByName(await handleOfSession(sessionId));
    const record = { holding: { epoch: 0, owner: true, states: { counter: { v: 1, value: { value: 41 } } } } };
    await runInDurableObject(stub, (_object, { storage }) => storage.kv.put('record', JSON.stringify(record)));
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count', arguments: {} } };
    const { answer } = await readReply(await lane.post(body, { 'mcp-session-id': sessionId }), 1);
    expect(answer?.result?.['structuredContent']).toEqual({ value: 42, handle: await handleOfSession(sessionId) });
  });
});
