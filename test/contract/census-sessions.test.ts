/** The sessions that the census knows: open, drained, ended, and too many. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { createCensus } from '../../src/cutover/census/collect.ts';
import { listSessions, readCensus, setDrained } from '../../src/cutover/census/read.ts';
import { shardIn, shardOf } from '../../src/cutover/census/shards.ts';
import { MINUTE_MS, HOUR_MS, START, later, ctx, SEEN, inSession, begin, idsOf, take } from './census-requests.ts';

const EMPTY = { isolate: 'a', seq: 1, counted: [], began: [], touched: [], ended: [], untracked: 0 } as const;

describe('sessions of the census', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(START);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  it('are open from their start to their end', async ({ expect }) => {
    const census = createCensus();
    begin(census, 'a');
    begin(census, 'b');
    census.sessionBegan(env, ctx, { id: 'c', client: undefined, lane: 'legacy', transport: 'sse' });
    census.sessionBegan(env, ctx, { id: `c_${'x'.repeat(27)}`, client: SEEN.client, lane: 'compat' });
    census.note(env, ctx, SEEN);
    await census.flush(env);
    expect((await readCensus(env)).openSessions).toEqual({ legacy: 2, sse: 1, drained: 0, compat: 1 });
    await census.sessionEnded(env, 'a');
    await census.flush(env);
    const { openSessions, clients } = await readCensus(env);
    expect(openSessions).toEqual({ legacy: 1, sse: 1, drained: 0, compat: 1 });
    expect(clients.map((client) => [client.openSessions, client.openLegacySessions])).toEqual([[2, 1]]);
    expect(await idsOf({})).toEqual(['b']);
  });

  it('that ended do not come back when their start or a use is told late', async ({ expect }) => {
    const told = { id: 'a', lane: 'legacy', transport: 'streamable', at: START } as const;
    await createCensus().sessionEnded(env, 'a');
    await shardIn(env.CENSUS_OBJECT, shardOf('a')).take({
      ...EMPTY,
      began: [{ ...told, client: SEEN.client }],
      touched: [told],
    });
    expect(await idsOf({})).toEqual([]);
    expect((await readCensus(env)).openSessions.legacy).toBe(0);
  });

  it('that ended are removed, whoever tells it twice', async ({ expect }) => {
    const census = createCensus();
    const kept = async (id: string): Promise<number> =>
      runInDurableObject(
        env.CENSUS_OBJECT.getByName(`census-${shardOf(id)}`),
        (_object, { storage }) => storage.sql.exec('SELECT * FROM sessions WHERE id = ?', id).toArray().length,
      );
    begin(census, 'a');
    await census.flush(env);
    await census.sessionEnded(env, 'a');
    later(13 * 24 * HOUR_MS);
    await census.sessionEnded(env, 'a');
    expect(await kept('a')).toBe(1);
    later(24 * HOUR_MS + 1);
    await shardIn(env.CENSUS_OBJECT, shardOf('a')).take(EMPTY);
    expect(await kept('a')).toBe(0);
    await census.sessionEnded(env, `c_${'z'.repeat(27)}`);
    await census.flush(env);
    expect(await kept(`c_${'z'.repeat(27)}`)).toBe(0);
  });

  it('are listed by client, version and age, the oldest first', async ({ expect }) => {
    const census = createCensus();
    begin(census, 'd', { name: 'one', version: '1' });
    later(MINUTE_MS);
    begin(census, 'c', { name: 'one', version: '2' });
    later(MINUTE_MS);
    begin(census, 'a', { name: 'two', version: '1' });
    later(MINUTE_MS);
    census.note(env, ctx, inSession('b'));
    await census.flush(env);
    expect(await idsOf({})).toEqual(['d', 'c', 'a', 'b']);
    expect(await idsOf({ client: 'one' })).toEqual(['d', 'c']);
    expect(await idsOf({ client: 'one', version: '2' })).toEqual(['c']);
    expect(await idsOf({ client: 'unknown' })).toEqual(['b']);
    expect(await idsOf({ olderThanMs: 2 * MINUTE_MS })).toEqual(['d', 'c']);
    expect(await idsOf({ client: 'three' })).toEqual([]);
    expect(await listSessions(env, { client: 'two' })).toEqual([
      { id: 'a', client: { name: 'two', version: '1' }, beganAt: START + 2 * MINUTE_MS, drained: false },
    ]);
  });

  it('are drained from when an operator says so until the legacy lane serves them again', async ({ expect }) => {
    const census = createCensus();
    begin(census, 'a');
    begin(census, 'b');
    await census.flush(env);
    later(1000);
    await setDrained(env, ['a', 'never-began'], true);
    const drained = async () => (await listSessions(env, {})).map((session) => [session.id, session.drained]);
    expect(await drained()).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect((await readCensus(env)).openSessions).toEqual({ legacy: 1, sse: 0, drained: 1, compat: 0 });
    later(1000);
    census.note(env, ctx, { ...inSession('b'), lane: 'compat', reason: 'drained' });
    await census.flush(env);
    expect(await drained()).toEqual([
      ['a', true],
      ['b', true],
    ]);
    later(1000);
    census.note(env, ctx, inSession('b'));
    await setDrained(env, ['a'], false);
    await census.flush(env);
    expect(await drained()).toEqual([
      ['a', false],
      ['b', false],
    ]);
  });

  it('one of an agent that the compat lane has begun is drained, and can be taken back', async ({ expect }) => {
    const census = createCensus();
    census.sessionBegan(env, ctx, { id: 'a', client: SEEN.client, lane: 'compat' });
    await census.flush(env);
    const open = async () => (await listSessions(env, {})).map((session) => [session.id, session.drained]);
    expect(await open()).toEqual([['a', true]]);
    expect((await readCensus(env)).openSessions).toEqual({ legacy: 0, sse: 0, drained: 1, compat: 0 });
    later(1000);
    await setDrained(env, ['a'], false);
    expect(await open()).toEqual([['a', false]]);
    expect((await readCensus(env)).openSessions).toEqual({ legacy: 1, sse: 0, drained: 0, compat: 0 });
  });

  it('a call that was told late does not undo a drain', async ({ expect }) => {
    const census = createCensus();
    begin(census, 'a');
    await census.flush(env);
    later(HOUR_MS);
    census.note(env, ctx, inSession('a'));
    later(1000);
    await setDrained(env, ['a'], true);
    await census.flush(env);
    expect((await listSessions(env, {})).map((session) => session.drained)).toEqual([true]);
  });

  it('that nobody uses end by themselves, and those in use do not', async ({ expect }) => {
    const census = createCensus();
    begin(census, 'a');
    begin(census, 'b');
    await census.flush(env);
    for (let hours = 0; hours < 36; hours += 1) {
      later(HOUR_MS);
      census.note(env, ctx, inSession('a'));
      await census.flush(env);
    }
    expect(await idsOf({})).toEqual(['a', 'b']);
    later(2 * MINUTE_MS);
    expect(await idsOf({})).toEqual(['a']);
    expect((await readCensus(env)).openSessions).toEqual({ legacy: 1, sse: 0, drained: 0, compat: 0 });
  });

  it('a use is written once in ten minutes', async ({ expect }) => {
    const census = createCensus();
    const id = Array.from({ length: 50 }, (_, index) => `s${index}`).find((id) => shardOf(id) === 0) ?? '';
    begin(census, id);
    const lastSeen = async (): Promise<unknown> => {
      census.note(env, ctx, inSession(id));
      await census.flush(env);
      return runInDurableObject(
        env.CENSUS_OBJECT.getByName('census-0'),
        (_object, { storage }) => storage.sql.exec('SELECT last_seen FROM sessions').one()['last_seen'],
      );
    };
    later(9 * MINUTE_MS);
    expect(await lastSeen()).toBe(START);
    later(MINUTE_MS);
    expect(await lastSeen()).toBe(START + 10 * MINUTE_MS);
  });

  it('invented compat sessions and stale ones are not open', async ({ expect }) => {
    const census = createCensus();
    census.note(env, ctx, { ...inSession(`c_${'y'.repeat(27)}`), route: '/mcp', lane: 'compat', reason: 'pinned' });
    census.note(env, ctx, { ...inSession('stale'), lane: 'compat', reason: 'stale_session' });
    await census.flush(env);
    expect((await readCensus(env)).openSessions).toEqual({ legacy: 0, sse: 0, drained: 0, compat: 0 });
  });

  const legacySessions = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({
      id: `session-${from + index}`,
      client: SEEN.client,
      lane: 'legacy' as const,
      transport: 'streamable' as const,
      at: Date.now(),
    }));

  it('beyond 20,000 of a shard those that were never used are counted only, until they must have ended', async ({
    expect,
  }) => {
    await take({ seq: 1, began: legacySessions(0, 2) });
    later(10 * MINUTE_MS);
    const used = { id: 'session-0', lane: 'legacy', transport: 'streamable', at: Date.now() } as const;
    await take({ seq: 2, touched: [used] });
    await take({ seq: 3, began: legacySessions(2, 20_003), untracked: 4 });
    const { openSessions, untrackedSessions } = await readCensus(env);
    expect([openSessions.legacy, untrackedSessions]).toEqual([19_503, 504]);
    const ids = new Set(await idsOf({}));
    expect([ids.has('session-0'), ids.has('session-1'), ids.has('session-20002')]).toEqual([true, false, true]);
    // A session that gave way has its place again when it is used.
    await take({ seq: 4, touched: [{ ...used, id: 'session-1', client: SEEN.client }] });
    expect((await listSessions(env, { client: 'one' })).filter(({ id }) => id === 'session-1')).toHaveLength(1);
    later(37 * HOUR_MS);
    await take({ seq: 5, began: legacySessions(30_000, 30_001) });
    const then = await readCensus(env);
    expect([then.openSessions.legacy, then.untrackedSessions]).toEqual([1, 0]);
  });

  it('of the compat lane, however many are begun, take no room of legacy ones and are never missed', async ({
    expect,
  }) => {
    const invented = (from: number) =>
      Array.from({ length: 20_000 }, (_, index) => ({
        id: `c_${String(from + index).padStart(27, 'x')}`,
        client: { name: `invented ${from + index}`, version: '' },
        lane: 'compat' as const,
        transport: 'streamable' as const,
        at: Date.now(),
      }));
    await take({ seq: 1, began: invented(0) });
    await take({ seq: 2, began: legacySessions(0, 20_000) });
    await take({ seq: 3, began: invented(20_000) });
    const { openSessions, untrackedSessions } = await readCensus(env);
    expect([openSessions.legacy, openSessions.compat <= 5000, untrackedSessions]).toEqual([20_000, true, 0]);
  });

  it('of the old transport are open no longer than their stream may be', async ({ expect }) => {
    const census = createCensus();
    census.sessionBegan(env, ctx, { id: 'a', client: SEEN.client, lane: 'legacy', transport: 'sse' });
    await census.flush(env);
    later(61 * MINUTE_MS - 1);
    expect((await readCensus(env)).openSessions.sse).toBe(1);
    later(1);
    expect((await readCensus(env)).openSessions.sse).toBe(0);
  });

  it('a client that goes on with a session that has ended is seen, and is not ready', async ({ expect }) => {
    const [one, two] = [createCensus(), createCensus()];
    const refused = (sessionId: string) =>
      ({ ...inSession(sessionId), lane: 'none', reason: 'unknown_session' }) as const;
    begin(one, 'a');
    one.note(env, ctx, inSession('a'));
    await one.flush(env);
    await one.sessionEnded(env, 'a');
    const verdict = async () => (await readCensus(env)).clients.find(({ name }) => name === 'one')?.verdict;
    for (let call = 0; call < 4; call += 1) two.note(env, ctx, refused('a'));
    await two.flush(env);
    // As a client may whose calls were under way when the session ended.
    expect(await verdict()).toBe('ready');
    two.note(env, ctx, refused('a'));
    await two.flush(env);
    expect(await verdict()).toEqual({ blockedBy: ['lost_session'] });
    for (let call = 0; call < 50; call += 1) two.note(env, ctx, refused('invented'));
    await two.flush(env);
    const { clients } = await readCensus(env);
    expect(clients.map(({ name, verdict: is }) => [name, is])).toEqual([
      ['one', { blockedBy: ['lost_session'] }],
      ['unknown', 'unproven'],
    ]);
    expect(clients.map(({ lanes }) => lanes.at(-1)?.reasons)).toEqual([
      { unknown_session: 5 },
      { unknown_session: 50 },
    ]);
  });
});
