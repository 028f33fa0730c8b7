/** Whose sessions an isolate remembers, and how many. */
import { describe, it } from 'vitest';
import { SessionCache } from '../../../src/cutover/census/session-cache.ts';

const ONE = { name: 'one', version: '1' };

describe('sessions that an isolate remembers', () => {
  it('are the 5,000 that were used last', ({ expect }) => {
    const sessions = new SessionCache();
    for (let index = 0; index < 5000; index += 1) sessions.name(`session-${index}`, ONE);
    sessions.isNews('session-0', 'legacy', 1, 10);
    sessions.name('session-5000', ONE);
    expect(['session-0', 'session-1', 'session-2', 'session-5000'].map((id) => sessions.clientOf(id))).toEqual([
      ONE,
      undefined,
      ONE,
      ONE,
    ]);
  });

  it('in use stay, however many are begun or invented', ({ expect }) => {
    const sessions = new SessionCache();
    for (const id of ['a', 'b']) {
      sessions.began(id, ONE, 'legacy', 1);
      sessions.isNews(id, 'legacy', 2, 10);
    }
    for (let index = 0; index < 20_000; index += 1) {
      sessions.isNews(`invented-${index}`, 'compat', 3, 10);
      sessions.began(`begun-${index}`, ONE, 'compat', 3);
    }
    expect([sessions.clientOf('a'), sessions.clientOf('b')]).toEqual([ONE, ONE]);
  });

  it('are news once in a time, and with each new lane', ({ expect }) => {
    const sessions = new SessionCache();
    const news = (lane: 'legacy' | 'compat', at: number): boolean => sessions.isNews('a', lane, at, 10);
    expect([
      news('legacy', 100),
      news('legacy', 109),
      news('legacy', 110),
      news('compat', 111),
      news('compat', 112),
    ]).toEqual([true, false, true, true, false]);
  });

  it('are forgotten when they end', ({ expect }) => {
    const sessions = new SessionCache();
    sessions.name('a', ONE);
    sessions.forget('a');
    expect(sessions.clientOf('a')).toBeUndefined();
  });
});
