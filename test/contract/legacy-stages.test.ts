/** Every stage of every route, on real lanes: the router with stages of the test's choice, in front of the fixture's halves. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import type { Cutover } from '../../src/cutover/cutover.ts';
import type { FlagSubject } from '../../src/cutover/flags/flags.ts';
import type { StageOf } from '../../src/cutover/stage.ts';
import { legacyHalf } from '../fixture/legacy-half.ts';
import { systemWorld as world } from '../../src/shared/world.ts';
import { createStatelessHalf } from '../../src/stateless/half.ts';
import { fixtureCatalogue as catalogue } from '../fixture/catalogue.ts';
import { routerWith } from '../support/router.ts';
import { openLane, readReply, type Message, type Send } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const report = (): void => undefined;
const stateless = createStatelessHalf({ catalogue, world, report });

interface Stand {
  stages?: Partial<StageOf>;
  brake?: boolean;
  vars?: Record<string, string>;
}

/** A Worker whose routes stand as the test says; the stand can be changed while sessions are open. */
function workerAt(stand: Stand): { send: Send; asked: FlagSubject[] } {
  const asked: FlagSubject[] = [];
  const stages = (): StageOf => ({ legacy: 'legacy', sse: 'legacy', mcp: 'stateless', ...stand.stages });
  const cutover: Cutover = {
    stageFor: (route, subject) => {
      asked.push(subject);
      return Promise.resolve({ stage: stages()[route], reason: 'flag' });
    },
    stageOf: (route) => Promise.resolve({ stage: stages()[route], reason: 'flag' }),
    isBraked: () => Promise.resolve(stand.brake === true),
  };
  const fetch = routerWith({ catalogue, report, stateless, legacy: legacyHalf(), cutover: () => cutover });
  const vars = { ...env, ...stand.vars };
  return { asked, send: (request) => fetch(request, vars, createExecutionContext()) };
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'one', version: '1.2.3' } },
};
const post = (send: Send, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  send(
    new Request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body: JSON.stringify(body),
    }),
  );
const timing = (response: Response): string | null => response.headers.get('server-timing');
const by = (lane: string, reason: string): string => `lane;desc="${lane}", reason;desc="${reason}"`;
const count = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'count', arguments: {} } });
const valueIn = async (response: Response, id: number): Promise<unknown> =>
  ((await readReply(response, id)).answer?.result?.['structuredContent'] as { value?: unknown } | undefined)?.value;

describe('a session that begins', () => {
  it.for([
    ['/legacy/mcp', {}, by('legacy', 'flag')],
    ['/legacy/mcp', { stages: { legacy: 'shadow' } }, by('legacy', 'shadow')],
    ['/legacy/mcp', { stages: { legacy: 'stateless' } }, by('compat', 'flag')],
    ['/legacy/mcp', { stages: { legacy: 'stateless' }, brake: true }, by('legacy', 'brake')],
    ['/mcp', {}, by('compat', 'flag')],
    ['/mcp', { stages: { mcp: 'legacy' } }, by('legacy', 'flag')],
    ['/mcp', { brake: true }, by('legacy', 'brake')],
  ] as const)('on %s at %o', async ([path, stand, expected], { expect }) => {
    const { send } = workerAt(stand);
    const response = await post(send, path, INITIALIZE);
    expect([response.status, timing(response)]).toEqual([200, expected]);
    expect(response.headers.get('mcp-session-id')).toMatch(expected.includes('compat') ? /^c_/ : /^[0-9a-f]{64}$/);
  });

  it('is asked for once, by client and bucket', async ({ expect }) => {
    const { send, asked } = workerAt({});
    const headers = { 'cf-connecting-ip': '192.0.2.1', 'user-agent': 'one/1' };
    await (await post(send, '/legacy/mcp', INITIALIZE, headers)).text();
    await (await post(send, '/legacy/mcp', INITIALIZE, headers)).text();
    expect(asked).toEqual([
      { bucket: 'b50556a057b52a1656352ca9b0bb4d40', era: '2025', clientName: 'one', clientVersion: '1.2.3' },
      { bucket: 'b50556a057b52a1656352ca9b0bb4d40', era: '2025', clientName: 'one', clientVersion: '1.2.3' },
    ]);
  });

  it.for([
    [{}, by('compat', 'flag')],
    [{ vars: { KEEP_SESSIONS: 'on' } }, by('legacy', 'needs_session')],
  ] as const)('and declares elicitation, on /mcp with %o', async ([stand, expected], { expect }) => {
    const { send } = workerAt(stand);
    const params = { ...INITIALIZE.params, capabilities: { elicitation: {} } };
    expect(timing(await post(send, '/mcp', { ...INITIALIZE, params }))).toBe(expected);
  });
});

describe('a session that lives', () => {
  it('stays on its lane and keeps its count, whatever is changed', async ({ expect }) => {
    const stand: Stand = { stages: { legacy: 'legacy' } };
    const { send, asked } = workerAt(stand);
    const old = await openLane('legacy', { origin: ORIGIN, send });
    expect(await valueIn(await old.post(count(11)), 11)).toBe(1);
    stand.stages = { legacy: 'stateless' };
    const fresh = await openLane('legacy', { origin: ORIGIN, send });
    expect([old.sessionId?.startsWith('c_'), fresh.sessionId?.startsWith('c_')]).toEqual([false, true]);
    const reply = await old.post(count(12));
    expect([timing(reply), await valueIn(reply, 12)]).toEqual([by('legacy', 'pinned'), 2]);
    expect(await valueIn(await fresh.post(count(13)), 13)).toBe(1);
    stand.stages = { legacy: 'legacy' };
    stand.brake = true;
    const back = await fresh.post(count(14));
    expect([timing(back), await valueIn(back, 14)]).toEqual([by('compat', 'pinned'), 2]);
    expect(asked.length).toBe(2);
  });

  it('that began on the legacy lane through /mcp has its stream and its end there', async ({ expect }) => {
    const { send } = workerAt({ stages: { mcp: 'legacy' } });
    const lane = await openLane('compat', { origin: ORIGIN, send });
    const headers = { accept: 'text/event-stream', 'mcp-session-id': lane.sessionId ?? '' };
    const stream = await send(new Request(`${ORIGIN}/mcp`, { headers }));
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await stream.body?.cancel();
    expect((await send(new Request(`${ORIGIN}/mcp`, { method: 'DELETE', headers }))).status).toBe(204);
  });
});

describe('a request without a session, or of one that has ended', () => {
  it('is refused by the legacy lane while the route stands at legacy', async ({ expect }) => {
    const { send } = workerAt({});
    const lane = await openLane('legacy', { origin: ORIGIN, send });
    await lane.close();
    expect((await lane.post(count(1))).status).toBe(404);
    expect((await post(send, '/legacy/mcp', count(1))).status).toBe(400);
  });

  it('is answered statelessly once the route has left the legacy lane', async ({ expect }) => {
    const stand: Stand = {};
    const { send } = workerAt(stand);
    const lane = await openLane('legacy', { origin: ORIGIN, send });
    await lane.close();
    stand.stages = { legacy: 'stateless' };
    const stale = await lane.post(count(21));
    expect([stale.status, timing(stale), await valueIn(stale, 21)]).toEqual([200, by('compat', 'stale_session'), 1]);
    const dropped = await post(send, '/legacy/mcp', count(22));
    expect([dropped.status, timing(dropped), await valueIn(dropped, 22)]).toEqual([200, by('compat', 'no_session'), 1]);
    const invented = await post(send, '/legacy/mcp', count(23), { 'mcp-session-id': 'invented' });
    expect([invented.status, timing(invented)]).toEqual([200, by('compat', 'stale_session')]);
  });
});

describe('a route that is gone or off', () => {
  const refusal = async (response: Response): Promise<unknown[]> => {
    const { id, error } = await response.json<Message>();
    return [response.status, id, error?.message, response.headers.get('link')];
  };
  const GONE = [
    'Gone: this server has moved to http://localhost/mcp',
    '<http://localhost/mcp>; rel="successor-version"',
  ] as const;

  it('says where to go, to new and to living sessions, on POST, GET and DELETE', async ({ expect }) => {
    const stand: Stand = {};
    const { send } = workerAt(stand);
    const lane = await openLane('legacy', { origin: ORIGIN, send });
    stand.stages = { legacy: 'gone' };
    expect(await refusal(await post(send, '/legacy/mcp', INITIALIZE))).toEqual([410, 1, ...GONE]);
    expect(await refusal(await lane.post(count(5)))).toEqual([410, 5, ...GONE]);
    for (const method of ['GET', 'DELETE']) {
      const headers = { accept: 'text/event-stream', 'mcp-session-id': lane.sessionId ?? '' };
      expect(await refusal(await send(new Request(`${ORIGIN}/legacy/mcp`, { method, headers })))).toEqual([
        410,
        null,
        ...GONE,
      ]);
    }
  });

  it('lets the old transport go first', async ({ expect }) => {
    const { send } = workerAt({ stages: { sse: 'gone' } });
    expect((await send(new Request(`${ORIGIN}/legacy/sse`, { headers: { accept: 'text/event-stream' } }))).status).toBe(
      410,
    );
    expect((await post(send, '/legacy/mcp', INITIALIZE)).status).toBe(200);
  });

  it('/mcp that is off answers nobody', async ({ expect }) => {
    const { send } = workerAt({ stages: { mcp: 'off' } });
    expect((await post(send, '/mcp', INITIALIZE)).status).toBe(404);
    const modern = await openLane('modern', { origin: ORIGIN, send });
    expect((await modern.request('tools/list')).status).toBe(404);
  });
});

describe('deprecation', () => {
  const vars = { DEPRECATION_AT: '2026-12-01', SUNSET_AT: '2027-03-31T12:00:00Z' };

  it('is told on the legacy route with the dates of the operator, and nowhere else', async ({ expect }) => {
    const { send } = workerAt({ vars });
    const told = ({ headers }: Response) => ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));
    expect(told(await post(send, '/legacy/mcp', INITIALIZE))).toEqual([
      '@1796083200',
      'Wed, 31 Mar 2027 12:00:00 GMT',
      '<http://localhost/mcp>; rel="successor-version"',
    ]);
    expect(told(await post(send, '/mcp', INITIALIZE))).toEqual([null, null, null]);
    expect(told(await post(workerAt({}).send, '/legacy/mcp', INITIALIZE))).toEqual([null, null, null]);
  });
});
