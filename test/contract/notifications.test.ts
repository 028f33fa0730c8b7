/** What reaches the client while a call runs: progress on every lane alike, log messages as each protocol has them. */
import { describe, it } from 'vitest';
import { ENVELOPE, LANE_NAMES, messagesIn, type LaneName, type Message } from '../support/wire.ts';
import { openFixture } from './fixture-lanes.ts';

const steps = { name: 'steps', arguments: { steps: 2 } };
const progress = (step: number) => ({
  method: 'notifications/progress',
  params: { progressToken: 'p', progress: step, total: 2, message: `step ${step}` },
});
const log = (step: number) => ({
  method: 'notifications/message',
  params: { level: 'info', logger: 'fixture', data: { message: `step ${step}`, data: { step } } },
});

/** What came beside the answer, in order. */
async function beside(
  name: LaneName,
  params: Record<string, unknown>,
  meta: Record<string, unknown>,
  level?: string,
): Promise<unknown[]> {
  const lane = await openFixture(name);
  if (level !== undefined) await lane.request('logging/setLevel', { level });
  const { others } = await lane.request('tools/call', params, meta);
  await lane.close();
  return others.map(({ jsonrpc: _version, ...message }: Message) => message);
}
const only = (method: string, messages: unknown[]): unknown[] =>
  messages.filter((message) => (message as Message).method === method);

describe.each(LANE_NAMES)('notifications on %s', (name) => {
  it('progress comes on the stream of its call, in order', async ({ expect }) => {
    const seen = await beside(name, steps, { progressToken: 'p' });
    expect(only('notifications/progress', seen)).toEqual([progress(1), progress(2)]);
  });

  it('progress that nobody asked for does not come', async ({ expect }) => {
    expect(only('notifications/progress', await beside(name, steps, {}))).toEqual([]);
  });

  it('what is sent without a pause keeps its order', async ({ expect }) => {
    const seen = await beside(
      name,
      { name: 'burst', arguments: {} },
      { progressToken: 7, [ENVELOPE.logLevel]: 'info' },
    );
    expect(seen).toEqual(
      [1, 2, 3].flatMap((step) => [
        { method: 'notifications/progress', params: { progressToken: 7, progress: step } },
        { method: 'notifications/message', params: { level: 'info', logger: 'fixture', data: `step ${step}` } },
      ]),
    );
  });

  it('an answer of any size comes after what was sent before it', async ({ expect }) => {
    const lane = await openFixture(name);
    const call = { name: 'burst', arguments: { times: 1_500_000 } };
    const text = await (await lane.open('tools/call', call, { progressToken: 'p' })).text();
    const messages = only('notifications/progress', messagesIn(text, 'text/event-stream'));
    expect(messages).toHaveLength(3);
    expect(messagesIn(text, 'text/event-stream').at(-1)?.result).toBeDefined();
    await lane.close();
  });
});

describe('log messages', () => {
  it.for([
    ['legacy', [log(1), log(2)]],
    ['compat', [log(1), log(2)]],
    ['modern', []],
  ] as const)('%s: without a wish of the client', async ([lane, expected], { expect }) => {
    expect(await beside(lane, steps, {})).toEqual(expected);
  });

  it('modern: at the level that the request names', async ({ expect }) => {
    expect(await beside('modern', steps, { [ENVELOPE.logLevel]: 'info' })).toEqual([log(1), log(2)]);
    expect(await beside('modern', steps, { [ENVELOPE.logLevel]: 'warning' })).toEqual([]);
  });

  it('legacy keeps the level that the session was set to, and compat has nothing to keep it in', async ({ expect }) => {
    expect(await beside('legacy', steps, {}, 'warning')).toEqual([]);
    expect(await beside('compat', steps, {}, 'warning')).toEqual([log(1), log(2)]);
  });
});
