/** The sign-in in front of every route: what it refuses and how, what answers without it, and whom the lanes are told of. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { signIn, type TokenOwner } from 'hybrid-mcp/sign-in';
import { callersBehind, reports } from '../fixture/callers.ts';
import { fixtureCatalogue as catalogue } from '../fixture/catalogue.ts';
import { LANE_NAMES, openLane } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const HOUR_S = 3600;
const now = (): number => Date.now() / 1000;
const ANN: TokenOwner = {
  subject: 'ann',
  clientId: 'editor',
  scopes: ['read', 'write'],
  props: { claims: { sub: 'ann' }, token: 'hers' },
};

/** Every kind of token, by its own text. */
const TOKENS: Readonly<Record<string, () => TokenOwner | null | undefined | Promise<TokenOwner>>> = {
  'token-of-ann': () => ANN,
  'token-of-a-reader': () => ({ ...ANN, scopes: ['read'] }),
  'token-of-ben': () => ({ ...ANN, subject: 'ben', props: { claims: { sub: 'ben' } } }),
  'token-with-a-time': () => ({ ...ANN, expiresAt: now() + HOUR_S }),
  'token-for-mcp': () => ({ ...ANN, audience: `${ORIGIN}/mcp` }),
  'token-for-many': () => ({ ...ANN, audience: ['https://other.example', `${ORIGIN}/`] }),
  'token-of-the-old-url': () => ({ ...ANN, audience: 'https://old.example/mcp' }),
  'token-of-an-older-url': () => ({ ...ANN, audience: 'https://older.example/mcp' }),
  'token-of-before': () => ({ ...ANN, expiresAt: now() - 1 }),
  'token-for-others': () => ({ ...ANN, audience: 'https://other.example/mcp' }),
  'token-of-nobody': () => ({ ...ANN, subject: '' }),
  'token-without-scopes': () => ({ subject: 'ann' }),
  'token-that-was-revoked': () => null,
  'token-at-a-bad-time': () => Promise.reject(new Error('The server of tokens is down')),
  'token-that-takes-long': () => Promise.withResolvers<TokenOwner>().promise,
};
const checked: string[] = [];
const door = signIn({
  tokens: (token) => {
    checked.push(token);
    return TOKENS[token]?.();
  },
  authorizationServers: ['/'],
  resources: ['/', '/mcp'],
  formerly: [
    { resource: 'https://old.example/mcp', until: new Date(Date.now() + HOUR_S * 1000) },
    { resource: 'https://older.example/mcp', until: '2026-01-01' },
  ],
  scopes: ['read'],
  name: 'A server',
  checkMs: 50,
});
const hybrid = createHybrid({ catalogue, legacy: legacyLane(), signIn: door, report: (one) => void reports.push(one) });
const { handler: telling } = callersBehind(door);

const VARS = { ...env, LOG_LEVEL: 'info' };
/** Stages by variables alone; nothing of them may be remembered for other tests. */
const { FLAGS: _flags, OPERATOR_OBJECT: _operator, ...STAGED } = VARS;
const send = (path: string, init: RequestInit = {}, vars: object = VARS): Promise<Response> =>
  hybrid.fetch(new Request(`${ORIGIN}${path}`, init), vars, createExecutionContext());
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});
const post = (headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...JSON_HEADERS, ...headers },
  body: INITIALIZE,
});

/** Each way to a lane, with the resource that its path announces. */
const WAYS = [
  ['POST /mcp', '/mcp', post, '/mcp'],
  ['POST /legacy/mcp', '/legacy/mcp', post, ''],
  ['GET /mcp', '/mcp', (headers: object) => ({ headers: { accept: 'text/event-stream', ...headers } }), '/mcp'],
  [
    'GET /legacy/mcp',
    '/legacy/mcp',
    (headers: object) => ({ headers: { accept: 'text/event-stream', ...headers } }),
    '',
  ],
  ['DELETE /mcp', '/mcp', (headers: object) => ({ method: 'DELETE', headers: { ...headers } }), '/mcp'],
  ['DELETE /legacy/mcp', '/legacy/mcp', (headers: object) => ({ method: 'DELETE', headers: { ...headers } }), ''],
  [
    'GET /legacy/sse',
    '/legacy/sse',
    (headers: object) => ({ headers: { accept: 'text/event-stream', ...headers } }),
    '',
  ],
  ['POST /legacy/sse/message', '/legacy/sse/message?sessionId=x', post, ''],
] as const;

/** Each credential that is not good, with what is said of it. */
const INVALID = [401, 'invalid_token'] as const;
const BAD: Readonly<Record<string, readonly [headers: Record<string, string>, status: number, error?: string]>> = {
  none: [{}, 401],
  'another scheme': [{ authorization: 'Basic YW5uOnRva2VuLW9mLWFubg==' }, 401],
  'no token after the scheme': [{ authorization: 'Bearer' }, 400, 'invalid_request'],
  'two tokens': [{ authorization: 'Bearer token-of-ann, Bearer token-of-ben' }, 400, 'invalid_request'],
  'two words': [{ authorization: 'Bearer token-of-ann token-of-ben' }, 400, 'invalid_request'],
  oversized: [{ authorization: `Bearer ${'t'.repeat(20_000)}` }, ...INVALID],
  unknown: [{ authorization: 'Bearer token-that-nobody-gave-out' }, ...INVALID],
  revoked: [{ authorization: 'Bearer token-that-was-revoked' }, ...INVALID],
  expired: [{ authorization: 'Bearer token-of-before' }, ...INVALID],
  'for another server': [{ authorization: 'Bearer token-for-others' }, ...INVALID],
  'for an old URL, after its date': [{ authorization: 'Bearer token-of-an-older-url' }, ...INVALID],
  'of nobody': [{ authorization: 'Bearer token-of-nobody' }, ...INVALID],
  'without the scope': [{ authorization: 'Bearer token-without-scopes' }, 403, 'insufficient_scope'],
};

describe('a sign-in', () => {
  const logged: unknown[][] = [];
  beforeEach(() => {
    reports.length = 0;
    logged.length = 0;
    checked.length = 0;
    for (const level of ['log', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((...line: unknown[]) => void logged.push(line));
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const written = (): string => JSON.stringify([logged, reports]);

  describe.each(WAYS)('%s', (_name, path, init, resource) => {
    it.for(Object.entries(BAD))('refuses a token that is: %s', async ([, [headers, status, error]], { expect }) => {
      const response = await send(path, init(headers));
      const challenge = response.headers.get('www-authenticate') ?? '';
      expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json']);
      expect(challenge).toMatch(/^Bearer realm="mcp"[^<>]*$/);
      expect(challenge).toContain(
        ` scope="read", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource${resource}"`,
      );
      expect(/error="(\w+)"/.exec(challenge)?.[1]).toBe(error);
      const body = await response.text();
      expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
      expect(logged).toHaveLength(1);
      expect(body + challenge + written()).not.toMatch(/token-(?:of|for|that|without)|ttttt|YW5u/);
    });

    it('never reads a token of the query', async ({ expect }) => {
      const query = `${path.includes('?') ? '&' : '?'}access_token=token-of-ann`;
      expect((await send(`${path}${query}`, init({}))).status).toBe(401);
      expect((await send(`${path}${query}`, init({ authorization: 'Bearer token-of-ann' }))).status).toBe(400);
      expect([checked, written().includes('token-of-ann')]).toEqual([[], false]);
    });

    it.for(['token-at-a-bad-time', 'token-that-takes-long'])(
      'answers 503, and no challenge, to a %s, and tells the operator why',
      async (token, { expect }) => {
        const response = await send(path, init({ authorization: `Bearer ${token}` }));
        expect([
          response.status,
          response.headers.get('retry-after'),
          response.headers.get('www-authenticate'),
        ]).toEqual([503, '5', null]);
        expect(reports).toHaveLength(1);
        expect(written()).not.toContain(token);
      },
    );
  });

  it('lets a page ask before it has a token, and read the challenge', async ({ expect }) => {
    const origin = 'http://localhost:6274';
    const asked = await send('/mcp', { method: 'OPTIONS', headers: { origin } });
    expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([
      204,
      expect.stringContaining('Authorization'),
    ]);
    const refused = await send('/mcp', post({ origin }));
    expect([
      refused.status,
      refused.headers.get('access-control-allow-origin'),
      refused.headers.get('access-control-expose-headers'),
    ]).toEqual([401, origin, expect.stringContaining('WWW-Authenticate')]);
  });

  it.for([
    ['/.well-known/oauth-protected-resource', ORIGIN],
    ['/.well-known/oauth-protected-resource/mcp', `${ORIGIN}/mcp`],
    ['/.well-known/oauth-protected-resource/legacy/mcp', ORIGIN],
    ['/.well-known/oauth-protected-resource/legacy/sse', ORIGIN],
  ])('serves the metadata at %s to everybody', async ([path = '', resource], { expect }) => {
    const response = await send(path, { headers: { origin: 'https://a-page.example' } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(await response.json()).toEqual({
      resource,
      authorization_servers: [ORIGIN],
      bearer_methods_supported: ['header'],
      scopes_supported: ['read'],
      resource_name: 'A server',
    });
    const headers = { origin: 'https://a-page.example', 'access-control-request-headers': 'mcp-protocol-version' };
    const asked = await send(path, { method: 'OPTIONS', headers });
    expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([204, '*']);
    expect((await send(path, { method: 'POST' })).status).toBe(405);
    const foreign = await hybrid.fetch(new Request(`http://foreign.example${path}`), VARS, createExecutionContext());
    expect(foreign.status).toBe(403);
  });

  it('has no metadata for other paths, and says so in JSON', async ({ expect }) => {
    const response = await send('/.well-known/oauth-protected-resource/elsewhere');
    expect([response.status, await response.json()]).toEqual([404, { error: 'not_found' }]);
    // Of the authorization server, which is this Worker's own.
    expect((await send('/.well-known/oauth-authorization-server')).status).toBe(404);
  });

  it('answers probes, its page and the operator without a token', async ({ expect }) => {
    expect(await (await send('/healthz')).json()).toEqual({ ok: true });
    expect((await send('/')).status).toBe(200);
    const ADMIN_TOKEN = 'a-token-of-at-least-thirty-two-characters';
    const vars = { ...VARS, ADMIN_TOKEN };
    expect((await send('/admin/status', {}, vars)).status).toBe(401);
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    expect((await send('/admin/status', { headers }, vars)).status).toBe(200);
    expect(checked).toEqual([]);
  });

  it.for(['/legacy/mcp', '/legacy/sse'])('says 410 at %s before it asks for a token', async (path, { expect }) => {
    const vars = { ...STAGED, LEGACY_ROUTE_STAGE: 'gone', LEGACY_SSE_ROUTE_STAGE: 'gone' };
    const as = (headers: Record<string, string>): Promise<Response> =>
      send(
        path,
        path === '/legacy/sse' ? { headers: { accept: 'text/event-stream', ...headers } } : post(headers),
        vars,
      );
    const [unknown, known] = await Promise.all([as({}), as({ authorization: 'Bearer token-of-ann' })]);
    expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([410, null]);
    const errorOf = async (response: Response): Promise<unknown> =>
      (await response.json<{ readonly error: unknown }>()).error;
    expect([known.status, await errorOf(known)]).toEqual([410, await errorOf(unknown)]);
  });

  it('says that a route is switched off before it asks for a token', async ({ expect }) => {
    expect((await send('/mcp', post(), { ...STAGED, MCP_ROUTE_STAGE: 'off' })).status).toBe(404);
  });

  it('limits an address before it checks its token, and by a key of one’s own with the caller', async ({ expect }) => {
    const keys: string[] = [];
    const vars = {
      ...VARS,
      RATE_LIMITER: {
        limit: async ({ key }: { key: string }) => {
          keys.push(key);
          return { success: false };
        },
      },
    };
    const token = { authorization: 'Bearer token-of-ann' };
    expect((await send('/mcp', post(token), vars)).status).toBe(429);
    expect([keys, checked]).toEqual([['no-address'], []]);
    const byCaller = createHybrid({
      catalogue,
      signIn: door,
      rateLimitKey: (_request, { subject }) => subject ?? 'nobody',
    });
    for (const headers of [token, { authorization: 'Bearer token-of-before' }]) {
      const response = await byCaller.fetch(
        new Request(`${ORIGIN}/mcp`, post(headers)),
        vars,
        createExecutionContext(),
      );
      expect(response.status).toBe(429);
    }
    expect(keys.slice(1)).toEqual(['ann', 'nobody']);
  });

  describe.each(LANE_NAMES)('on %s', (lane) => {
    const openAs = (token: string) =>
      openLane(lane, {
        origin: ORIGIN,
        headers: { authorization: `Bearer ${token}` },
        send: (request) => telling.fetch(request, VARS, createExecutionContext()),
      });
    const told = async (token: string, name: string): Promise<unknown> => {
      const { answer } = await (await openAs(token)).request('tools/call', { name, arguments: {} });
      const content = answer?.result?.['content'] as readonly { text: string }[] | undefined;
      return JSON.parse(content?.find((block) => block.text.startsWith('{'))?.text ?? 'null');
    };

    it.for(['tell', 'remember'])('%s is told of the caller as the token says', async (name, { expect }) => {
      expect(await told('token-of-ann', name)).toMatchObject({
        subject: 'ann',
        scopes: ['read', 'write'],
        clientId: 'editor',
        token: 'hers',
      });
      // The same subject with another token: what it may do is the token's.
      expect(await told('token-of-a-reader', name)).toMatchObject({ subject: 'ann', scopes: ['read'] });
      expect(await told('token-of-ben', name)).toMatchObject({ subject: 'ben', token: null });
    });

    it.for(['token-with-a-time', 'token-for-mcp', 'token-for-many', 'token-of-the-old-url'])(
      'a %s is good on every route',
      async (token, { expect }) => {
        expect(await told(token, 'tell')).toMatchObject({ subject: 'ann' });
      },
    );

    it('what one caller has begun is unknown to another, and to whoever has no token', async ({ expect }) => {
      const mine = await openAs('token-of-ann');
      const { answer } = await mine.request('tools/call', { name: 'remember', arguments: {} });
      const handle = (answer?.result?.['structuredContent'] as { handle?: string } | undefined)?.handle;
      const asOther = await openAs('token-of-ben');
      const stolen = await asOther.request('tools/call', { name: 'remember', arguments: { handle: handle ?? 'none' } });
      expect(JSON.stringify(stolen.answer)).toContain('names no state');
      if (mine.sessionId === undefined) return;
      const headers = { ...JSON_HEADERS, 'mcp-session-id': mine.sessionId };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const path = lane === 'legacy' ? '/legacy/mcp' : '/mcp';
      const as = async (token: Record<string, string>): Promise<number> => {
        const request = new Request(`${ORIGIN}${path}`, { method: 'POST', headers: { ...headers, ...token }, body });
        return (await telling.fetch(request, VARS, createExecutionContext())).status;
      };
      expect(await as({ authorization: 'Bearer token-of-ann' })).toBe(200);
      expect(await as({})).toBe(401);
      if (lane === 'legacy') expect(await as({ authorization: 'Bearer token-of-ben' })).toBe(404);
    });
  });
});
