/** A Worker whose every option is another than the default: names, paths, flags, limits and the subject hold on each lane. */
import { createExecutionContext, reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, it, vi } from 'vitest';
import { ConfigurationProblems } from '../../src/shared/configuration.ts';
import { createHybrid } from 'hybrid-mcp';
import { fixtureCatalogue } from '../fixture/catalogue.ts';
import { elsewhere, reports } from '../fixture/elsewhere.ts';
import { LANE_NAMES, openLane, readReply, type Lane, type LaneName } from '../support/wire.ts';

const ORIGIN = 'http://elsewhere.example';
const PATHS = { legacy: '/old/mcp', mcp: '/api/v2' } as const;
const TOKEN = 'a-token-of-at-least-thirty-two-characters';
const { ELSEWHERE_STATE, ELSEWHERE_AGENT } = env as unknown as Record<string, DurableObjectNamespace>;
const limited: string[] = [];
const limiter = {
  limit: async ({ key }: { key: string }) => {
    limited.push(key);
    return { success: true };
  },
};
const VARS = { ...env, ADMIN_TOKEN: TOKEN, ELSEWHERE_LIMITER: limiter };
/** Where a 2025 client of the stateless route is served there. */
const STATELESS = { ...VARS, NEW_STAGE: 'stateless', KEEP_SESSIONS: 'off' };
const SSE = { ...VARS, OLDEST_STAGE: 'legacy' };

const sendWith =
  (vars: object, props?: object) =>
  (request: Request): Promise<Response> =>
    elsewhere.fetch(request, vars, Object.defineProperty(createExecutionContext(), 'props', { value: props }));
const get = (path: string, headers: Record<string, string> = {}, vars: object = VARS): Promise<Response> =>
  sendWith(vars)(new Request(`${ORIGIN}${path}`, { headers }));

const openAs = (userId: string | undefined, name: LaneName, capabilities = {}): Promise<Lane> =>
  openLane(name, {
    origin: ORIGIN,
    paths: PATHS,
    capabilities,
    send: sendWith(name === 'compat' ? STATELESS : VARS, userId === undefined ? undefined : { userId }),
  });
const call = async (lane: Lane, name: string, args: object = {}) => {
  const { answer, headers } = await lane.request('tools/call', { name, arguments: args });
  const content = answer?.result?.['content'] as readonly { text: string }[] | undefined;
  return {
    text: content?.[0]?.text,
    structured: answer?.result?.['structuredContent'] as { visits: number; handle: string } | undefined,
    lane: headers.get('server-timing'),
  };
};

const problemsIn = (cause: unknown): unknown => (cause instanceof ConfigurationProblems ? cause.problems : cause);

describe('the options of a Worker with a legacy lane', () => {
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  it('paths: everything is at its own, and nothing at the usual ones (legacy)', async ({ expect }) => {
    expect(await (await get('/up')).json()).toEqual({ ok: true });
    expect(await (await get('/about')).text()).toContain('<code>http://elsewhere.example/old/mcp</code>');
    for (const path of ['/', '/healthz', '/mcp', '/legacy/mcp', '/legacy/sse', '/admin/status']) {
      const response = await get(path);
      expect([path, response.status, await response.json()]).toEqual([
        path,
        404,
        {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32000, message: `Not found: ${path}. This server answers at /api/v2 and /old/mcp` },
        },
      ]);
    }
  });

  it('the usual stages and the variables of the legacy routes and the other', async ({ expect }) => {
    const begun = async (path: string, vars: object): Promise<string | null> => {
      const lane = await openLane('legacy', {
        origin: ORIGIN,
        paths: { legacy: path, mcp: path },
        send: sendWith(vars),
      });
      return (await lane.request('tools/list')).headers.get('server-timing');
    };
    expect(await begun('/old/mcp', VARS)).toBe('lane;desc="legacy", reason;desc="pinned"');
    expect(await begun('/old/mcp', { ...VARS, OLD_STAGE: 'stateless' })).toBe(
      'lane;desc="compat", reason;desc="pinned"',
    );
    expect(await begun('/api/v2', VARS)).toBe('lane;desc="legacy", reason;desc="pinned"');
    expect(await begun('/api/v2', STATELESS)).toBe('lane;desc="compat", reason;desc="pinned"');
    expect((await get('/old')).status).toBe(410);
  });

  it('the old transport of the legacy lane at its own path, beside a route below it', async ({ expect }) => {
    const response = await get('/old', { accept: 'text/event-stream' }, SSE);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toMatch(/^event: endpoint\ndata: \/old\/message\?sessionId=[0-9a-f]{64}\n\n/);
    await reader.cancel();
  });

  it.for(LANE_NAMES)(
    'the subject and the world reach a tool on %s (legacy and the others)',
    async (name, { expect }) => {
      const lane = await openAs('ann', name);
      const { text, lane: by } = await call(lane, 'who');
      expect([text, by]).toEqual(['["ann",1234,"the-id"]', expect.stringContaining(`lane;desc="${name}"`)]);
      expect((await call(await openAs(undefined, name), 'who')).text).toBe('[null,1234,"the-id"]');
    },
  );

  const ways = LANE_NAMES.flatMap((from) => LANE_NAMES.map((to) => [from, to] as const));
  it.for(ways)(
    'state of one subject from %s is that subject’s alone on %s (legacy)',
    async ([from, to], { expect }) => {
      const { structured } = await call(await openAs('ann', from), 'visit');
      const handle = structured?.handle ?? 'none';
      expect((await call(await openAs('bob', to), 'visit', { handle })).text).toContain('names no state');
      expect((await call(await openAs(undefined, to), 'visit', { handle })).text).toContain('names no state');
      expect((await call(await openAs('ann', to), 'visit', { handle })).structured?.visits).toBe(
        (structured?.visits ?? 0) + 1,
      );
    },
  );

  it('the subject owns its legacy session, and on modern its state without a handle', async ({ expect }) => {
    const mine = await openAs('ann', 'legacy');
    const stolen = new Request(`${ORIGIN}/old/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': mine.sessionId ?? '',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    for (const props of [undefined, { userId: 'bob' }, { subject: 'ann' }]) {
      expect((await sendWith(VARS, props)(stolen.clone())).status).toBe(404);
    }
    expect((await call(await openAs('ann', 'modern'), 'visit')).structured?.visits).toBe(1);
    expect((await call(await openAs('ann', 'modern'), 'visit')).structured?.visits).toBe(2);
    expect((await call(await openAs('bob', 'modern'), 'visit')).structured?.visits).toBe(1);
  });

  it('hosts, origins and headers of pages, on legacy as on the other route', async ({ expect }) => {
    const origin = 'https://app.example';
    for (const path of ['/old/mcp', '/api/v2']) {
      const elsewhereHost = await sendWith(VARS)(new Request(`http://localhost${path}`));
      expect(elsewhereHost.status).toBe(403);
      const preflight = (from: string): Promise<Response> =>
        sendWith(VARS)(new Request(`${ORIGIN}${path}`, { method: 'OPTIONS', headers: { origin: from } }));
      const allowed = await preflight(origin);
      expect([allowed.status, allowed.headers.get('access-control-allow-headers')]).toEqual([
        204,
        'Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID, x-tenant',
      ]);
      expect((await preflight('http://localhost')).status).toBe(403);
    }
  });

  it('limits: the body, the stream to listen on and a question, on legacy', async ({ expect }) => {
    const lane = await openAs('ann', 'legacy', { elicitation: {} });
    expect((await lane.request('tools/list', { pad: 'x'.repeat(2_000) })).answer?.error?.message).toBe(
      'Request body too large: the limit is 2000 bytes',
    );
    const listening = await get(
      '/old/mcp',
      { accept: 'text/event-stream', 'mcp-session-id': lane.sessionId ?? '' },
      {
        ...VARS,
      },
    );
    // Nobody's: it is ann's session.
    expect(listening.status).toBe(404);
    const hers = await sendWith(VARS, { userId: 'ann' })(
      new Request(`${ORIGIN}/old/mcp`, {
        headers: { accept: 'text/event-stream', 'mcp-session-id': lane.sessionId ?? '' },
      }),
    );
    expect(hers.status).toBe(200);
    await hers.text();
    const asked = await readReply(await lane.open('tools/call', { name: 'ask', arguments: {} }), 2);
    expect(JSON.stringify(asked.answer)).toContain('was not answered');
  });

  it('a compat client is told the legacy path at which it can be asked', async ({ expect }) => {
    const lane = await openAs('ann', 'compat', { elicitation: {} });
    expect((await call(lane, 'ask')).text).toBe(
      'The tool "ask" has to ask the user a question, and this connection cannot carry one. Connect with a client that speaks MCP 2026-07-28, or use the server\'s /old/mcp URL.',
    );
  });

  it('the rate limiter counts by the key of the option (legacy)', async ({ expect }) => {
    limited.length = 0;
    await openAs('ann', 'legacy');
    await get('/old');
    expect(limited).toEqual(['POST by ann', 'POST by ann', 'GET by nobody']);
  });

  it('sessions of the legacy lane and state expire after the idle time of the option', async ({ expect }) => {
    const before = Date.now();
    const lane = await openAs('ann', 'legacy');
    const { structured } = await call(await openAs('ann', 'modern'), 'visit');
    const state = ELSEWHERE_STATE!.getByName(structured?.handle ?? '');
    const alarm = await runInDurableObject(state, async (_object, { storage }) => storage.getAlarm());
    expect((alarm ?? 0) - before).toBeGreaterThanOrEqual(3_960_000);
    expect((alarm ?? 0) - before).toBeLessThan(4_200_000);
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(before + 5_000_000);
    expect(await runDurableObjectAlarm(ELSEWHERE_AGENT!.getByName(`streamable-http:${lane.sessionId}`))).toBe(true);
    expect((await lane.request('ping')).status).toBe(404);
  });

  it('the operator API says the names and paths of the deployment, legacy and all', async ({ expect }) => {
    await openAs('ann', 'legacy');
    const operator = async (path: string, vars: object = VARS) =>
      (await get(`/ops${path}`, { authorization: `Bearer ${TOKEN}` }, vars)).json<Record<string, never>>();
    const { routes, source, warnings } = await operator('/status', {
      ...VARS,
      OLD_STAGE: 'legacy',
      OLD_NEXT: 'stateless',
    });
    expect([source, warnings]).toEqual(['variables', []]);
    expect(routes).toMatchObject([
      {
        route: 'legacy',
        path: '/old/mcp',
        flag: 'old',
        stage: 'legacy',
        variables: { OLD_STAGE: 'legacy', OLD_NEXT: 'stateless' },
      },
      { route: 'sse', path: '/old', flag: 'oldest', stage: 'gone', variables: {} },
      { route: 'mcp', path: '/api/v2', flag: 'new', stage: 'legacy', variables: {} },
    ]);
    expect(await operator('/census')).toMatchObject({
      clients: expect.arrayContaining([expect.objectContaining({ name: 'wire', version: '1.0.0' })]),
    });
    expect(await operator('/retire-check')).toMatchObject({
      ready: false,
      checks: expect.arrayContaining([{ check: 'sse_route', ok: true, evidence: '/old is at stage gone' }]),
    });
    expect(await operator('/nothing')).toMatchObject({
      error: { remedy: expect.stringMatching(/^Use one of \/ops\/status, \/ops\/census, /) },
    });
  });

  it('an environment with variables and bindings that cannot be used is told once, legacy names and all', async ({
    expect,
  }) => {
    reports.length = 0;
    const broken = {
      ...VARS,
      ELSEWHERE_STATE: undefined,
      ELSEWHERE_AGENT: 'a text',
      ELSEWHERE_CENSUS: undefined,
      ELSEWHERE_LIMITER: {},
      MAX_BODY_BYTES: 'secret',
      SESSION_IDLE_MS: 'soon',
      ASK_TIMEOUT_MS: '0',
      SUNSET_AT: 'never',
      KEEP_SESSIONS: 'yes',
      ALLOWED_HEADERS: 'X Y',
    };
    for (const path of ['/up', '/old/mcp', '/ops/status']) {
      const response = await get(path, {}, broken);
      expect([response.status, await response.json()]).toEqual([
        500,
        { jsonrpc: '2.0', id: null, error: { code: -32603, message: 'Internal error' } },
      ]);
    }
    expect(reports.map(({ fault }) => fault)).toEqual(['configuration']);
    expect(problemsIn(reports[0]?.cause)).toEqual([
      'The variable ALLOWED_HEADERS has an entry that is no name of a header. Use names divided by commas, for example X-Tenant,X-Request-Id',
      'The variable MAX_BODY_BYTES must be a whole number from 1 to 16777216.',
      'The variable KEEP_SESSIONS must be on or off.',
      'The variable SESSION_IDLE_MS must be a whole number of milliseconds, at least 100.',
      'The variable ASK_TIMEOUT_MS must be a whole number of milliseconds, from 1 to 2147483647.',
      'The variable SUNSET_AT must be a date, for example 2027-03-31.',
      'There is no binding ELSEWHERE_STATE: add a Durable Object binding of this name for the class that extends StateObject to the Wrangler configuration.',
      'The binding ELSEWHERE_AGENT is not a Durable Object binding: bind one for the class that extends LegacyAgent, or give the part another name in "bindings".',
      'There is no binding ELSEWHERE_CENSUS: add a Durable Object binding of this name for the class that extends CensusObject to the Wrangler configuration.',
      'The binding ELSEWHERE_LIMITER is not a rate limiter: bind one, or give the part another name in "bindings".',
    ]);
  });

  it('a Worker may have no operator API and no census, beside its legacy lane', async ({ expect }) => {
    const told: string[] = [];
    const build = (options: { census?: boolean; admin?: boolean }) =>
      createHybrid({ catalogue: fixtureCatalogue, report: ({ fault }) => void told.push(fault), ...options });
    const statusAt = async (options: { census?: boolean; admin?: boolean }, path: string, more: object = {}) => {
      const request = new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
      const response = await build(options).fetch(request, { ...VARS, ...more }, createExecutionContext());
      const { error } = await response.json<{ error?: { code: unknown } }>();
      return [response.status, error?.code];
    };
    expect(await statusAt({ admin: false }, '/admin/status')).toEqual([404, -32000]);
    expect(await statusAt({ census: false }, '/admin/status')).toEqual([200, undefined]);
    expect(await statusAt({ census: false }, '/admin/census')).toEqual([404, 'no_census']);
    expect(await statusAt({}, '/admin/status', { OPERATOR_OBJECT: undefined })).toEqual([200, undefined]);
    expect(await statusAt({ admin: true }, '/admin/status', { OPERATOR_OBJECT: undefined })).toEqual([500, -32603]);
    expect(await statusAt({ census: true }, '/healthz', { CENSUS_OBJECT: undefined })).toEqual([500, -32603]);
    expect(told.filter((fault) => fault === 'configuration')).toHaveLength(2);
  });

  it('ALLOWED_ORIGINS=* is warned of once, and in the status (legacy)', async ({ expect }) => {
    reports.length = 0;
    const open = { ...VARS, ALLOWED_ORIGINS: '*' };
    const warning =
      'ALLOWED_ORIGINS is "*": every page that a user opens may call this Worker, and read what it answers. Name the hosts of the pages that need it, for example app.example.com.';
    await get('/up', {}, open);
    const status = await (await get('/ops/status', { authorization: `Bearer ${TOKEN}` }, open)).json();
    expect(status).toMatchObject({ warnings: [warning] });
    expect(reports.map(({ fault, cause }) => [fault, (cause as Error).message])).toEqual([
      ['configuration_warning', warning],
    ]);
  });
});
