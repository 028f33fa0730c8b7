/** Names of legacy sessions that nobody gave out. */
import { listDurableObjectIds } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { openFixture, ORIGIN, send } from './fixture-lanes.ts';

describe('names that legacy did not give out', () => {
  it('wake no agent, whatever is asked with them', async ({ expect }) => {
    const known = await openFixture('legacy');
    const before = (await listDurableObjectIds(env.LEGACY_AGENT)).length;
    expect(before).toBeGreaterThan(0);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const names = [
      'f'.repeat(64),
      known.sessionId!.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      known.sessionId!.toUpperCase(),
      'x',
    ];
    for (const name of names) {
      const own = { ...headers, 'mcp-session-id': name };
      const statuses = await Promise.all(
        [
          new Request(`${ORIGIN}/legacy/mcp`, { method: 'POST', headers: own, body }),
          new Request(`${ORIGIN}/legacy/mcp`, { headers: own }),
          new Request(`${ORIGIN}/legacy/mcp`, { method: 'DELETE', headers: own }),
          new Request(`${ORIGIN}/legacy/sse?sessionId=${name}`, { headers }),
          new Request(`${ORIGIN}/legacy/sse/message?sessionId=${name}`, { method: 'POST', headers, body }),
        ].map(async (request) => (await send(request)).status),
      );
      expect(statuses).toEqual([404, 404, 404, 404, 404]);
    }
    expect((await listDurableObjectIds(env.LEGACY_AGENT)).length).toBe(before);
    await known.close();
  });
});
