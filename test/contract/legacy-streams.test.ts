/** Streams of the legacy lane end when nothing more can come on them, and a dropped one can be taken up again. */
import { runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { messagesIn, openLane, readReply, type Lane } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const open = (): Promise<Lane> => openLane('legacy', { origin: ORIGIN, send });

const listen = (lane: Lane, lastEventId?: string): Promise<Response> =>
  send(
    new Request(`${ORIGIN}/legacy/mcp`, {
      headers: {
        accept: 'text/event-stream',
        'mcp-session-id': lane.sessionId ?? '',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    }),
  );

/** Reads up to the first event and then drops the stream, as a client that loses its connection. */
async function dropAfterFirstEvent(response: Response): Promise<string> {
  if (response.body === null) throw new TypeError('The response has no body');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n\n')) text += (await reader.read()).value ?? '';
  await reader.cancel();
  return /^id: (.*)$/m.exec(text)?.[1] ?? 'none';
}

const steps = (lane: Lane, params: { steps: number; pauseMs: number }): Promise<Response> =>
  lane.open('tools/call', { name: 'steps', arguments: params }, { progressToken: 'p' });
const progressOf = (text: string): unknown[] =>
  messagesIn(text, 'text/event-stream').flatMap(({ method, params }) =>
    method === 'notifications/progress' ? [params?.['progress']] : [],
  );
const answersIn = (text: string): unknown[] =>
  messagesIn(text, 'text/event-stream').flatMap(({ result }) => (result === undefined ? [] : [result]));

describe('streams of the legacy lane', () => {
  it('a cancelled call ends its stream', async ({ expect }) => {
    const lane = await open();
    const response = await lane.open('tools/call', { name: 'wait', arguments: { ms: 20_000 } });
    const cancelled = await lane.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(cancelled.status).toBe(202);
    expect(await response.text()).toBe('');
    expect((await lane.request('ping')).answer?.result).toEqual({});
  });

  it('a cancelled call leaves none of its events behind', async ({ expect }) => {
    const lane = await open();
    const keptStreams = (): Promise<number> =>
      runInDurableObject(
        env.LEGACY_AGENT.getByName(`streamable-http:${lane.sessionId}`),
        async (_agent, { storage }) => {
          const keys = [...(await storage.list({ prefix: '__mcp_event__:' })).keys()];
          return new Set(keys.map((key) => key.slice(0, key.lastIndexOf(':')))).size;
        },
      );
    const before = await keptStreams();
    const response = await steps(lane, { steps: 5, pauseMs: 1_000 });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('notifications/progress');
    expect(await keptStreams()).toBe(before + 1);
    await lane.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    while ((await reader?.read())?.done === false);
    expect(await keptStreams()).toBe(before);
  });

  it('a cancelled call of a batch is answered by an error, beside the other answers', async ({ expect }) => {
    const lane = await open();
    const call = (id: number, ms: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'wait', arguments: { ms } },
    });
    const response = await lane.post([call(71, 20_000), call(72, 50)]);
    await lane.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 71 } });
    const text = await response.text();
    expect(messagesIn(text, 'text/event-stream').toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual([
      { jsonrpc: '2.0', id: 71, error: { code: -32000, message: 'Request cancelled' } },
      { jsonrpc: '2.0', id: 72, result: { content: [{ type: 'text', text: 'waited' }] } },
    ]);
  });

  it('two calls with the same id are answered each on its own stream', async ({ expect }) => {
    const lane = await open();
    const call = (text: string) => ({
      jsonrpc: '2.0',
      id: 77,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text } },
    });
    const replies = await Promise.all(['one', 'two'].map(async (text) => readReply(await lane.post(call(text)), 77)));
    expect(replies.map(({ answer }) => answer?.result?.['content'])).toEqual([
      [{ type: 'text', text: 'one' }],
      [{ type: 'text', text: 'two' }],
    ]);
  });

  it('a resumed stream ends after the last answer', async ({ expect }) => {
    const lane = await open();
    const lastEventId = await dropAfterFirstEvent(await steps(lane, { steps: 4, pauseMs: 150 }));
    const text = await (await listen(lane, lastEventId)).text();
    expect(progressOf(text)).toEqual([2, 3, 4]);
    expect(answersIn(text)).toEqual([{ content: [{ type: 'text', text: 'done' }] }]);
  });

  it('an answer that came while nobody listened is replayed and the stream ends', async ({ expect }) => {
    const lane = await open();
    const lastEventId = await dropAfterFirstEvent(await steps(lane, { steps: 2, pauseMs: 50 }));
    // Longer than the dropped call, in the same agent, so that call is over when this one is.
    await lane.request('tools/call', { name: 'wait', arguments: { ms: 300 } });
    const text = await (await listen(lane, lastEventId)).text();
    expect(progressOf(text)).toEqual([2]);
    expect(answersIn(text)).toEqual([{ content: [{ type: 'text', text: 'done' }] }]);
  });

  it('only the last answered calls are kept', async ({ expect }) => {
    const lane = await open();
    const lastEventId = await dropAfterFirstEvent(await steps(lane, { steps: 1, pauseMs: 10 }));
    await lane.request('tools/call', { name: 'wait', arguments: { ms: 100 } });
    for (let calls = 0; calls < 8; calls += 1) await lane.request('tools/call', { name: 'wait', arguments: { ms: 0 } });
    expect(await (await listen(lane, lastEventId)).text()).toBe('');
  });

  it('an invented event id ends at once', async ({ expect }) => {
    const lane = await open();
    expect(await (await listen(lane, 'nowhere:0000000000000001')).text()).toBe('');
  });

  it('a posted error response is accepted and opens no stream', async ({ expect }) => {
    const lane = await open();
    const response = await lane.post({ jsonrpc: '2.0', id: 9, error: { code: -1, message: 'no' } });
    expect([response.status, await response.text()]).toEqual([202, '']);
  });

  it('a large answer arrives and ends its stream', async ({ expect }) => {
    const lane = await open();
    const { answer } = await readReply(
      await lane.open('tools/call', { name: 'echo', arguments: { text: 'ü', times: 2_000_000 } }),
      1,
    );
    const [block] = (answer?.result?.['content'] ?? []) as { text: string }[];
    expect(block?.text.length).toBe(2_000_000);
  });
});
