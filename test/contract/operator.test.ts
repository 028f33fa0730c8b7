/** The operator's object, as it is kept: the brake and the audit log survive, and neither can grow without an end. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, it } from 'vitest';
import { operatorOf, type OperatorApi } from '../../src/cutover/operator.ts';
import type { StageMemoryApi } from '../../src/cutover/stage-memory.ts';

const operator = (): OperatorApi => operatorOf(env) as OperatorApi;

describe("the operator's object", () => {
  afterEach(() => reset());

  it('begins with the brake off and nothing in the log', async ({ expect }) => {
    expect(await operator().brake()).toEqual({ on: false });
    expect(await operator().auditLog(10)).toEqual([]);
  });

  it('keeps the brake with who, why and when, and logs each use of it', async ({ expect }) => {
    const before = Date.now();
    const brake = await operator().setBrake(true, 'jane', 'errors');
    expect(brake).toEqual({ on: true, who: 'jane', why: 'errors', at: expect.any(Number) });
    expect(brake.on && brake.at).toBeGreaterThanOrEqual(before);
    expect(await operator().brake()).toEqual(brake);
    expect(await operator().setBrake(false, 'joe', 'mended')).toEqual({ on: false });
    expect(await operator().setBrake(false, 'joe', 'to be sure')).toEqual({ on: false });
    expect(
      (await operator().auditLog(10)).map(({ who, action, detail, why }) => ({ who, action, detail, why })),
    ).toEqual([
      { who: 'joe', action: 'release', detail: { on: false }, why: 'to be sure' },
      { who: 'joe', action: 'release', detail: { on: false }, why: 'mended' },
      { who: 'jane', action: 'brake', detail: { on: true }, why: 'errors' },
    ]);
  });

  it('keeps each who brakes while it is on, and takes a reason that is given later', async ({ expect }) => {
    await operator().setBrake(true, 'admin token', undefined, 'ann');
    await operator().setBrake(true, 'admin token', 'complaints', 'bob');
    const brake = await operator().setBrake(true, 'admin token', 'errors', 'ann');
    expect(brake).toEqual({
      on: true,
      ...{ who: 'admin token', said: 'ann', why: 'errors', at: expect.any(Number) },
      again: [{ who: 'admin token', said: 'bob', why: 'complaints', at: expect.any(Number) }],
    });
    expect((await operator().auditLog(10)).map(({ said, detail, why }) => [said, detail, why])).toEqual([
      ['ann', { on: true, wasOn: true }, 'errors'],
      ['bob', { on: true, wasOn: true }, 'complaints'],
      ['ann', { on: true }, undefined],
    ]);
    for (let at = 0; at < 30; at += 1) await operator().setBrake(true, 'ci', 'again');
    const last = await operator().brake();
    expect(last.on && last.again?.length).toBe(20);
    expect(await operator().setBrake(false, 'ci', 'mended')).toEqual({ on: false });
    expect(await operator().setBrake(true, 'ci', 'errors')).toEqual({
      on: true,
      who: 'ci',
      why: 'errors',
      at: expect.any(Number),
    });
  });

  it('has both after it was evicted', async ({ expect }) => {
    await operator().setBrake(true, 'jane', 'errors');
    await evictDurableObject(env.OPERATOR_OBJECT.getByName('operator'));
    expect(await operator().brake()).toMatchObject({ on: true, who: 'jane', why: 'errors' });
    expect(await operator().auditLog(10)).toHaveLength(1);
  });

  it('logs what others did, newest first, as many as are asked for', async ({ expect }) => {
    await operator().audit({
      who: 'jane',
      action: 'drain',
      detail: { client: 'old', changed: [1, null, 'x'] },
      why: 'move',
    });
    await operator().audit({ who: 'ci', action: 'flag_set', detail: {} });
    expect(await operator().auditLog(10)).toEqual([
      { at: expect.any(Number), who: 'ci', action: 'flag_set', detail: {} },
      {
        at: expect.any(Number),
        who: 'jane',
        action: 'drain',
        detail: { client: 'old', changed: [1, null, 'x'] },
        why: 'move',
      },
    ]);
    expect((await operator().auditLog(1)).map(({ who }) => who)).toEqual(['ci']);
    expect(await operator().auditLog(0)).toEqual([]);
    expect(await operator().auditLog(-1)).toEqual([]);
  });

  it('keeps the newest 1000 entries', async ({ expect }) => {
    for (let at = 1; at <= 1_003; at += 1) await operator().audit({ who: String(at), action: 'flag_set', detail: {} });
    const entries = await operator().auditLog(5_000);
    expect([entries.length, entries[0]?.who, entries.at(-1)?.who]).toEqual([1_000, '1003', '4']);
    const stub = env.OPERATOR_OBJECT.getByName('operator');
    const rows = await runInDurableObject(stub, (_object, { storage }) => [
      ...storage.sql.exec('SELECT COUNT(*) AS rows FROM audit'),
    ]);
    expect(rows).toEqual([{ rows: 1_000 }]);
  });

  it('keeps one line of each text, without what would act on a terminal', async ({ expect }) => {
    const hostile = 'a\u001B[2J\r\n\u202Eb\u009Bc';
    const brake = await operator().setBrake(true, hostile, hostile);
    expect(brake.on && [brake.who, brake.why]).toEqual(['a[2Jbc', 'a[2Jbc']);
    await operator().audit({ who: hostile, action: hostile, detail: { '\u009Bk': 'a\u202Eb\u009Bc' }, why: hostile });
    expect(await operator().auditLog(2)).toEqual([
      { at: expect.any(Number), who: 'a[2Jbc', action: 'a[2Jbc', detail: { k: 'abc' }, why: 'a[2Jbc' },
      { at: expect.any(Number), who: 'a[2Jbc', action: 'brake', detail: { on: true }, why: 'a[2Jbc' },
    ]);
  });

  it('cuts what is long instead of refusing it', async ({ expect }) => {
    await operator().setBrake(true, 'w'.repeat(300), 'y'.repeat(2_000));
    const brake = await operator().brake();
    expect(brake.on && [brake.who.length, brake.why?.length]).toEqual([200, 1_000]);
    await operator().audit({ who: 'jane', action: 'flag_set', detail: { text: 'x'.repeat(61_000) } });
    expect((await operator().auditLog(1))[0]?.detail).toEqual({ tooLong: 61_011 });
  });

  it('reads a log and a brake that were kept before operators had two names', async ({ expect }) => {
    await operator().auditLog(1);
    const stub = env.OPERATOR_OBJECT.getByName('operator');
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec('DROP TABLE audit');
      storage.sql.exec(
        'CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, who TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL, why TEXT)',
      );
      storage.sql.exec("INSERT INTO audit (at, who, action, detail, why) VALUES (1, 'jane', 'flag_set', '{}', 'old')");
      storage.kv.put('brake', { on: true, who: 'jane', why: 'errors', at: 1 });
    });
    await evictDurableObject(stub);
    await operator().audit({ who: 'admin token', said: 'joe', action: 'flag_set', detail: {} });
    expect(await operator().auditLog(10)).toEqual([
      { at: expect.any(Number), who: 'admin token', said: 'joe', action: 'flag_set', detail: {} },
      { at: 1, who: 'jane', action: 'flag_set', detail: {}, why: 'old' },
    ]);
    expect(await operator().brake()).toEqual({ on: true, who: 'jane', why: 'errors', at: 1 });
  });
});

describe("a flag's record", () => {
  afterEach(() => reset());
  const ANN = { who: 'admin token', said: 'ann' };
  const BOB = { who: 'admin token', said: 'bob' };

  it('lets one of many through, by the revision that they looked at', async ({ expect }) => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => operator().claimFlag('legacy', 0, at === 0 ? ANN : BOB)),
    );
    expect(answers.map(({ ok }) => ok)).toEqual([true, false, false, false, false, false, false, false]);
    expect(answers[1]).toEqual({ ok: false, reason: 'busy', by: ANN, since: expect.any(Number) });
    const [first] = answers;
    const token = first?.ok === true ? first.token : '';
    expect(await operator().logFlag('legacy', 'another', { ...BOB, action: 'flag_set', detail: {} })).toBe(false);
    expect(await operator().logFlag('legacy', token, { ...ANN, action: 'flag_set', detail: {} })).toBe(true);
    await operator().finishFlag('legacy', token, { stage: 'legacy', ramp: { stage: 'stateless', percent: 5 } });
    expect(await operator().claimFlag('legacy', 0, BOB)).toEqual({ ok: false, reason: 'changed', by: ANN });
    expect((await operator().flagRecords()).legacy).toEqual({
      revision: 1,
      changed: { ...ANN, at: expect.any(Number) },
      position: { stage: 'legacy', ramp: { stage: 'stateless', percent: 5 }, since: expect.any(Number) },
    });
    expect(await operator().claimFlag('legacy', 1, BOB)).toMatchObject({ ok: true });
    expect((await operator().auditLog(10)).map(({ said, action }) => [said, action])).toEqual([['ann', 'flag_set']]);
  });

  it('of one route is none of another, and is kept when the object was evicted', async ({ expect }) => {
    expect(await operator().claimFlag('legacy', 0, ANN)).toMatchObject({ ok: true });
    expect(await operator().claimFlag('sse', 0, BOB)).toMatchObject({ ok: true });
    await evictDurableObject(env.OPERATOR_OBJECT.getByName('operator'));
    expect(await operator().claimFlag('legacy', 0, BOB)).toMatchObject({ ok: false, reason: 'busy', by: ANN });
  });

  it('has no word of a change that was given up, but for the log if it was in there', async ({ expect }) => {
    for (const isLogged of [false, true]) {
      const claim = await operator().claimFlag('mcp', 0, ANN);
      const token = claim.ok ? claim.token : '';
      if (isLogged) await operator().logFlag('mcp', token, { ...ANN, action: 'flag_set', detail: {} });
      await operator().finishFlag('mcp', token, null);
    }
    expect((await operator().flagRecords()).mcp).toEqual({ revision: 0 });
    expect((await operator().auditLog(10)).map(({ action }) => action)).toEqual(['flag_failed', 'flag_set']);
  });
});

describe('the last good stage of a route', () => {
  afterEach(() => reset());
  const memory = (): StageMemoryApi => operator() as unknown as StageMemoryApi;

  it('is the one that was read last, in whatever order it is told', async ({ expect }) => {
    expect(await memory().lastStage('legacy')).toBe(null);
    await memory().keepStage('legacy', 'stateless', 2_000);
    await memory().keepStage('legacy', 'legacy', 1_000);
    expect([await memory().lastStage('legacy'), await memory().lastStage('sse')]).toEqual(['stateless', null]);
    await memory().keepStage('legacy', 'stateless', 5_000);
    await memory().keepStage('legacy', 'gone', 4_000);
    expect(await memory().lastStage('legacy')).toBe('stateless');
  });
});
