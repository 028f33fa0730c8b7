/**
 * Back at any moment: what the plain class has begun, the wrapped one goes on with, and the other way round. The plain
 * class is bound to the same objects here, as it is after a deployment.
 */
import {
  abortAllDurableObjects,
  createExecutionContext,
  evictDurableObject,
  runInDurableObject,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { McpAgent as PlainMcpAgent } from 'agents/mcp';
import { describe, it } from 'vitest';
import { openLane, type Lane, type Send } from '../support/wire.ts';
import { agentOf, at, HOSTED, openOwn, ORIGIN, textOf } from './clients.ts';

const ANN = { user: 'ann' };
/** The package's own handler in front of the same objects: what a Worker without this package is. */
const plain = PlainMcpAgent.serve('/mcp', { binding: 'MCP_OBJECT' });
const sendPlain: Send = (request) => {
  const url = new URL(request.url);
  url.pathname = '/mcp';
  const ctx = Object.assign(createExecutionContext(), { props: { userId: 'ann' } });
  return plain.fetch(new Request(url, request), env, ctx);
};
const openPlainHere = (): Promise<Lane> => openLane('legacy', { origin: ORIGIN, send: sendPlain });
const onPlain = (lane: Lane): Lane => ({
  ...lane,
  request: async (method, params = {}) => {
    const response = await sendPlain(
      new Request(`${ORIGIN}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': lane.sessionId ?? '',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 'plain', method, params }),
      }),
    );
    const text = await response.text();
    const data = text.split('\n').find((line) => line.startsWith('data: '));
    const answer = data === undefined ? undefined : (JSON.parse(data.slice(6)) as never);
    return { status: response.status, headers: response.headers, answer, others: [] };
  },
});
/** Others of these files have objects that are at work. */
const evict = (lane: Lane): Promise<void> =>
  evictDurableObject(
    (env as unknown as { MCP_OBJECT: DurableObjectNamespace }).MCP_OBJECT.getByName(
      `streamable-http:${lane.sessionId}`,
    ),
  );
const hosted = (lane: Lane): Lane => ({ ...lane, request: at(lane, HOSTED, ANN) });
const wrapped = (lane: Lane): Lane => ({ ...lane, request: at(lane, {}, ANN) });

describe('a session', () => {
  it('that the plain handler has begun goes on wrapped, drained, taken back and plain again', async ({ expect }) => {
    const lane = await openPlainHere();
    const counts = [await textOf(onPlain(lane), 'increment'), await textOf(wrapped(lane), 'increment')];
    expect(await agentOf(lane.sessionId).drain()).toBe(true);
    counts.push(await textOf(hosted(lane), 'increment'));
    await evict(lane);
    counts.push(await textOf(hosted(lane), 'increment'));
    expect(await agentOf(lane.sessionId).takeBack()).toBe(true);
    counts.push(await textOf(wrapped(lane), 'increment'), await textOf(onPlain(lane), 'increment'));
    expect(counts).toEqual([1, 2, 3, 4, 5, 6].map((count) => `${count} in ${count} rows`));
  });

  it('that the compat lane has begun goes on at the plain handler once it is taken back', async ({ expect }) => {
    const lane = await openOwn('legacy', HOSTED, ANN);
    expect(await textOf(hosted(lane), 'increment')).toBe('1 in 1 rows');
    expect(await agentOf(lane.sessionId).takeBack()).toBe(true);
    await evict(lane);
    expect(await textOf(onPlain(lane), 'increment')).toBe('2 in 2 rows');
  });

  it('keeps nothing of ours in the state, the properties or the tables of its class', async ({ expect }) => {
    const lane = await openOwn('legacy', HOSTED, ANN);
    await textOf(hosted(lane), 'increment');
    await agentOf(lane.sessionId).takeBack();
    const stub = (env as unknown as { MCP_OBJECT: DurableObjectNamespace }).MCP_OBJECT.getByName(
      `streamable-http:${lane.sessionId}`,
    );
    const found = await runInDurableObject(stub as never, async (agent, state) => ({
      state: (agent as unknown as { state: unknown }).state,
      props: (agent as unknown as { props: unknown }).props,
      ours: [...(await state.storage.list({ prefix: 'hybrid-mcp:' })).keys()],
      tables: [...state.storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")]
        .map(({ name }) => name)
        .filter((name) => /hybrid/.test(name)),
    }));
    expect(found).toEqual({
      state: { counter: 1 },
      props: { userId: 'ann' },
      ours: ['hybrid-mcp:session'],
      tables: [],
    });
  });
});

describe('a call that asks', () => {
  it('runs again with the answers it had when its object was lost meanwhile', async ({ expect }) => {
    const lane = await openOwn('modern', HOSTED, { user: crypto.randomUUID() }, { elicitation: { form: {} } });
    const ask = async (more: Record<string, unknown> = {}) =>
      (await lane.request('tools/call', { name: 'book', arguments: {}, ...more })).answer;
    const first = (await ask())?.result;
    await abortAllDurableObjects();
    const second = (
      await ask({
        requestState: first?.['requestState'],
        inputResponses: { q1: { action: 'accept', content: { n: 3 } } },
      })
    )?.result;
    expect(second?.['inputRequests']).toMatchObject({ q2: { params: { message: 'Sure about 3?' } } });
    await abortAllDurableObjects();
    const answers = { q2: { action: 'accept', content: { ok: true } } };
    const third = await ask({ requestState: second?.['requestState'], inputResponses: answers });
    expect(third?.result?.['content']).toEqual([{ type: 'text', text: 'counter 3, ok true, ran 1 times' }]);
    // The round is over: its token is worth nothing any more.
    const again = await ask({ requestState: second?.['requestState'], inputResponses: answers });
    expect(again?.error).toEqual({
      code: -32_602,
      message: 'Invalid or expired requestState',
      data: { reason: 'invalid_request_state' },
    });
  });

  it('takes no answers of another caller, of another call, or of a token that nobody gave out', async ({ expect }) => {
    const forms = { elicitation: { form: {} } };
    const user = crypto.randomUUID();
    const lane = await openOwn('modern', HOSTED, { user }, forms);
    const first = (await lane.request('tools/call', { name: 'book', arguments: {} })).answer?.result;
    const inputResponses = { q1: { action: 'accept', content: { n: 3 } } };
    const requestState = first?.['requestState'];
    const other = await openOwn('modern', HOSTED, { user: crypto.randomUUID() }, forms);
    const tries = await Promise.all([
      other.request('tools/call', { name: 'book', arguments: {}, requestState, inputResponses }),
      lane.request('tools/call', { name: 'whoami', arguments: {}, requestState, inputResponses }),
      lane.request('tools/call', { name: 'book', arguments: {}, requestState: 'invented', inputResponses }),
    ]);
    expect(tries.map(({ answer }) => answer?.error?.message)).toEqual(
      Array.from({ length: 3 }).fill('Invalid or expired requestState'),
    );
    const right = await lane.request('tools/call', { name: 'book', arguments: {}, requestState, inputResponses });
    expect(right.answer?.result?.['resultType']).toBe('input_required');
  });
});
