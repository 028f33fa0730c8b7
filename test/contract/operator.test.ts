/** The operator's object, as it is kept: the brake and the audit log survive, and neither can grow without an end. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, it } from 'vitest';
import { operatorOf, type OperatorApi } from '../../src/cutover/operator.ts';

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
    expect(brake.on && [brake.who.length, brake.why.length]).toEqual([200, 1_000]);
    await operator().audit({ who: 'jane', action: 'flag_set', detail: { text: 'x'.repeat(9_000) } });
    expect((await operator().auditLog(1))[0]?.detail).toEqual({ tooLong: 9_011 });
  });
});
