/** What each path of the operator's API does and refuses, on fakes. */
import { describe, it, vi } from 'vitest';
import { createAdmin } from '../../../src/cutover/admin/admin.ts';
import { adminWorld, NOW, TOKEN } from './admin-support.ts';

const JANE = { who: 'jane', why: 'error rate above 1 %' };

describe('paths', () => {
  it('say what there is where there is nothing', async ({ expect }) => {
    const { status, body } = await adminWorld().call('/brakes');
    expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'no_such_path' });
    expect(body.error.remedy).toBe(
      'Use one of /admin/status, /admin/census, /admin/census/forget, /admin/brake, /admin/audit, /admin/flag, /admin/drain, /admin/take-back, /admin/sessions/end, /admin/retire-check.',
    );
  });

  it('say which methods they take', async ({ expect }) => {
    const { status, body, headers } = await adminWorld().call('/audit', { method: 'DELETE' });
    expect({ status, allow: headers.get('allow'), remedy: body.error.remedy }).toEqual({
      status: 405,
      allow: 'GET, POST',
      remedy: 'Use GET or POST.',
    });
  });

  it('take a slash at the end, and are never cached', async ({ expect }) => {
    const { status, headers } = await adminWorld().call('/status/');
    expect({ status, cache: headers.get('cache-control') }).toEqual({ status: 200, cache: 'no-store' });
  });
});

describe('status', () => {
  it('says where each route stands, and why', async ({ expect }) => {
    const world = adminWorld({
      ADMIN_TOKEN: TOKEN,
      ...({ LEGACY_ROUTE_STAGE: 'legacy', LEGACY_ROUTE_NEXT: 'stateless', LEGACY_ROUTE_PERCENT: 5 } as object),
    });
    const trouble = { problem: 'The flag legacy-route is disabled.', since: NOW };
    world.stages.legacy = { stage: 'stateless', reason: 'flag_unreadable', trouble };
    world.census = {
      clients: [
        { name: 'desktop', version: '1', verdict: 'ready' },
        { name: 'old', version: '2', verdict: { blockedBy: ['pushed_question'] } },
      ],
      openSessions: { legacy: 7, sse: 1, drained: 2, compat: 3 },
      untrackedSessions: 0,
      lastLegacyCallAt: NOW,
    };
    expect((await world.call('/status')).body).toEqual({
      server: { name: 'desk', version: '1.2.3' },
      source: 'variables',
      warnings: [],
      hasLegacy: true,
      localStore: null,
      bindings: { legacy: 'LEGACY_AGENT', flags: 'FLAGS' },
      routes: [
        {
          route: 'legacy',
          path: '/legacy/mcp',
          flag: 'legacy-route',
          stage: 'stateless',
          reason: 'flag_unreadable',
          trouble,
          variablePrefix: 'LEGACY_ROUTE',
          variables: { LEGACY_ROUTE_STAGE: 'legacy', LEGACY_ROUTE_NEXT: 'stateless', LEGACY_ROUTE_PERCENT: '5' },
          record: { revision: 0 },
        },
        {
          route: 'sse',
          path: '/legacy/sse',
          flag: 'legacy-sse-route',
          stage: 'legacy',
          reason: 'flag',
          variablePrefix: 'LEGACY_SSE_ROUTE',
          variables: {},
          record: { revision: 0 },
        },
        {
          route: 'mcp',
          path: '/mcp',
          flag: 'mcp-route',
          stage: 'stateless',
          reason: 'flag',
          variablePrefix: 'MCP_ROUTE',
          variables: {},
          record: { revision: 0 },
        },
      ],
      brake: { on: false },
      totals: {
        clients: 2,
        blockedClients: 1,
        openSessions: { legacy: 7, sse: 1, drained: 2, compat: 3 },
        untrackedSessions: 0,
        lastLegacyCallAt: NOW,
      },
    });
  });

  it('says what it can where a part is broken', async ({ expect }) => {
    const world = adminWorld();
    Object.assign(world.options.census, { read: () => Promise.reject(new Error('no census')) });
    const { status, body } = await world.call('/status');
    expect({ status, totals: body.totals, brake: body.brake }).toEqual({
      status: 200,
      totals: null,
      brake: { on: false },
    });
    expect(world.reports).toHaveLength(1);
  });
});

describe('the brake', () => {
  it('goes on and off, with who and why in the log', async ({ expect }) => {
    const world = adminWorld();
    expect((await world.call('/brake', { body: { on: true, ...JANE } })).body).toEqual({
      brake: { on: true, who: 'admin token', said: 'jane', why: 'error rate above 1 %', at: NOW },
    });
    expect((await world.call('/brake', { body: { on: false, who: 'joe', why: 'mended' } })).body).toEqual({
      brake: { on: false },
    });
    expect((await world.call('/audit')).body).toEqual({
      entries: [
        { at: NOW, who: 'admin token', said: 'joe', action: 'release', detail: { on: false }, why: 'mended' },
        {
          at: NOW,
          who: 'admin token',
          said: 'jane',
          action: 'brake',
          detail: { on: true },
          why: 'error rate above 1 %',
        },
      ],
    });
  });

  it.for<[string, unknown, string]>([
    ['no who', { on: false, why: 'x' }, 'The body does not say who'],
    ['no why', { on: false, who: 'x' }, 'why is missing'],
    ['a why of blanks', { on: true, who: 'x', why: ' ' }, 'why must not be empty'],
    ['a who of two lines', { on: true, who: 'a\nb', why: 'x' }, 'who must be one line without control characters'],
    ['a who that colours the terminal', { on: true, who: '\u001B[31m', why: 'x' }, 'who must be one line'],
    ['a long who', { on: true, who: 'x'.repeat(201), why: 'x' }, 'who must have at most 200 characters'],
    ['a text for on', { on: 'true', ...JANE }, 'on must be boolean'],
    ['another key', { on: true, ...JANE, route: 'legacy' }, 'route is not known here'],
    ['an array', [], 'The body cannot be taken'],
    ['no JSON', '{', 'The body is not JSON'],
    ['too much', { on: true, who: 'x', why: 'x'.repeat(70_000) }, 'The body is too large'],
  ])('does not move for a body with %s', async ([, body, message], { expect }) => {
    const world = adminWorld();
    const answered = await world.call('/brake', { body });
    expect(answered.status).toBeGreaterThanOrEqual(400);
    expect(answered.status).toBeLessThan(500);
    expect(answered.body.error.message).toContain(message);
    expect(answered.body.error.remedy).not.toBe('');
    expect(world.log).toEqual([]);
  });

  it('does not move for a form, which a page could post', async ({ expect }) => {
    const world = adminWorld();
    const body = JSON.stringify({ on: true, ...JANE });
    const { status } = await world.call('/brake', { body, headers: { 'content-type': 'text/plain' } });
    expect({ status, log: world.log }).toEqual({ status: 415, log: [] });
  });

  it('does not wait for a body that never ends', async ({ expect }) => {
    vi.useFakeTimers();
    try {
      const world = adminWorld();
      let cancelled = false;
      const isRead = Promise.withResolvers<void>();
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"on":')),
        // Asked for more than there is: the body is being waited for.
        pull: () => isRead.resolve(),
        cancel: () => void (cancelled = true),
      });
      const answering = createAdmin(world.options).fetch(
        new Request('https://worker.example/admin/brake', {
          method: 'POST',
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          body,
          duplex: 'half',
        } as RequestInit),
        world.env,
        { waitUntil: () => {} },
      );
      await isRead.promise;
      await vi.advanceTimersByTimeAsync(10_000);
      const answer = await answering;
      expect({ status: answer.status, cancelled, log: world.log }).toEqual({ status: 408, cancelled: true, log: [] });
      expect(await answer.json()).toEqual({
        error: {
          code: 'body_too_slow',
          message: 'The body took more than 10000 ms',
          remedy: 'Send it in one piece.',
        },
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('says what to bind where there is no place for it', async ({ expect }) => {
    const world = adminWorld({ ADMIN_TOKEN: TOKEN, ...({ OPERATOR_OBJECT: undefined } as object) });
    const { status, body } = await world.call('/brake', { body: { on: true, ...JANE } });
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'no_operator_object' });
    expect(body.error.remedy).toContain('OPERATOR_OBJECT');
  });
});

describe('forgetting clients of the census', () => {
  const junk = (): ReturnType<typeof adminWorld> => {
    const world = adminWorld();
    const named = (name: string, version: string) => ({ name, version, verdict: 'unproven' as const });
    world.census = { ...world.census, clients: [named('evil-1', '1'), named('evil-2', ''), named('desktop', '1.0')] };
    return world;
  };

  it('is in the log before it is done, with the first names', async ({ expect }) => {
    const world = junk();
    const { status, body } = await world.call('/census/forget', { body: { client: 'evil-*', ...JANE } });
    expect({ status, body }).toEqual({
      status: 200,
      body: { clients: 2, calls: 2, names: ['evil-1/1', 'evil-2'], dryRun: false },
    });
    expect(world.census.clients.map(({ name }) => name)).toEqual(['desktop']);
    const detail = { client: 'evil-*', clients: 2, calls: 2, names: ['evil-1/1', 'evil-2'] };
    expect(world.log).toMatchObject([{ at: NOW, said: 'jane', why: JANE.why, action: 'census_forget', detail }]);
  });

  it('is not done where the log cannot be written', async ({ expect }) => {
    const world = junk();
    world.logFails = ['census_forget'];
    const { status } = await world.call('/census/forget', { body: { atMostCalls: 1, ...JANE } });
    expect([status, world.census.clients.length]).toEqual([500, 3]);
  });

  it('only says what it would do in a dry run', async ({ expect }) => {
    const world = junk();
    const { body } = await world.call('/census/forget', { body: { client: '*-1', version: '1', dryRun: true } });
    expect(body).toEqual({ clients: 1, calls: 1, names: ['evil-1/1'], dryRun: true });
    expect([world.census.clients.length, world.log]).toEqual([3, []]);
  });

  it.for<[string, object, string]>([
    ['nobody', {}, 'say which clients: client, atMostCalls or both'],
    ['everybody', { client: '**' }, 'client must have more than stars'],
    ['a version of nobody', { atMostCalls: 1, version: '1' }, 'version goes with client'],
    ['no calls at all', { atMostCalls: 0 }, 'atMostCalls must be a whole number from 1'],
    ['a name of two lines', { client: 'a\nb' }, 'client must be one line without control characters'],
    ['no reason', { client: 'evil-*', why: undefined }, 'why is required, except with dryRun'],
  ])('is refused for %s', async ([, selection, message], { expect }) => {
    const world = junk();
    const { status, body } = await world.call('/census/forget', { body: { ...JANE, ...selection } });
    expect([status, world.census.clients.length, world.log]).toEqual([400, 3, []]);
    expect(body.error.message).toContain(message);
  });
});

describe('the audit log', () => {
  it('takes a change of a flag that was made elsewhere', async ({ expect }) => {
    const world = adminWorld();
    const entry = { action: 'flag_set', detail: { route: 'legacy', from: 'legacy', to: 'shadow' }, ...JANE };
    expect((await world.call('/audit', { body: entry })).body).toEqual({ audited: true });
    const { who, ...rest } = entry;
    expect(world.log).toEqual([{ at: NOW, ...rest, who: 'admin token', said: who }]);
  });

  it('takes no entry that would look like a change of its own', async ({ expect }) => {
    const world = adminWorld();
    const { status } = await world.call('/audit', { body: { action: 'release', detail: {}, ...JANE } });
    expect({ status, log: world.log }).toEqual({ status: 400, log: [] });
  });

  it.for<[string, Record<string, unknown>]>([
    ['a text that colours the terminal', { to: '\u001B[31mgone' }],
    ['a text of two lines', { to: 'a\nb' }],
    ['a key that colours the terminal', { '\u001B[31m': 1 }],
    ['a long text', { to: 'x'.repeat(1_001) }],
    ['a long key', { ['x'.repeat(101)]: 1 }],
  ])('takes no detail with %s', async ([, detail], { expect }) => {
    const world = adminWorld();
    const { status, body } = await world.call('/audit', { body: { action: 'flag_set', detail, ...JANE } });
    expect({ status, log: world.log }).toEqual({ status: 400, log: [] });
    expect(body.error.message).toMatch(/^The body cannot be taken: detail/);
    expect(body.error.message).not.toMatch(/\p{Cc}/u);
  });

  it.for(['0', '1001', 'x', '1.5'])('cannot be read %s entries long', async (limit, { expect }) => {
    expect((await adminWorld().call(`/audit?limit=${limit}`)).status).toBe(400);
  });
});

describe('a failure of ours', () => {
  it('is told in the log and not to the caller', async ({ expect }) => {
    const world = adminWorld();
    Object.assign(world.options.census, { read: () => Promise.reject(new Error('a secret cause')) });
    const { status, body } = await world.call('/census');
    expect({ status, body }).toEqual({
      status: 500,
      body: { error: { code: 'failed', message: 'Internal error', remedy: "See the Worker's log." } },
    });
    expect(world.reports).toHaveLength(1);
  });
});
