/** An operator's view and hand on a class of one's own: census, drain, take-back, brake. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { shardIn } from '../../src/cutover/census/shards.ts';
import { agentOf, at, HOSTED, openOwn, ORIGIN, textOf, type Vars } from './clients.ts';
import worker from './worker.ts';

const TOKEN = 'a-token-of-thirty-two-characters';
const ANN = { user: 'ann' };

async function admin(method: string, path: string, body?: object, vars: Vars = HOSTED) {
  const request = new Request(`${ORIGIN}/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify({ who: 'test', why: 'test', ...body }) }),
  });
  const response = await worker.fetch(
    request as Parameters<typeof worker.fetch>[0],
    { ...env, ...vars, ADMIN_TOKEN: TOKEN } as typeof env,
    createExecutionContext(),
  );
  return { status: response.status, body: await response.json<Record<string, unknown>>() };
}

describe('an operator', () => {
  it('sees who calls, drains a client’s sessions and takes them back, and no count is lost', async ({ expect }) => {
    const lane = await openOwn('legacy', {}, ANN);
    expect(await textOf(lane, 'increment')).toBe('1 in 1 rows');
    const census = await admin('GET', '/census');
    expect(census.status).toBe(200);
    expect(JSON.stringify(census.body)).toContain('"wire"');
    const drained = await admin('POST', '/drain', { client: 'wire' });
    expect([drained.status, drained.body['failed']]).toEqual([200, 0]);
    expect(drained.body['changed']).toBeGreaterThan(0);
    expect(await textOf({ ...lane, request: at(lane, HOSTED, ANN) }, 'increment')).toBe('2 in 2 rows');
    const back = await admin('POST', '/take-back', { client: 'wire' });
    expect([back.status, back.body['failed']]).toEqual([200, 0]);
    expect(await textOf(lane, 'increment')).toBe('3 in 3 rows');
  });

  it('sees a session that was taken back as an open one, whoever answered its next call', async ({ expect }) => {
    const lane = await openOwn('legacy', HOSTED, ANN);
    expect(await textOf(lane, 'increment')).toBe('1 in 1 rows');
    // Not through the operator's command, so that this isolate does not know.
    expect(await agentOf(lane.sessionId).takeBack()).toBe(true);
    const lanes: (string | null)[] = [];
    for (let call = 0; call < 3; call += 1) {
      const { headers } = await lane.request('tools/call', { name: 'increment', arguments: {} });
      lanes.push(headers.get('server-timing'));
    }
    expect(lanes).toEqual(['lane;desc="compat", reason;desc="pinned"', null, null]);
    const drained = await admin('POST', '/drain', { session: lane.sessionId ?? '', dryRun: true });
    expect(drained.body['matched']).toBe(1);
    expect(await textOf(lane, 'increment')).toBe('5 in 5 rows');
  });

  it('takes sessions back that the compat lane has begun', async ({ expect }) => {
    const lane = await openOwn('legacy', HOSTED, ANN);
    expect(await textOf(lane, 'increment')).toBe('1 in 1 rows');
    expect((await admin('POST', '/take-back', { session: lane.sessionId ?? '' })).body['changed']).toBe(1);
    const next = await openOwn('legacy', HOSTED, ANN);
    expect(await textOf(next, 'increment')).toBe('1 in 1 rows');
    const back = await admin('POST', '/take-back', { all: true, limit: 200 });
    expect([back.status, back.body['failed'], back.body['left']]).toEqual([200, 0, 0]);
    expect(await agentOf(next.sessionId).standing({ subject: 'ann' })).toBe('live');
  });

  it('takes a session back of whose start the census was never told', async ({ expect }) => {
    const census = shardIn((env as unknown as { CENSUS_OBJECT: DurableObjectNamespace }).CENSUS_OBJECT, 0);
    const [id, invented] = ['an-id-of-the-class', `c_${'x'.repeat(27)}`];
    const at = Date.now();
    const touched = [id, invented].map((one) => ({ id: one, lane: 'compat', transport: 'streamable', at }) as const);
    await census.take({ isolate: id, seq: 1, counted: [], began: [], touched, ended: [], untracked: 0 });
    const known = (await census.sessions({})).filter((one) => one.id === id || one.id === invented);
    expect(known.map(({ id: one, drained }) => [one, drained])).toEqual([[id, true]]);
    expect((await census.read()).untracked).toBe(0);
    await census.end({ id, at });
  });

  it('brakes, and who speaks the newest protocol goes on', async ({ expect }) => {
    const lane = await openOwn('modern', HOSTED, { user: crypto.randomUUID() });
    expect(await textOf(lane, 'increment')).toBe('1 in 1 rows');
    expect((await admin('POST', '/brake', { on: true })).status).toBe(200);
    const braked = await lane.request('tools/call', { name: 'increment', arguments: {} });
    expect((await admin('POST', '/brake', { on: false })).status).toBe(200);
    expect(braked.answer?.result?.['structuredContent']).toEqual({ counter: 2 });
  });

  it('brakes: who begins afterwards is on the legacy lane, whatever the stages say', async ({ expect }) => {
    expect((await admin('POST', '/brake', { on: true })).status).toBe(200);
    const lane = await openOwn('legacy', { ...HOSTED, FRESH: crypto.randomUUID() }, ANN);
    const reply = await lane.request('tools/list');
    expect(reply.headers.get('server-timing')).toBeNull();
    expect((await admin('POST', '/brake', { on: false })).status).toBe(200);
  });

  it('without a token in the configuration finds nothing', async ({ expect }) => {
    const response = await worker.fetch(new Request(`${ORIGIN}/admin/status`), env, createExecutionContext());
    expect(response.status).toBe(404);
  });
});
