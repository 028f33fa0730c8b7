/** Two clients at the same time on every lane: neither sees anything of the other's. What a name that is known opens. */
import { describe, it } from 'vitest';
import { LANE_NAMES, messagesIn, type Lane, type LaneName, type Message } from '../support/wire.ts';
import { openFixture, ORIGIN, send } from './fixture-lanes.ts';

const valueOf = (reply: { answer: Message | undefined }): unknown =>
  (reply.answer?.result?.['structuredContent'] as { value?: unknown } | undefined)?.value;
const handleIn = (reply: { answer: Message | undefined }): string =>
  (reply.answer?.result?.['structuredContent'] as { handle?: string } | undefined)?.handle ?? 'none';
const count = (lane: Lane, by: number, handle?: string) =>
  lane.request('tools/call', { name: 'count', arguments: { by, ...(handle !== undefined && { handle }) } });
const pair = (name: LaneName): Promise<[Lane, Lane]> => Promise.all([openFixture(name), openFixture(name)]);

describe.each(LANE_NAMES)('two clients on %s', (name) => {
  it('with the same ids and tokens get their own answers and progress only', async ({ expect }) => {
    const [first, second] = await pair(name);
    const run = async (lane: Lane, text: string, steps: number) => {
      const [echoed, stepped] = await Promise.all([
        lane.request('tools/call', { name: 'echo', arguments: { text } }),
        lane.request('tools/call', { name: 'steps', arguments: { steps } }, { progressToken: 'same' }),
      ]);
      const progress = stepped.others.filter(({ method }) => method === 'notifications/progress');
      return [echoed.answer?.result?.['content'], progress.map(({ params }) => params?.['total'])];
    };
    const rounds = await Promise.all(
      Array.from({ length: 5 }, () => Promise.all([run(first, 'first', 2), run(second, 'second', 3)])),
    );
    for (const round of rounds) {
      expect(round).toEqual([
        [[{ type: 'text', text: 'first' }], [2, 2]],
        [[{ type: 'text', text: 'second' }], [3, 3, 3]],
      ]);
    }
    await Promise.all([first.close(), second.close()]);
  });

  it('count for themselves', async ({ expect }) => {
    const [first, second] = await pair(name);
    const [one, other] = [await count(first, 1), await count(second, 10)];
    const more = await Promise.all([
      count(first, 1, handleIn(one)),
      count(second, 10, handleIn(other)),
      count(first, 1, handleIn(one)),
      count(second, 10, handleIn(other)),
    ]);
    expect(more.map(valueOf).map(String).toSorted()).toEqual(['2', '20', '3', '30']);
    expect(handleIn(one)).not.toBe(handleIn(other));
    await Promise.all([first.close(), second.close()]);
  });

  it('open each other’s state with a handle, and with nothing less', async ({ expect }) => {
    const [first, second] = await pair(name);
    const handle = handleIn(await count(first, 5));
    // A handle is all there is to know: whoever has it has the state. That is why it cannot be guessed.
    expect(valueOf(await count(second, 0, handle))).toBe(5);
    expect(handle).toMatch(/^h_[A-Za-z0-9_-]{27}$/);
    for (const guess of [
      `${handle.slice(0, -1)}${handle.endsWith('A') ? 'B' : 'A'}`,
      handle.toUpperCase(),
      `${handle} `,
      'h_',
    ]) {
      const refused = await count(second, 1, guess);
      expect(JSON.stringify(refused.answer?.result)).toContain('names no state');
    }
    expect(valueOf(await count(first, 0, handle))).toBe(5);
    await Promise.all([first.close(), second.close()]);
  });
});

describe('two clients that are asked on legacy', () => {
  const listen = async (lane: Lane): Promise<{ text: () => string; stop: () => Promise<void> }> => {
    const response = await send(
      new Request(`${ORIGIN}/legacy/mcp`, {
        headers: { accept: 'text/event-stream', 'mcp-session-id': lane.sessionId ?? '' },
      }),
    );
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        text += value;
      }
    })().catch(() => undefined);
    return {
      text: () => text,
      stop: async () => {
        await reader.cancel();
        await reading;
      },
    };
  };

  it('see their own questions only, though the questions have the same ids', async ({ expect }) => {
    const elicitation = { elicitation: {} };
    const [first, second] = await Promise.all([openFixture('legacy', elicitation), openFixture('legacy', elicitation)]);
    const streams = await Promise.all([first, second].map(listen));
    const ask = async (lane: Lane, name: string) => {
      const response = await lane.open('tools/call', { name: 'ask', arguments: {} });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      const seen: Message[] = [];
      for (;;) {
        const { done, value = '' } = await reader.read();
        if (done) return seen;
        for (const message of messagesIn(value, 'text/event-stream')) {
          seen.push(message);
          if (message.method !== 'elicitation/create') continue;
          const wanted = JSON.stringify(message.params);
          const content = wanted.includes('"colour"')
            ? { colour: 'red' }
            : wanted.includes('"count"')
              ? { count: 1 }
              : { name };
          await (
            await lane.post({ jsonrpc: '2.0', id: message.id!, result: { action: 'accept', content } })
          ).body?.cancel();
        }
      }
    };
    const [one, other] = await Promise.all([ask(first, 'Ada'), ask(second, 'Bob')]);
    const told = (seen: readonly Message[]) => seen.at(-1)?.result?.['content'];
    expect(told(one)).toEqual([{ type: 'text', text: 'Ada accept red accept' }]);
    expect(told(other)).toEqual([{ type: 'text', text: 'Bob accept red accept' }]);
    const asked = (seen: readonly Message[]) =>
      seen.filter(({ method }) => method === 'elicitation/create').map(({ id }) => String(id));
    expect(asked(one).toSorted()).toEqual(asked(other).toSorted());
    expect(streams.map((stream) => messagesIn(stream.text(), 'text/event-stream'))).toEqual([[], []]);
    await Promise.all(streams.map((stream) => stream.stop()));
    await Promise.all([first.close(), second.close()]);
  });
});

describe('names that are given out', () => {
  it.for([
    ['legacy', /^[0-9a-f]{64}$/],
    ['compat', /^c_[A-Za-z0-9_-]{27}$/],
  ] as const)('are long, random and never twice the same: %s', async ([name, form], { expect }) => {
    const lanes = await Promise.all(Array.from({ length: 20 }, () => openFixture(name)));
    const names = lanes.map(({ sessionId }) => sessionId ?? '');
    expect(new Set(names).size).toBe(20);
    expect(names.filter((id) => !form.test(id))).toEqual([]);
    await Promise.all(lanes.map((lane) => lane.close()));
  });

  it('a session id of legacy that is known is the session: nothing else is asked for', async ({ expect }) => {
    const [first, thief] = await pair('legacy');
    await count(first, 5);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count', arguments: { by: 0 } } };
    const response = await thief.post(body, { 'mcp-session-id': first.sessionId! });
    expect(await response.text()).toContain('"value":5');
    await Promise.all([first.close(), thief.close()]);
  });
});
