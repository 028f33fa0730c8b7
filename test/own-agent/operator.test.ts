/** An operator's view and hand on a class of one's own: census, drain, take-back, brake. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { at, HOSTED, openOwn, ORIGIN, textOf, type Vars } from './clients.ts';
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
