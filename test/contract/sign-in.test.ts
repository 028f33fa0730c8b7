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
});
