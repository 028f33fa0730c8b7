/** Moving sessions through the operator's API, on fakes: which ones move, and what the audit log has of it. */
import { describe, it } from 'vitest';
import { adminWorld, NOW, TOKEN, type World } from './admin-support.ts';

const JANE = { who: 'jane', why: 'error rate above 1 %' };
const LOGGED = { who: 'admin token', said: 'jane', why: 'error rate above 1 %' };

function withSessions(...standings: readonly ('live' | 'drained')[]): World {
  const world = adminWorld();
  for (const [at, standing] of standings.entries()) world.sessions.set(`secret-id-${at}`, standing);
  return world;
}

describe('draining', () => {
  it('moves the live sessions of a client, some at a time, and says how many are left', async ({ expect }) => {
    const world = withSessions('live', 'drained', 'live', 'live');
    const body = { client: 'desktop', limit: 2, ...JANE };
    expect((await world.call('/drain', { body })).body).toEqual({
      matched: 3,
      changed: 2,
      gone: 0,
      failed: 0,
      left: 1,
      dryRun: false,
    });
    expect((await world.call('/drain', { body })).body).toMatchObject({ matched: 1, changed: 1, left: 0 });
    expect([...world.sessions.values()]).toEqual(['drained', 'drained', 'drained', 'drained']);
    const at = { at: NOW, ...LOGGED };
    expect(world.log).toEqual([
      { ...at, action: 'drain', detail: { whose: 'desktop', matched: 1, changed: 1, gone: 0, failed: 0, left: 0 } },
      { ...at, action: 'drain_begins', detail: { whose: 'desktop', sessions: 1 } },
      { ...at, action: 'drain', detail: { whose: 'desktop', matched: 3, changed: 2, gone: 0, failed: 0, left: 1 } },
      { ...at, action: 'drain_begins', detail: { whose: 'desktop', sessions: 2 } },
    ]);
  });

  it('moves nothing where the log cannot be written', async ({ expect }) => {
    const world = withSessions('live');
    world.logFails = ['drain_begins'];
    const { status } = await world.call('/drain', { body: { all: true, ...JANE } });
    expect({ status, log: world.log, standings: [...world.sessions.values()] }).toEqual({
      status: 500,
      log: [],
      standings: ['live'],
    });
  });

  it('is in the log, and says how it went, where the log fails afterwards', async ({ expect }) => {
    const world = withSessions('live');
    world.logFails = ['drain'];
    const { status, body } = await world.call('/drain', { body: { all: true, ...JANE } });
    expect({ status, changed: body.changed, reports: world.reports.length }).toEqual({
      status: 200,
      changed: 1,
      reports: 1,
    });
    expect(world.log).toEqual([{ at: NOW, ...LOGGED, action: 'drain_begins', detail: { whose: 'all', sessions: 1 } }]);
  });

  it('takes back what was drained', async ({ expect }) => {
    const world = withSessions('drained', 'live');
    expect((await world.call('/take-back', { body: { all: true, ...JANE } })).body).toMatchObject({ changed: 1 });
    expect([...world.sessions.values()]).toEqual(['live', 'live']);
  });

  it('ends sessions', async ({ expect }) => {
    const world = withSessions('drained', 'live');
    const { body } = await world.call('/sessions/end', { body: { all: true, ...JANE } });
    expect(body).toMatchObject({ matched: 2, changed: 2, left: 0 });
    expect(world.sessions.size).toBe(0);
  });

  it('changes nothing and logs nothing when it only tries', async ({ expect }) => {
    const world = withSessions('live', 'live');
    const { body } = await world.call('/drain', { body: { all: true, dryRun: true } });
    expect(body).toEqual({ matched: 2, changed: 0, gone: 0, failed: 0, left: 2, dryRun: true });
    expect({ log: world.log, standings: [...world.sessions.values()] }).toEqual({
      log: [],
      standings: ['live', 'live'],
    });
  });

  it('counts the sessions that fail, and goes on', async ({ expect }) => {
    const world = withSessions('live', 'live');
    world.broken.add('secret-id-0');
    const { body } = await world.call('/drain', { body: { all: true, ...JANE } });
    expect(body).toMatchObject({ matched: 2, changed: 1, failed: 1, left: 1 });
    expect(world.reports).toHaveLength(1);
  });

  it('takes one session by its id, and never says an id', async ({ expect }) => {
    const world = withSessions('live', 'live');
    const answers = [
      await world.call('/drain', { body: { session: 'secret-id-1', ...JANE } }),
      await world.call('/drain', { body: { session: 'secret-id-1', ...JANE } }),
      await world.call('/drain', { body: { session: 'secret-id-9', ...JANE } }),
      await world.call('/audit'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200]);
    expect(answers.map(({ body }) => body.changed)).toEqual([1, 0, undefined, undefined]);
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain('secret-id');
    expect([...world.sessions.values()]).toEqual(['live', 'drained']);
  });

  it('names the clients there are for one that there is not', async ({ expect }) => {
    const world = withSessions('live');
    const { status, body } = await world.call('/drain', { body: { client: 'desktop-', ...JANE } });
    expect({ status, error: body.error }).toEqual({
      status: 404,
      error: {
        code: 'unknown_client',
        message: 'The census has no client "desktop-"',
        remedy: 'Use a name as the census has it: desktop.',
      },
    });
  });

  it.for<[string, object, string]>([
    ['nobody', {}, 'say whose sessions: one of session, client or all'],
    ['two kinds', { client: 'a', all: true }, 'say whose sessions: one of session, client or all'],
    ['a version of nobody', { all: true, version: '1' }, 'version goes with client'],
    ['an age of one session', { session: 'a', olderThanMs: 1 }, 'olderThanMs does not go with session'],
    ['no session at all', { all: true, limit: 0 }, 'limit must be a whole number from 1 to 200'],
    ['too many', { all: true, limit: 201 }, 'limit must be a whole number from 1 to 200'],
    ['an id that is none', { session: 'a b' }, 'session must be a session id'],
    ['no reason', { all: true, why: undefined }, 'why is required, except with dryRun'],
  ])('is refused for %s', async ([, selection, message], { expect }) => {
    const world = withSessions('live');
    const { status, body } = await world.call('/drain', { body: { ...JANE, ...selection } });
    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
    expect([...world.sessions.values()]).toEqual(['live']);
  });

  it('says so where there is no legacy lane', async ({ expect }) => {
    const world = adminWorld({ ADMIN_TOKEN: TOKEN, ...({ LEGACY_AGENT: undefined } as object) });
    const { status, body } = await world.call('/drain', { body: { all: true, ...JANE } });
    expect({ status, code: body.error.code }).toEqual({ status: 409, code: 'no_legacy_lane' });
  });
});
