/** The census in real Durable Objects: what isolates hand over, added up, and read by an operator. */
import { abortAllDurableObjects, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { CensusObject } from '../../src/cutover/census/census-object.ts';
import { createCensus } from '../../src/cutover/census/collect.ts';
import { findJunk, forgetJunk, readCensus } from '../../src/cutover/census/read.ts';
import type { Counted } from '../../src/cutover/census/rows.ts';
import { shardIn } from '../../src/cutover/census/shards.ts';
import {
  HOUR_MS,
  START,
  later,
  ctx,
  SEEN,
  inSession,
  begin,
  callsOf,
  idsOf,
  take,
  counted,
} from './census-requests.ts';

const NOTHING = { isolate: 'i', seq: 1, counted: [], began: [], touched: [], ended: [], untracked: 0 } as const;

describe('census', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(START);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  it('adds up what isolates have seen', async ({ expect }) => {
    const [one, two] = [createCensus(), createCensus()];
    one.note(env, ctx, SEEN);
    await one.flush(env);
    two.note(env, ctx, { ...SEEN, uses: ['pushed_question'] });
    two.note(env, ctx, { ...SEEN, era: '2026', route: '/mcp', lane: 'modern', reason: 'era_2026', userAgent: '' });
    await two.flush(env);
    later(HOUR_MS);
    one.note(env, ctx, SEEN);
    await one.flush(env);
    const { clients, lastLegacyCallAt, totals } = await readCensus(env);
    expect(clients).toEqual([
      {
        name: 'one',
        version: '1',
        era: '2025',
        protocolVersions: ['2025-11-25'],
        userAgents: ['node'],
        lanes: [{ route: '/legacy/mcp', lane: 'legacy', calls: 3, lastSeenAt: START + HOUR_MS, reasons: { route: 3 } }],
        uses: [
          {
            use: 'pushed_question',
            route: '/legacy/mcp',
            lane: 'legacy',
            count: 1,
            lastSeenAt: START,
            blocks: true,
            why: 'Without a session there is no way to ask its user: the tool answers with an error.',
          },
        ],
        calls: 3,
        lastSeenAt: START + HOUR_MS,
        openSessions: 0,
        openLegacySessions: 0,
        verdict: { blockedBy: ['pushed_question'] },
      },
      expect.objectContaining({ name: 'one', era: '2026', calls: 1, userAgents: [], verdict: 'ready' }),
    ]);
    expect(lastLegacyCallAt).toBe(START + HOUR_MS);
    expect(totals).toMatchObject({ clients: 2, blocked: 1, calls: 4 });
  });

  it('hands over in the background, to an object of another isolate', async ({ expect }) => {
    const work: Promise<unknown>[] = [];
    const census = createCensus({ flushEveryMs: 1 });
    census.note(env, { waitUntil: (promise) => void work.push(promise) }, SEEN);
    await Promise.all(work);
    expect([work.length, await callsOf()]).toEqual([1, { one: 1 }]);
  });

  it('a batch that comes twice counts once', async ({ expect }) => {
    await take({ seq: 1, counted: [counted('one')] });
    await take({ seq: 2, counted: [counted('one')] });
    await take({ seq: 2, counted: [counted('one')] });
    await take({ seq: 1, counted: [counted('one')] });
    await take({ seq: 1, isolate: 'another', counted: [counted('one')] });
    expect(await callsOf()).toEqual({ one: 3 });
  });

  it('counts and sessions survive a restart of the object', async ({ expect }) => {
    const census = createCensus();
    begin(census, 'a');
    census.note(env, ctx, SEEN);
    await census.flush(env);
    await abortAllDurableObjects();
    census.note(env, ctx, SEEN);
    await census.flush(env);
    expect([await callsOf(), await idsOf({})]).toEqual([{ one: 2 }, ['a']]);
  });

  it('a session’s calls in another isolate are its client’s', async ({ expect }) => {
    const [one, two] = [createCensus(), createCensus()];
    begin(one, 'a');
    await one.flush(env);
    two.note(env, ctx, inSession('a'));
    two.note(env, ctx, inSession('never-began'));
    await two.flush(env);
    expect(await callsOf()).toEqual({ one: 1, unknown: 1 });
  });

  it('a shard tells whose sessions they are that it knows', async ({ expect }) => {
    const began = { id: 'a', lane: 'legacy', transport: 'streamable', at: START } as const;
    await take({ seq: 1, began: [{ ...began, client: { name: 'one', version: '1' } }] });
    const rows = ['a', 'a', 'b'].map((sessionId, calls) => ({ ...counted(''), client: undefined, sessionId, calls }));
    expect(await take({ seq: 2, counted: rows })).toEqual({ clients: [['a', { name: 'one', version: '1' }]] });
  });

  it('the name of a client cannot break anything', async ({ expect }) => {
    const census = createCensus();
    census.note(env, ctx, { ...SEEN, client: { name: "'); DROP TABLE calls; --\n\u0000", version: '\u001b[2J' } });
    census.note(env, ctx, { ...SEEN, client: { name: '__proto__', version: '' } });
    await census.flush(env);
    const { clients } = await readCensus(env);
    expect(clients.map(({ name, version }) => [name, version])).toEqual([
      ["'); DROP TABLE calls; --", '[2J'],
      ['__proto__', ''],
    ]);
  });

  const named = async () =>
    Object.fromEntries((await shardIn(env.CENSUS_OBJECT, 0).read()).calls.map((row) => [row.name, row]));
  const many = (from: number, to: number, part: Partial<Counted> = {}) =>
    Array.from({ length: to - from }, (_, index) => counted(`client ${from + index}`, part));

  it('a shard keeps 5,000 rows: what came once gives way, is added up, and whoever comes next has a row', async ({
    expect,
  }) => {
    await take({ seq: 1, counted: [counted('weekly', { calls: 40, worked: 39 }), counted('daily', { calls: 2 })] });
    later(1000);
    for (let batch = 0; batch < 25; batch += 1)
      await take({ seq: 2 + batch, counted: many(batch * 1000, batch * 1000 + 1000, { lastSeenAt: Date.now() }) });
    await take({ seq: 30, counted: [counted('new', { lastSeenAt: Date.now() })] });
    const rows = await named();
    expect(Object.keys(rows).length).toBeGreaterThan(4700);
    expect(Object.keys(rows).length).toBeLessThanOrEqual(5001);
    expect(rows).toMatchObject({
      weekly: { calls: 40 },
      daily: { calls: 2 },
      new: { calls: 1 },
      'client 24999': { calls: 1 },
    });
    expect(rows['client 0']).toBeUndefined();
    const calls = Object.values(rows).reduce((sum, row) => sum + row.calls, 0);
    expect([calls, rows['other']?.calls]).toEqual([25_043, 25_043 - (Object.keys(rows).length - 1) - 40]);
  });

  it('who worked in a session stays, however few its calls, and each of its calls speaks for all of them', async ({
    expect,
  }) => {
    const begins = { worked: 0, reason: 'flag' };
    await take({
      seq: 1,
      counted: [
        // What began somewhere else is in another shard: here is one call, served in a session.
        counted('legacy client'),
        counted('compat client', { lane: 'compat' }),
        counted('two calls', { ...begins, lane: 'modern' }),
        counted('two calls', { lane: 'modern', reason: 'era_2026' }),
      ],
    });
    later(1000);
    const lastSeenAt = Date.now();
    for (let batch = 0; batch < 12; batch += 1)
      await take({
        seq: 2 + batch,
        counted: [
          // Each of these is one request of somebody without a session.
          ...many(batch * 1000, batch * 1000 + 500, { lane: 'modern', lastSeenAt }),
          ...many(batch * 1000 + 500, batch * 1000 + 1000, { ...begins, lane: 'legacy', lastSeenAt }),
          ...Array.from({ length: 200 }, (_, index) =>
            counted('', {
              client: { name: 'unknown', version: '' },
              userAgent: `agent-${batch}-${index}`,
              lane: 'compat',
              lastSeenAt,
            }),
          ),
        ],
      });
    const rows = (await shardIn(env.CENSUS_OBJECT, 0).read()).calls;
    const kept = ['legacy client', 'compat client', 'two calls'].map(
      (name) => rows.filter((row) => row.name === name).length,
    );
    expect(kept).toEqual([1, 1, 2]);
    expect(rows.length).toBeLessThanOrEqual(5003);
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(4 + 12 * 1200);
  });

  it('whoever has no name keeps the reason where its user agent gives way', async ({ expect }) => {
    const agents = Array.from({ length: 6000 }, (_, index) =>
      counted('', {
        client: { name: 'unknown', version: '' },
        userAgent: `agent-${index}`,
        lane: 'none',
        reason: 'no_session',
        worked: 0,
      }),
    );
    await take({ seq: 1, counted: agents });
    const { clients } = await readCensus(env);
    expect(clients).toMatchObject([
      { name: 'unknown', lanes: [{ lane: 'none', calls: 6000, reasons: { no_session: 6000 } }], verdict: 'unproven' },
    ]);
  });

  it('what keeps clients on the legacy lane is not lost where their rows give way', async ({ expect }) => {
    await take({ seq: 1, counted: [counted('blocked', { uses: { pushed_question: 1 } })] });
    later(1000);
    const uses = { ping: 1 };
    for (let batch = 0; batch < 11; batch += 1)
      await take({
        seq: 2 + batch,
        counted: many(batch * 1000, batch * 1000 + 1000, { uses, lane: 'compat', lastSeenAt: Date.now() }),
      });
    const { clients } = await readCensus(env);
    const blocked = clients.filter(({ verdict }) => typeof verdict === 'object');
    expect(blocked).toMatchObject([{ name: 'blocked', verdict: { blockedBy: ['pushed_question'] } }]);
  });

  it('forgets clients as far as they had been seen, and not when the legacy lane was used', async ({ expect }) => {
    await take({
      seq: 1,
      counted: [counted('junk', { uses: { pushed_question: 1 } }), counted('real', { lane: 'compat' })],
    });
    const found = await findJunk(env, { client: 'ju*' });
    expect(found).toEqual({ clients: [{ name: 'junk', version: '1' }], calls: 1, at: START });
    later(1000);
    await take({ seq: 2, counted: [counted('junk', { lane: 'compat', lastSeenAt: Date.now() })] });
    await forgetJunk(env, found);
    const { clients, lastLegacyCallAt } = await readCensus(env);
    expect(clients.map(({ name, calls, verdict }) => [name, calls, verdict])).toEqual([
      ['junk', 1, 'ready'],
      ['real', 1, 'ready'],
    ]);
    expect(lastLegacyCallAt).toBe(START);
  });

  it('counts a client of several rows, shards and eras as one, when it looks for those with few calls', async ({
    expect,
  }) => {
    await take({ seq: 1, counted: [counted('twice'), counted('once')] });
    await shardIn(env.CENSUS_OBJECT, 2).take({
      ...NOTHING,
      counted: [counted('twice', { era: '2026', lane: 'modern' })],
    });
    expect(await findJunk(env, { atMostCalls: 1 })).toMatchObject({ clients: [{ name: 'once' }], calls: 1 });
  });

  it('reads what an earlier version has kept', async ({ expect }) => {
    const stub = env.CENSUS_OBJECT.getByName('census-0');
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec(`
        CREATE TABLE calls (name TEXT, version TEXT, era TEXT, protocol TEXT, user_agent TEXT, route TEXT, lane TEXT,
          reason TEXT, calls INTEGER, last_seen INTEGER,
          PRIMARY KEY (name, version, era, protocol, user_agent, route, lane, reason)) WITHOUT ROWID;
        CREATE TABLE uses (name TEXT, version TEXT, era TEXT, user_agent TEXT, route TEXT, used TEXT, count INTEGER,
          last_seen INTEGER, PRIMARY KEY (name, version, era, user_agent, route, used)) WITHOUT ROWID;
        INSERT INTO calls VALUES ('old', '1', '2025', '2025-11-25', 'node', '/legacy/mcp', 'legacy', 'route', 7, ${START});
        INSERT INTO calls VALUES ('old', '1', '2025', '2025-11-25', 'node', '/legacy/mcp', 'none', 'pinned', 2, ${START});
        INSERT INTO uses VALUES ('old', '1', '2025', 'node', '/legacy/mcp', 'pushed_question', 3, ${START});
      `);
    });
    const { worked: _worked, ...byAnEarlierIsolate } = counted('old');
    await take({ seq: 1, counted: [byAnEarlierIsolate] });
    const { clients } = await readCensus(env);
    expect(clients).toMatchObject([
      {
        name: 'old',
        lanes: [
          { lane: 'legacy', calls: 8 },
          { lane: 'none', calls: 2 },
        ],
        uses: [{ use: 'pushed_question', lane: 'legacy', count: 3, blocks: true }],
        verdict: { blockedBy: ['pushed_question'] },
      },
    ]);
    const left = await runInDurableObject(stub, (_object, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name IN ('calls', 'uses')").toArray(),
    );
    expect(left).toEqual([]);
  });

  it('a client that has not come for 90 days is forgotten', async ({ expect }) => {
    await take({ seq: 1, counted: [counted('one', { uses: { ping: 1 } })] });
    later(90 * 24 * HOUR_MS + 1);
    await take({ seq: 2, counted: [counted('two', { lastSeenAt: Date.now() })] });
    expect(await callsOf()).toEqual({ two: 1 });
    expect((await shardIn(env.CENSUS_OBJECT, 0).read()).uses).toEqual([]);
  });

  it('writes a data point for each row where a dataset is bound', async ({ expect }) => {
    const points: unknown[] = [];
    const CENSUS_EVENTS = { writeDataPoint: (point: unknown) => void points.push(point) };
    await runInDurableObject(env.CENSUS_OBJECT.getByName('census-0'), async (_object, state) => {
      const rows = [counted('one', { uses: { ping: 1, batch: 2 }, calls: 7 })];
      const batch = { isolate: 'i', seq: 1, counted: rows, began: [], touched: [], ended: [], untracked: 0 };
      const object = new CensusObject(state, { ...env, CENSUS_EVENTS });
      await object.take(batch);
      await object.take(batch);
    });
    expect(points).toEqual([
      {
        indexes: ['one'],
        blobs: ['one', '1', '2025', '2025-11-25', 'node', '/legacy/mcp', 'legacy', 'route', 'ping,batch'],
        doubles: [7],
      },
    ]);
  });
});
