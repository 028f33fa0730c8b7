/** Draining over the operator's API, with real sessions: the client notices nothing, and its count goes on. */
import { env, exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { createAdmin } from '../../src/cutover/admin/admin.ts';
import { operatorOf } from '../../src/cutover/operator.ts';
import { consoleReporter as report } from '../../src/state/log.ts';
import { openLane, type Lane } from '../support/wire.ts';

const TOKEN = 'a-token-of-at-least-thirty-two-characters';
const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const open = (): Promise<Lane> => openLane('legacy', { origin: 'http://localhost', send });
const laneOf = async (lane: Lane) => {
  const { headers, answer } = await lane.request('tools/call', { name: 'count', arguments: { by: 1 } });
  const counted = answer?.result?.['structuredContent'] as { value: number } | undefined;
  return { by: /lane;desc="(\w+)"/.exec(headers.get('server-timing') ?? '')?.[1], value: counted?.value };
};

/** With a census of the sessions that the test opened. */
function adminOf(lanes: readonly Lane[]) {
  const drained = new Set<string>();
  const admin = createAdmin<Env & { ADMIN_TOKEN: string }>({
    catalogue: { info: { name: 'fixture', title: 'Fixture', version: '1' } },
    paths: { legacy: '/legacy/mcp', sse: '/legacy/sse', mcp: '/mcp', admin: '/admin' },
    names: { operator: 'OPERATOR_OBJECT', legacy: 'LEGACY_AGENT', census: 'CENSUS_OBJECT', flags: 'FLAGS' },
    report,
    stages: () => ({ stageOf: async (route) => ({ stage: route === 'mcp' ? 'stateless' : 'legacy', reason: 'flag' }) }),
    census: {
      read: async () => ({
        clients: [{ name: 'wire', version: '1.0.0', verdict: 'ready' }],
        openSessions: { legacy: lanes.length, sse: 0, drained: 0, compat: 0 },
        untrackedSessions: 0,
        lastLegacyCallAt: null,
      }),
      sessions: async () => lanes.map(({ sessionId = '' }) => ({ id: sessionId, drained: drained.has(sessionId) })),
      setDrained: async (_env, ids, on) => {
        for (const id of ids)
          if (on) drained.add(id);
          else drained.delete(id);
      },
      findJunk: async () => ({ clients: [], calls: 0, at: 0 }),
      forgetJunk: async () => {},
      ended: async () => {},
    },
  });
  return async (path: string, body: object) => {
    const request = new Request(`http://localhost/admin${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ who: 'jane', why: 'a test', ...body }),
    });
    const response = await admin.fetch(request, { ...env, ADMIN_TOKEN: TOKEN }, { waitUntil: () => {} });
    return { status: response.status, body: await response.json<Record<string, unknown>>() };
  };
}

describe('draining legacy sessions', () => {
  it('moves them and takes them back, with their counts', async ({ expect }) => {
    const lanes = [await open(), await open()];
    const call = adminOf(lanes);
    for (const lane of lanes) expect(await laneOf(lane)).toEqual({ by: 'legacy', value: 1 });

    expect((await call('/drain', { client: 'wire', limit: 1 })).body).toMatchObject({ changed: 1, left: 1 });
    expect((await call('/drain', { client: 'wire' })).body).toMatchObject({ changed: 1, left: 0 });
    for (const lane of lanes) expect(await laneOf(lane)).toEqual({ by: 'compat', value: 2 });

    expect((await call('/take-back', { all: true })).body).toMatchObject({ changed: 2, left: 0 });
    for (const lane of lanes) expect(await laneOf(lane)).toEqual({ by: 'legacy', value: 3 });

    const log = await operatorOf(env)?.auditLog(6);
    expect(log?.map(({ said, action, why }) => [said, action, why])).toEqual([
      ['jane', 'take_back', 'a test'],
      ['jane', 'take_back_begins', 'a test'],
      ['jane', 'drain', 'a test'],
      ['jane', 'drain_begins', 'a test'],
      ['jane', 'drain', 'a test'],
      ['jane', 'drain_begins', 'a test'],
    ]);
    expect(JSON.stringify(log)).not.toContain(lanes[0]?.sessionId);
  });

  it('takes one by its id, and knows no session that has ended', async ({ expect }) => {
    const lane = await open();
    const call = adminOf([lane]);
    expect((await call('/drain', { session: lane.sessionId })).body).toMatchObject({ matched: 1, changed: 1 });
    expect((await laneOf(lane)).by).toBe('compat');
    expect((await call('/sessions/end', { session: lane.sessionId })).body).toMatchObject({ changed: 1 });
    expect(await call('/drain', { session: lane.sessionId })).toMatchObject({
      status: 404,
      body: { error: { code: 'unknown_session' } },
    });
    expect(await call('/drain', { session: 'f'.repeat(64) })).toMatchObject({ status: 404 });
  });
});
