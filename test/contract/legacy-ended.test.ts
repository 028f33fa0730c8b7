/** A legacy session that has ended, while its agent takes itself down. */
import { exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { openLane } from '../support/wire.ts';

const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const SESSIONS = 40;
const FOR_MS = 4_000;
/** Of each session, however busy the machine is. */
const MIN_ASKED = 2;
/** An agent takes itself down so long after it was last told to. */
const AGENT_ENDS_MS = 1_000;

describe('a legacy session that has ended', () => {
  it('is unknown at every moment while its agent goes', { timeout: 60_000 }, async ({ expect }) => {
    const seen = new Map<number, number>();
    const left = async (_each: unknown, index: number): Promise<void> => {
      let gap = index;
      const lane = await openLane('legacy', { origin: 'http://localhost', send });
      await lane.request('tools/call', { name: 'count', arguments: { by: 1 } });
      await lane.close();
      const until = Date.now() + FOR_MS;
      for (let asked = 0; asked <= MIN_ASKED || Date.now() < until; asked += 1) {
        const response = await lane.post({ jsonrpc: '2.0', id: 9, method: 'tools/list' });
        await response.body?.cancel();
        seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
        // Requests at many moments around the end.
        gap = (gap * 7 + 3) % 61;
        await new Promise((resolve) => setTimeout(resolve, AGENT_ENDS_MS - 15 + gap / 2));
      }
    };
    await Promise.all(Array.from({ length: SESSIONS }).map(left));
    expect([...seen.keys()]).toEqual([404]);
    expect(seen.get(404)).toBeGreaterThan(SESSIONS * 2);
  });
});
