/** What keeps a client on the legacy half, as the whole table. */
import { describe, it } from 'vitest';
import { USES, type SeenEra, type SeenRoute, type Use } from '../../../src/cutover/census/seen.ts';
import { rulingOn, verdictOf as verdict, type UseSeen } from '../../../src/cutover/census/verdict.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = 100 * DAY_MS;

const blocking = (era: SeenEra, route: SeenRoute): Use[] => USES.filter((use) => rulingOn(use, era, route).blocks);
const verdictOf = (era: SeenEra, uses: readonly UseSeen[], now: number) =>
  verdict({ era, uses, worked: true, strayedAt: undefined }, now);
const seen = (use: Use, daysAgo = 0, route: SeenRoute = '/legacy/mcp') => ({
  use,
  route,
  lane: 'legacy' as const,
  lastSeenAt: NOW - daysAgo * DAY_MS,
});

describe('verdict of a client', () => {
  it('a 2025 client is kept by what it would lose on the compat lane', ({ expect }) => {
    expect(blocking('2025', '/legacy/mcp')).toEqual(['last_event_id', 'pushed_question', 'lost_session']);
    expect(blocking('2025', '/mcp')).toEqual(['last_event_id', 'pushed_question', 'lost_session']);
  });

  it('a client of the HTTP+SSE transport is kept by its transport', ({ expect }) => {
    expect(blocking('2025', '/legacy/sse')).toEqual(['get_stream', 'last_event_id', 'pushed_question', 'lost_session']);
  });

  it('a 2026 client is kept by what its protocol does not have', ({ expect }) => {
    expect(blocking('2026', '/mcp')).toEqual(['last_event_id', 'ping', 'batch']);
  });

  it('every ruling says why', ({ expect }) => {
    const eras = ['2025', '2026'] as const;
    const whys = USES.flatMap((use) => eras.map((era) => rulingOn(use, era, '/mcp').why));
    expect(whys).toHaveLength(20);
    expect(whys.filter((why) => !/^\S.{10,}\.$/.test(why))).toEqual([]);
  });

  it('a client that was seen doing nothing special is ready', ({ expect }) => {
    expect(verdictOf('2025', [], NOW)).toBe('ready');
    expect(verdictOf('2025', [seen('ping'), seen('get_stream')], NOW)).toBe('ready');
  });

  it.for<[SeenEra, Use, SeenRoute, 'compat' | 'modern' | 'none']>([
    ['2025', 'last_event_id', '/mcp', 'compat'],
    ['2025', 'pushed_question', '/legacy/mcp', 'compat'],
    ['2026', 'ping', '/mcp', 'modern'],
    ['2026', 'batch', '/mcp', 'none'],
  ])('a %s client has moved that uses %s on %s, served by %s', ([era, use, route, lane], { expect }) => {
    expect(verdictOf(era, [{ ...seen(use, 0, route), lane }], NOW)).toBe('ready');
  });

  it('a client that goes on with a session that has ended is not ready', ({ expect }) => {
    const lost = { ...seen('lost_session'), lane: 'none' as const };
    expect(verdictOf('2025', [lost], NOW)).toEqual({ blockedBy: ['lost_session'] });
  });

  it('nothing is known of a client that never worked, and whatever it did blocks nobody', ({ expect }) => {
    const uses = [seen('last_event_id')];
    expect(verdict({ era: '2025', uses, worked: false, strayedAt: undefined }, NOW)).toBe('unproven');
    expect(verdict({ era: '2025', uses: [], worked: true, strayedAt: NOW - 1 }, NOW)).toBe('unproven');
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
