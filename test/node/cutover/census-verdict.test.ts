/** What keeps a client on the legacy half, as the whole table. */
import { describe, it } from 'vitest';
import { USES, type SeenEra, type SeenRoute, type Use } from '../../../src/cutover/census/seen.ts';
import { rulingOn, verdictOf } from '../../../src/cutover/census/verdict.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = 100 * DAY_MS;

const blocking = (era: SeenEra, route: SeenRoute): Use[] => USES.filter((use) => rulingOn(use, era, route).blocks);
const seen = (use: Use, daysAgo = 0, route: SeenRoute = '/legacy/mcp') => ({
  use,
  route,
  lastSeenAt: NOW - daysAgo * DAY_MS,
});

describe('verdict of a client', () => {
  it('a 2025 client is kept by what it would lose on the compat lane', ({ expect }) => {
    expect(blocking('2025', '/legacy/mcp')).toEqual(['last_event_id', 'pushed_question']);
    expect(blocking('2025', '/mcp')).toEqual(['last_event_id', 'pushed_question']);
  });

  it('a client of the HTTP+SSE transport is kept by its transport', ({ expect }) => {
    expect(blocking('2025', '/legacy/sse')).toEqual(['get_stream', 'last_event_id', 'pushed_question']);
  });

  it('a 2026 client is kept by what its protocol does not have', ({ expect }) => {
    expect(blocking('2026', '/mcp')).toEqual(['last_event_id', 'ping', 'batch']);
  });

  it('every ruling says why', ({ expect }) => {
    const eras = ['2025', '2026'] as const;
    const whys = USES.flatMap((use) => eras.map((era) => rulingOn(use, era, '/mcp').why));
    expect(whys).toHaveLength(18);
    expect(whys.filter((why) => !/^\S.{10,}\.$/.test(why))).toEqual([]);
  });

  it('a client that was seen doing nothing special is ready', ({ expect }) => {
    expect(verdictOf('2025', [], NOW)).toBe('ready');
    expect(verdictOf('2025', [seen('ping'), seen('get_stream')], NOW)).toBe('ready');
  });

  it('names each use that blocks once, in a fixed order', ({ expect }) => {
    const uses = [seen('pushed_question'), seen('batch'), seen('last_event_id'), seen('last_event_id', 1, '/mcp')];
    expect(verdictOf('2025', uses, NOW)).toEqual({ blockedBy: ['last_event_id', 'pushed_question'] });
  });

  it('a use is forgotten after 14 days', ({ expect }) => {
    expect(verdictOf('2025', [seen('pushed_question', 13.99)], NOW)).toEqual({ blockedBy: ['pushed_question'] });
    expect(verdictOf('2025', [seen('pushed_question', 14)], NOW)).toBe('ready');
  });
});
