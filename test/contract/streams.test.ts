/** How answers travel on each lane, and what becomes of a call whose client cancels it or goes away. */
import { describe, it, vi } from 'vitest';
import { lingered } from '../fixture/more-tools.ts';
import { MessageReader } from '../support/events.ts';
import { LANE_NAMES, type Lane } from '../support/wire.ts';
import { ask, openFixture, ORIGIN, send } from './fixture-lanes.ts';

const echo = { name: 'echo', arguments: { text: 'a' } };
const linger = (name: string, ms: number) => ({ name: 'linger', arguments: { name, ms } });

/** Opens a call of `linger` and waits until it runs. */
async function lingering(lane: Lane, name: string, ms: number): Promise<MessageReader> {
  const reader = new MessageReader(await lane.open('tools/call', linger(name, ms), { progressToken: 1 }));
  await reader.next();
  return reader;
}
const ended = (name: string): Promise<string> =>
  vi.waitFor(() => lingered.get(name) ?? Promise.reject(new Error(`${name} still runs`)), 5_000);

describe('bodies', () => {
  it.for([
    ['legacy', 'text/event-stream', 'text/event-stream'],
    ['compat', 'text/event-stream', 'text/event-stream'],
    ['modern', 'application/json', 'text/event-stream'],
  ] as const)('%s: the answer alone is %s, with progress before it %s', async ([name, alone, streamed], { expect }) => {
    const lane = await openFixture(name);
    const [first, second] = [
      await lane.request('tools/call', echo),
      await lane.request('tools/call', { name: 'burst', arguments: {} }, { progressToken: 1 }),
    ];
    expect([first, second].map(({ status, headers }) => [status, headers.get('content-type')?.split(';')[0]])).toEqual([
      [200, alone],
      [200, streamed],
    ]);
    await lane.close();
  });

  it.for(LANE_NAMES)('%s: a result of 3 MB arrives whole', async (lane, { expect }) => {
    const result = (await ask(lane, 'tools/call', { name: 'echo', arguments: { text: 'y', times: 3_145_728 } })) as {
      content: { text: string }[];
    };
    expect(result.content.map(({ text }) => text.length)).toEqual([3_145_728]);
  });

  it('only legacy numbers its events: the other lanes have nothing to take a dropped call up from', async ({
    expect,
  }) => {
    const numbered = async (name: (typeof LANE_NAMES)[number]): Promise<boolean> => {
      const lane = await openFixture(name);
      const text = await (await lane.open('tools/call', { name: 'burst', arguments: {} }, { progressToken: 1 })).text();
      await lane.close();
      return /^id: /m.test(text);
    };
    expect(await Promise.all(LANE_NAMES.map(numbered))).toEqual([true, false, false]);
  });
});

describe('calls that are given up', () => {
  it('legacy: a client that goes away does not stop its call', async ({ expect }) => {
    const lane = await openFixture('legacy');
    await (await lingering(lane, 'gone-legacy', 400)).cancel();
    expect(await ended('gone-legacy')).toBe('finished');
    await lane.close();
  });

  it.for(['compat', 'modern'] as const)('%s: a client that goes away stops its call', async (name, { expect }) => {
    const lane = await openFixture(name);
    await (await lingering(lane, `gone-${name}`, 4_000)).cancel();
    expect(await ended(`gone-${name}`)).toBe('stopped');
    await lane.close();
  });

  it('legacy: a cancelled notification stops the call', async ({ expect }) => {
    const lane = await openFixture('legacy');
    const reader = await lingering(lane, 'cancelled-legacy', 8_000);
    await lane.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(await ended('cancelled-legacy')).toBe('stopped');
    expect(await reader.next()).toBeUndefined();
    await lane.close();
  });

  it('compat: a cancelled notification is accepted and reaches nobody', async ({ expect }) => {
    const lane = await openFixture('compat');
    const reader = await lingering(lane, 'cancelled-compat', 300);
    const response = await lane.post({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    });
    expect(response.status).toBe(202);
    expect((await reader.next())?.result).toEqual({ content: [{ type: 'text', text: 'finished' }] });
    await lane.close();
  });
});

describe('changes of the lists', () => {
  it('modern: a client that listens is told that there is nothing to listen to', async ({ expect }) => {
    const lane = await openFixture('modern');
    const reader = new MessageReader(
      await lane.open('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    );
    expect(await reader.next()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: {} },
    });
    await reader.cancel();
  });

  it.for(['legacy', 'compat'] as const)('%s: there is no such method', async (name, { expect }) => {
    expect(await ask(name, 'subscriptions/listen')).toEqual({ code: -32601, message: 'Method not found' });
  });

  it('compat: there is no stream to push on', async ({ expect }) => {
    const response = await send(new Request(`${ORIGIN}/mcp`, { headers: { accept: 'text/event-stream' } }));
    expect(response.status).toBe(405);
  });
});
