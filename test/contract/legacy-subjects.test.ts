/** With a sign-in in front, state and sessions belong to the subject that the sign-in named. */
import { createExecutionContext, evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import worker from '../fixture/worker.ts';
import { LANE_NAMES, openLane, type Lane, type LaneName, type Reply } from '../support/wire.ts';

/** Requests as they come with these properties on the execution context. */
const sendWith =
  (props: object) =>
  (request: Request): Promise<Response> =>
    worker.fetch(
      request as Parameters<typeof worker.fetch>[0],
      env,
      Object.defineProperty(createExecutionContext(), 'props', { value: props }),
    );
/** The same from a sign-in that has named this subject. */
const sendAs = (subject: string) => sendWith({ subject });

/** A request in somebody's session, by whoever has got hold of its id. */
const inSession = ({ sessionId }: Lane, path: string, method: string, params?: object): Request =>
  new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': sessionId ?? '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

const openAs = (subject: string, name: LaneName): Promise<Lane> =>
  openLane(name, { origin: 'http://localhost', send: sendAs(subject) });
const call = (lane: Lane, handle?: string): Promise<Reply> =>
  lane.request('tools/call', { name: 'count', arguments: { by: 1, ...(handle !== undefined && { handle }) } });
/** What a call counted; of a refusal, nothing. */
const structuredIn = ({ answer }: Reply): { value?: unknown; handle: string } => ({
  handle: 'none',
  ...(answer?.result?.['structuredContent'] as object | undefined),
});
const valueIn = (reply: Reply): unknown => structuredIn(reply).value;
const handleIn = (reply: Reply): string => structuredIn(reply).handle;
const textIn = ({ answer }: Reply): unknown => {
  const content = (answer?.result?.['content'] ?? []) as readonly { text: string }[];
  return content[0]?.text;
};

const UNKNOWN =
  'The handle given to the tool "count" names no state. Leave "handle" out to start anew, or pass the handle of an earlier result.';

describe('subjects', () => {
  const ways = LANE_NAMES.flatMap((from) => LANE_NAMES.map((to) => [from, to] as const));
  it.for(ways)('a handle that %s gave one subject is unknown to another on %s', async ([from, to], { expect }) => {
    const first = await call(await openAs('ann', from));
    expect(textIn(await call(await openAs('bob', to), handleIn(first)))).toBe(UNKNOWN);
    expect(valueIn(await call(await openAs('ann', to), handleIn(first)))).toBe(Number(valueIn(first)) + 1);
  });

  it('a signed-in modern client has its state without a handle', async ({ expect }) => {
    const lane = await openAs('cleo', 'modern');
    expect(valueIn(await call(lane))).toBe(1);
    expect(valueIn(await call(await openAs('cleo', 'modern')))).toBe(2);
    expect(valueIn(await call(await openAs('dan', 'modern')))).toBe(1);
  });

  it('the session id of a legacy session is of no use to another subject', async ({ expect }) => {
    const mine = await openAs('ann', 'legacy');
    await call(mine);
    const stolen = await sendAs('bob')(inSession(mine, '/legacy/mcp', 'tools/list'));
    expect([stolen.status, await stolen.json()]).toEqual([
      404,
      { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Session not found' } },
    ]);
    expect(valueIn(await call(mine))).toBe(2);
  });

  it.for([{}, { scope: 'x' }, { subject: 'bob' }])(
    'the session id of a legacy session is of no use to %j, also after its object was put to sleep',
    async (props, { expect }) => {
      const mine = await openAs('ann', 'legacy');
      await call(mine);
      const ask = async (): Promise<number> => {
        const response = await sendWith(props)(inSession(mine, '/legacy/mcp', 'tools/list'));
        await response.body?.cancel();
        return response.status;
      };
      expect(await ask()).toBe(404);
      await evictDurableObject(env.LEGACY_AGENT.getByName(`streamable-http:${mine.sessionId}`));
      expect(await ask()).toBe(404);
      expect(valueIn(await call(mine))).toBe(2);
    },
  );

  it('the session id of a compat session opens no state to another subject', async ({ expect }) => {
    const mine = await openAs('ann', 'compat');
    await call(mine);
    const stolen = await sendAs('bob')(inSession(mine, '/mcp', 'tools/call', { name: 'count', arguments: {} }));
    expect(await stolen.text()).toContain('names no state');
    expect(valueIn(await call(mine))).toBe(2);
  });
});

describe('the ends of sessions', () => {
  const end = (subject: string, sessionId: string | undefined): Promise<Response> =>
    sendAs(subject)(
      new Request('http://localhost/mcp', { method: 'DELETE', headers: { 'mcp-session-id': sessionId ?? '' } }),
    );

  it('DELETE of a compat session by another subject takes nothing away', async ({ expect }) => {
    const mine = await openAs('ann', 'compat');
    await call(mine);
    await end('bob', mine.sessionId);
    expect(valueIn(await call(mine))).toBe(2);
    await end('ann', mine.sessionId);
    expect(textIn(await call(mine))).toBe(
      'The session of this call has ended, so the tool "count" has no state for it. Begin a new session, and pass the handle of an earlier result to go on with its state.',
    );
  });
});

describe('the old transport of the legacy route', () => {
  const HEADERS = { 'content-type': 'application/json' };
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  });
  const stream = (subject: string, query = ''): Promise<Response> =>
    sendAs(subject)(new Request(`http://localhost/legacy/sse${query}`, { headers: { accept: 'text/event-stream' } }));

  it('knows a session for its own subject only', async ({ expect }) => {
    const mine = await stream('ann');
    const reader = mine.body!.pipeThrough(new TextDecoderStream()).getReader();
    const endpoint = /data: (\S+)/.exec((await reader.read()).value ?? '')?.[1] ?? '';
    const post = async (subject: string): Promise<number> => {
      const request = new Request(`http://localhost${endpoint}`, {
        method: 'POST',
        headers: HEADERS,
        body: initialize,
      });
      const response = await sendAs(subject)(request);
      await response.body?.cancel();
      return response.status;
    };
    expect(await post('ann')).toBe(202);
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    const stolen = new Request(`http://localhost${endpoint}`, { method: 'POST', headers: HEADERS, body: ping });
    expect((await sendAs('bob')(stolen)).status).toBe(404);
    expect((await stream('bob', endpoint.slice(endpoint.indexOf('?')))).status).toBe(404);
    await reader.cancel();
  });
});

describe('eviction', () => {
  it.for(['legacy', 'compat'] as const)(
    'the state of a %s session outlives its object in memory',
    async (name, { expect }) => {
      const lane = await openAs('eve', name);
      const handle = handleIn(await call(lane));
      const agent = env.LEGACY_AGENT.getByName(`streamable-http:${lane.sessionId}`);
      await evictDurableObject(name === 'legacy' ? agent : env.STATE_OBJECT.getByName(handle));
      expect(valueIn(await call(lane))).toBe(2);
    },
  );
});
