/** An isolate's side of the census, against shards that only note what they are handed. */
import { afterEach, describe, it, vi } from 'vitest';
import { createCensus } from '../../../src/cutover/census/collect.ts';
import type { Batch, Ended, Taken } from '../../../src/cutover/census/rows.ts';
import type { Seen } from '../../../src/cutover/census/seen.ts';
import { shardOf, type CensusEnv } from '../../../src/cutover/census/shards.ts';

interface Handed extends Batch {
  readonly shard: string;
}

/** Shards that answer with `answer`, and the background of requests, whose work can be awaited. */
function open(
  answer: (batch: Handed) => Taken | Promise<Taken> = () => ({ clients: [] }),
  end: () => void = () => undefined,
) {
  const handed: Handed[] = [];
  const ended: (readonly [shard: string, id: string])[] = [];
  const errors: unknown[] = [];
  const work: Promise<unknown>[] = [];
  const getByName = (shard: string) => ({
    take: async (batch: Batch): Promise<Taken> => {
      handed.push({ shard, ...batch });
      return answer({ shard, ...batch });
    },
    end: async ({ id }: Ended): Promise<void> => {
      ended.push([shard, id]);
      end();
    },
  });
  const env = { CENSUS_OBJECT: { getByName } } as unknown as CensusEnv;
  const ctx = { waitUntil: (promise: Promise<unknown>) => void work.push(promise) };
  const census = createCensus({ flushEveryMs: 5, onError: (cause) => errors.push(cause) });
  const settled = async (): Promise<void> => {
    while (work.length > 0) await work.shift();
  };
  return { census, env, ctx, handed, ended, errors, work, settled };
}

const SEEN: Seen = {
  client: { name: 'one', version: '1' },
  era: '2025',
  protocolVersion: '2025-11-25',
  userAgent: 'node',
  route: '/legacy/mcp',
  lane: 'legacy',
  reason: 'route',
  uses: [],
};
const ID = Array.from({ length: 50 }, (_, index) => `session-${index}`).find((id) => shardOf(id) === 1) ?? '';
const inSession: Seen = { ...SEEN, client: undefined, sessionId: ID };
const rowsOf = (handed: readonly Handed[]) =>
  handed.flatMap(({ counted }) => counted.map(({ client, calls }) => [client?.name, calls]));

describe('census of an isolate', () => {
  afterEach(() => void vi.useRealTimers());

  it('hands over everything in the background of one request', async ({ expect }) => {
    const { census, env, ctx, handed, work, settled } = open();
    for (let call = 0; call < 1000; call += 1) census.note(env, ctx, SEEN);
    expect(work).toHaveLength(1);
    expect(handed).toEqual([]);
    await settled();
    expect(rowsOf(handed)).toEqual([['one', 1000]]);
    census.note(env, ctx, SEEN);
    await settled();
    expect(rowsOf(handed)).toEqual([
      ['one', 1000],
      ['one', 1],
    ]);
    expect(new Set(handed.map(({ isolate }) => isolate)).size).toBe(1);
    expect(handed.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('writes no more often than it may', async ({ expect }) => {
    const { census, env, ctx, handed, settled } = open();
    for (let shard = 0; shard < 4; shard += 1) {
      const id = Array.from({ length: 50 }, (_, index) => `s${index}`).find((id) => shardOf(id) === shard) ?? '';
      census.sessionBegan(env, ctx, { id, client: SEEN.client, lane: 'legacy' });
    }
    const began = performance.now();
    await settled();
    const tookMs = performance.now() - began;
    expect(handed.map(({ shard }) => shard).sort()).toEqual(['census-0', 'census-1', 'census-2', 'census-3']);
    // Three pauses of 5 ms, less what a timer may be early.
    expect(tookMs).toBeGreaterThan(12);
  });

  it('knows the client of a session that began here', async ({ expect }) => {
    const { census, env, ctx, handed, settled } = open();
    census.sessionBegan(env, ctx, { id: ID, client: { name: 'on\u0007e', version: '1' }, lane: 'legacy' });
    census.note(env, ctx, inSession);
    await settled();
    expect(rowsOf(handed)).toEqual([['one', 1]]);
    expect(handed.flatMap(({ began }) => began)).toMatchObject([
      { id: ID, client: { name: 'one', version: '1' }, lane: 'legacy', transport: 'streamable' },
    ]);
    expect(handed.flatMap(({ touched }) => touched)).toEqual([]);
  });

  it('learns from the shard whose session it is', async ({ expect }) => {
    const { census, env, ctx, handed, settled } = open(({ counted }) => ({
      clients: counted.some(({ client }) => client === undefined) ? [[ID, { name: 'two', version: '2' }]] : [],
    }));
    census.note(env, ctx, inSession);
    await settled();
    census.note(env, ctx, inSession);
    await settled();
    expect(rowsOf(handed)).toEqual([
      [undefined, 1],
      ['two', 1],
    ]);
    expect(handed.filter(({ counted }) => counted.length > 0).map(({ shard }) => shard)[0]).toBe('census-1');
  });

  it('holds the calls of a session without a name until its start must have been told', async ({ expect }) => {
    const began = performance.now();
    const waitedMs: number[] = [];
    const { census, env, ctx, settled } = open(({ counted }) => {
      if (counted.some(({ client }) => client === undefined)) waitedMs.push(performance.now() - began);
      return { clients: [] };
    });
    census.note(env, ctx, inSession);
    await settled();
    expect(waitedMs).toHaveLength(1);
    // Five rounds of 5 ms: one for each shard, and one more. The clock of the calls has whole milliseconds.
    expect(waitedMs[0]).toBeGreaterThan(23);
  });

  it('a request without client and session is of an unknown client', async ({ expect }) => {
    const { census, env, ctx, handed, settled } = open();
    census.note(env, ctx, { ...SEEN, client: undefined });
    await settled();
    expect(rowsOf(handed)).toEqual([['unknown', 1]]);
  });

  it('tells once that a session is in use, and again when another lane serves it', async ({ expect }) => {
    const { census, env, ctx, handed, settled } = open();
    const lanes = [
      ['legacy', 'route'],
      ['legacy', 'route'],
      ['compat', 'drained'],
      ['compat', 'drained'],
      ['legacy', 'route'],
    ] as const;
    for (const [lane, reason] of lanes) {
      census.note(env, ctx, { ...inSession, lane, reason });
      await settled();
    }
    expect(handed.flatMap(({ touched }) => touched.map(({ lane }) => lane))).toEqual(['legacy', 'compat', 'legacy']);
  });

  it('a stale session is not in use', async ({ expect }) => {
    const { census, env, ctx, handed, settled } = open();
    census.note(env, ctx, { ...inSession, lane: 'compat', reason: 'stale_session' });
    await settled();
    expect(handed.flatMap(({ touched }) => touched)).toEqual([]);
  });

  it('a message of the HTTP+SSE transport is of a session of that transport', async ({ expect }) => {
    const { census, env, ctx, handed, settled } = open();
    census.note(env, ctx, { ...inSession, route: '/legacy/sse' });
    await settled();
    expect(handed.flatMap(({ touched }) => touched)).toMatchObject([{ id: ID, transport: 'sse' }]);
  });

  it('tells the end of a session at once, and its start no more', async ({ expect }) => {
    const { census, env, ctx, handed, ended, settled } = open();
    census.sessionBegan(env, ctx, { id: ID, client: SEEN.client, lane: 'legacy' });
    await census.sessionEnded(env, ID);
    expect(ended).toEqual([['census-1', ID]]);
    await settled();
    expect(handed).toEqual([]);
  });

  it('tells the end of a session later where the shard is away', async ({ expect }) => {
    const { census, env, ctx, handed, errors, settled } = open(undefined, () => {
      throw new Error('the shard is away');
    });
    await census.sessionEnded(env, ID);
    expect(errors).toMatchObject([{ message: 'the shard is away' }]);
    census.note(env, ctx, SEEN);
    await settled();
    expect(handed.flatMap(({ shard, ended }) => ended.map(({ id }) => [shard, id]))).toEqual([['census-1', ID]]);
  });

  it('sends a batch that failed again, unchanged, and loses nothing', async ({ expect }) => {
    let failures = 2;
    const { census, env, ctx, handed, errors, settled } = open(() => {
      if (failures > 0) {
        failures -= 1;
        census.note(env, ctx, SEEN);
        throw new Error('the shard is away');
      }
      return { clients: [] };
    });
    census.note(env, ctx, SEEN);
    await settled();
    expect(handed.map(({ seq }) => seq)).toEqual([1, 1, 1, 2]);
    expect(rowsOf(handed)).toEqual([
      ['one', 1],
      ['one', 1],
      ['one', 1],
      ['one', 2],
    ]);
    expect(errors).toMatchObject([{ message: 'the shard is away' }, { message: 'the shard is away' }]);
  });

  it('rests after three failures, and goes on with the next request', async ({ expect }) => {
    let isAway = true;
    const { census, env, ctx, handed, errors, settled } = open(() => {
      if (isAway) throw new Error('the shard is away');
      return { clients: [] };
    });
    census.note(env, ctx, SEEN);
    await settled();
    expect([handed.length, errors.length]).toEqual([3, 3]);
    isAway = false;
    census.note(env, ctx, SEEN);
    await settled();
    expect(rowsOf(handed.slice(3))).toEqual([
      ['one', 1],
      ['one', 1],
    ]);
  });

  it('goes on with the next request after the platform has cut off the background of one', async ({ expect }) => {
    const asked = Promise.withResolvers<void>();
    const { census, env, ctx, handed, work } = open(() => {
      asked.resolve();
      // As a request that the platform has ended: it never goes on.
      return handed.length > 1 ? { clients: [] } : new Promise(() => undefined);
    });
    vi.useFakeTimers({ toFake: ['Date'] });
    census.note(env, ctx, SEEN);
    await asked.promise;
    vi.setSystemTime(Date.now() + 9999);
    census.note(env, ctx, SEEN);
    expect(work).toHaveLength(1);
    vi.setSystemTime(Date.now() + 1);
    census.note(env, ctx, SEEN);
    expect(work).toHaveLength(2);
    await work[1];
    expect(handed.map(({ seq }) => seq)).toEqual([1, 1, 2]);
    expect(rowsOf(handed).slice(1)).toEqual([
      ['one', 1],
      ['one', 2],
    ]);
  });

  it('hands over everything at once where an operator asks', async ({ expect }) => {
    const { census, env, ctx, handed } = open();
    census.note(env, ctx, inSession);
    census.note(env, ctx, SEEN);
    await census.flush(env);
    const rows = rowsOf(handed);
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining([
        [undefined, 1],
        ['one', 1],
      ]),
    );
  });

  it('does nothing without the binding', async ({ expect }) => {
    const { census, ctx, work } = open();
    census.note({}, ctx, SEEN);
    census.sessionBegan({}, ctx, { id: ID, client: undefined, lane: 'legacy' });
    await census.sessionEnded({}, ID);
    await census.flush({});
    expect(work).toEqual([]);
  });

  it('a failure of its own changes no answer', ({ expect }) => {
    const { census, env, errors } = open();
    const ctx = {
      waitUntil: (): void => {
        throw new Error('the request is over');
      },
    };
    census.note(env, ctx, SEEN);
    expect(errors).toMatchObject([{ message: 'the request is over' }]);
  });

  it('an id longer than any that is given out is no session', async ({ expect }) => {
    const { census, env, ctx, handed, settled } = open();
    census.note(env, ctx, { ...inSession, sessionId: 'x'.repeat(129) });
    await settled();
    expect(rowsOf(handed)).toEqual([['unknown', 1]]);
  });
});
