/** Data points for Workers Analytics Engine, within what the platform takes. */
import { describe, it } from 'vitest';
import { pointsOf } from '../../../src/cutover/census/events.ts';
import type { Named } from '../../../src/cutover/census/tables.ts';

const ROW: Named = {
  client: { name: 'one', version: '1' },
  sessionId: 'never in a point',
  era: '2025',
  protocolVersion: '2025-11-25',
  userAgent: 'node',
  route: '/mcp',
  lane: 'compat',
  reason: 'pinned',
  calls: 3,
  firstSeenAt: 1,
  lastSeenAt: 2,
  uses: { ping: 1 },
};

describe('data points of the census', () => {
  it('are one a row, and tell of no session', ({ expect }) => {
    expect(pointsOf([ROW])).toEqual([
      {
        indexes: ['one'],
        blobs: ['one', '1', '2025', '2025-11-25', 'node', '/mcp', 'compat', 'pinned', 'ping'],
        doubles: [3],
      },
    ]);
  });

  it('are 200 at most: the rest is one point', ({ expect }) => {
    expect(pointsOf(Array.from({ length: 200 }, () => ROW))).toHaveLength(200);
    const points = pointsOf(Array.from({ length: 1000 }, () => ROW));
    expect(points).toHaveLength(200);
    expect(points.at(-1)).toEqual({
      indexes: ['other'],
      blobs: ['other', '', '', '', 'other', '', '', 'other', ''],
      doubles: [2403],
    });
  });

  it('have an index of 96 bytes at most', ({ expect }) => {
    const [point] = pointsOf([{ ...ROW, client: { name: '漢'.repeat(64), version: '' } }]);
    expect(point?.indexes).toEqual(['漢'.repeat(32)]);
  });
});
