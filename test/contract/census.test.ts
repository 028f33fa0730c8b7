/** The census in real Durable Objects: what isolates hand over, added up, and read by an operator. */
import { abortAllDurableObjects, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { CensusObject } from '../../src/cutover/census/census-object.ts';
import { createCensus } from '../../src/cutover/census/collect.ts';
import { readCensus } from '../../src/cutover/census/read.ts';
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
            count: 1,
            lastSeenAt: START,
            blocks: true,
            why: 'Without a session there is no way to ask its user: the tool answers with an error.',
          },
        ],
        calls: 3,
        lastSeenAt: START + HOUR_MS,
        openSessions: 0,
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

  it('clients beyond 5,000 rows of a shard are counted under "other"', async ({ expect }) => {
    const many = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) =>
        counted(`client ${from + index}`, { uses: { last_event_id: 1 }, lastSeenAt: START + 1 }),
      );
    await take({ seq: 1, counted: many(0, 4990) });
    await take({ seq: 2, counted: many(4980, 5100) });
    const { clients, totals } = await readCensus(env);
    expect(clients).toHaveLength(5001);
    expect(totals.calls).toBe(5110);
    expect(clients.find(({ name }) => name === 'other')).toMatchObject({
      calls: 100,
      userAgents: ['other'],
      uses: [{ use: 'last_event_id', count: 100 }],
    });
    expect(clients.filter(({ name }) => name === 'client 4985')).toMatchObject([{ calls: 2 }]);
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
