/** What waits in an isolate: like calls as one row, sessions for their shard, and never more than there is room for. */
import { describe, it } from 'vitest';
import { Buffer, type Call } from '../../../src/cutover/census/buffer.ts';
import { shardOf } from '../../../src/cutover/census/shards.ts';

const CALL: Call = {
  client: { name: 'one', version: '1' },
  sessionId: undefined,
  era: '2025',
  protocolVersion: '2025-11-25',
  userAgent: 'node',
  route: '/mcp',
  lane: 'compat',
  reason: 'no_session',
  uses: [],
};
const SESSION = { id: 'session-1', client: undefined, lane: 'legacy', transport: 'streamable', at: 1 } as const;
const idsOf = (shard: number, many: number): string[] =>
  Array.from({ length: many * 20 }, (_, index) => `session-${index}`)
    .filter((id) => shardOf(id) === shard)
    .slice(0, many);

describe('buffer of the census', () => {
  it('counts like calls in one row, with the uses of all', ({ expect }) => {
    const buffer = new Buffer();
    buffer.count(CALL, 10);
    buffer.count({ ...CALL, uses: ['ping'] }, 20);
    buffer.count({ ...CALL, uses: ['ping', 'batch'] }, 30);
    buffer.count({ ...CALL, reason: 'route' }, 40);
    expect(buffer.take(2, 50, 0)?.counted).toEqual([
      { ...CALL, calls: 3, worked: 3, firstSeenAt: 10, lastSeenAt: 30, uses: { ping: 2, batch: 1 } },
      { ...CALL, reason: 'route', calls: 1, worked: 1, firstSeenAt: 40, lastSeenAt: 40, uses: {} },
    ]);
    expect(buffer.isEmpty).toBe(true);
    expect(buffer.take(2, 50, 0)).toBeUndefined();
  });

  it('calls beyond 2,000 different ones are counted under "other"', ({ expect }) => {
    const buffer = new Buffer();
    for (let index = 0; index < 3000; index += 1)
      buffer.count({ ...CALL, client: { name: `client ${index}`, version: '1' } }, index);
    const counted = buffer.take(0, 0, 0)?.counted ?? [];
    expect(counted).toHaveLength(2001);
    expect(counted.at(-1)).toMatchObject({ client: { name: 'other', version: '' }, userAgent: 'other', calls: 1000 });
    expect(counted.reduce((sum, { calls }) => sum + calls, 0)).toBe(3000);
  });

  it('invented session ids do not take the room of clients', ({ expect }) => {
    const buffer = new Buffer();
    for (const sessionId of idsOf(0, 600)) buffer.count({ ...CALL, client: undefined, sessionId }, 1);
    buffer.count(CALL, 2);
    const counted = buffer.take(0, 3, 0)?.counted ?? [];
    expect(counted.filter(({ client }) => client === undefined)).toHaveLength(500);
    expect(counted.filter(({ client }) => client !== undefined)).toMatchObject([
      { client: { name: 'unknown', version: '' }, calls: 100 },
      { client: { name: 'one', version: '1' }, calls: 1 },
    ]);
  });

  it('calls of a session without a name wait for the shard of the session, and for its start', ({ expect }) => {
    const buffer = new Buffer();
    const [sessionId = ''] = idsOf(3, 1);
    buffer.count({ ...CALL, client: undefined, sessionId }, 1000);
    expect(buffer.take(1, 9000, 5000)).toBeUndefined();
    expect(buffer.take(3, 5999, 5000)).toBeUndefined();
    expect(buffer.isEmpty).toBe(false);
    expect(buffer.take(3, 6000, 5000)?.counted).toMatchObject([{ sessionId, calls: 1 }]);
    expect(buffer.isEmpty).toBe(true);
  });

  it('what is told of a session goes to the shard of the session only', ({ expect }) => {
    const buffer = new Buffer();
    const [id = ''] = idsOf(2, 1);
    buffer.began({ ...SESSION, id });
    buffer.touched({ id, lane: 'legacy', transport: 'streamable', at: 2 });
    expect(buffer.take(1, 3, 0)).toBeUndefined();
    expect(buffer.take(2, 3, 0)).toEqual({
      counted: [],
      began: [{ ...SESSION, id }],
      touched: [{ id, lane: 'legacy', transport: 'streamable', at: 2 }],
      ended: [],
      untracked: 0,
    });
    expect(buffer.isEmpty).toBe(true);
  });

  it('of a session that ended, nothing but its end is told', ({ expect }) => {
    const buffer = new Buffer();
    const [id = ''] = idsOf(0, 1);
    buffer.began({ ...SESSION, id });
    buffer.touched({ id, lane: 'legacy', transport: 'streamable', at: 2 });
    buffer.forget(id);
    expect(buffer.isEmpty).toBe(true);
    buffer.began({ ...SESSION, id });
    buffer.ended({ id, at: 3 });
    expect(buffer.take(0, 4, 0)).toMatchObject({ began: [], touched: [], ended: [{ id, at: 3 }] });
    expect(buffer.isEmpty).toBe(true);
  });

  it('legacy sessions that there is no room for are counted', ({ expect }) => {
    const buffer = new Buffer();
    for (const id of idsOf(1, 20_003)) buffer.began({ ...SESSION, id });
    const part = buffer.take(1, 1, 0);
    expect([part?.began.length, part?.untracked]).toEqual([20_000, 3]);
    expect(buffer.isEmpty).toBe(true);
  });

  it('invented sessions of the compat lane take no room of legacy sessions, and count as none', ({ expect }) => {
    const buffer = new Buffer();
    const invented = (index: number): string => `c_${String(index).padStart(27, 'x')}`;
    for (let index = 0; index < 10_000; index += 1) {
      const compat = {
        id: invented(index),
        client: undefined,
        lane: 'compat',
        transport: 'streamable',
        at: 1,
      } as const;
      if (index % 2 === 0) buffer.touched(compat);
      else buffer.began(compat);
      buffer.ended({ id: invented(index + 10_000), at: 1 });
    }
    const [id = ''] = idsOf(1, 1);
    buffer.began({ ...SESSION, id });
    const parts = [0, 1, 2, 3].map((shard) => buffer.take(shard, 1, 0));
    const all = parts.flatMap((part) => [...(part?.began ?? []), ...(part?.touched ?? []), ...(part?.ended ?? [])]);
    expect([all.length, all.filter((told) => told.id === id).length]).toEqual([2001, 1]);
    expect(parts.map((part) => part?.untracked ?? 0)).toEqual([0, 0, 0, 0]);
    expect(buffer.isEmpty).toBe(true);
  });

  it.for<[string, (index: number) => Call]>([
    [
      'names that only begin something',
      (index) => ({ ...CALL, client: { name: `${index}`, version: '' }, opens: true }),
    ],
    ['refused requests', (index) => ({ ...CALL, client: undefined, lane: 'none', userAgent: `agent-${index}` })],
  ])('%s take no room of clients at work', ([, junk], { expect }) => {
    const buffer = new Buffer();
    for (let index = 0; index < 3000; index += 1) buffer.count(junk(index), 1);
    buffer.count(CALL, 2);
    const counted = buffer.take(0, 3, 0)?.counted ?? [];
    expect(counted.filter(({ client }) => client?.name === 'one')).toMatchObject([{ calls: 1, worked: 1 }]);
    expect(counted.reduce((sum, { calls }) => sum + calls, 0)).toBe(3001);
    expect(counted).toHaveLength(2002);
  });

  it('calls in invented sessions take no room of those that the legacy lane serves', ({ expect }) => {
    const buffer = new Buffer();
    const unnamed = { ...CALL, client: undefined };
    for (const sessionId of idsOf(0, 600)) buffer.count({ ...unnamed, sessionId }, 1);
    const [sessionId = ''] = idsOf(2, 1);
    buffer.count({ ...unnamed, sessionId, lane: 'legacy' }, 1);
    expect(buffer.take(2, 1, 0)?.counted.filter((row) => row.sessionId === sessionId)).toMatchObject([
      { client: undefined, lane: 'legacy', calls: 1 },
    ]);
  });

  it('a call that goes on after a question is the call that asked', ({ expect }) => {
    const buffer = new Buffer();
    buffer.count(CALL, 1);
    buffer.count({ ...CALL, continues: true }, 2);
    expect(buffer.take(0, 3, 0)?.counted).toMatchObject([{ calls: 1, worked: 1, lastSeenAt: 2 }]);
  });

  it('the shards of random ids are even', ({ expect }) => {
    const counts = [0, 0, 0, 0];
    for (let index = 0; index < 4000; index += 1) {
      const shard = shardOf(`${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', ''));
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    // Six standard deviations.
    expect(counts.filter((count) => Math.abs(count - 1000) > 165)).toEqual([]);
  });
});
