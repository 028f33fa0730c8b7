/**
 * The real sign-in, from the first request without a token to a tool call: clients of both SDKs with their own OAuth
 * providers, `@cloudflare/workers-oauth-provider` with its KV, and an identity provider over HTTP.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { cutover } from '../../cli/cutover/command.ts';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { IDENTITY_SECRET, startIdentityProvider, type IdentityProvider } from './support/identity-provider.ts';
import {
  askedToSignIn,
  Browser,
  connectSignedIn,
  Credentials,
  locationOf,
  type Kind,
  type SignedIn,
} from './support/signed-in.ts';

let server: DevServer;
let store = '';
let identity: IdentityProvider;
beforeAll(async () => {
  identity = await startIdentityProvider();
  store = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-sign-in-'));
  server = await startDevServer({
    persistTo: store,
    config: 'examples/sign-in/wrangler.jsonc',
    vars: {
      IDENTITY_URL: identity.url,
      IDENTITY_API_URL: identity.url,
      LOG_LEVEL: 'info',
      IDENTITY_CLIENT_ID: 'e2e',
      IDENTITY_CLIENT_SECRET: IDENTITY_SECRET,
    },
  });
});
afterAll(async () => {
  await server.stop();
  await identity[Symbol.asyncDispose]();
  await rm(store, { recursive: true, force: true });
});

const at = (path: string): string => `${server.url}${path}`;
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const WAYS = [
  { kind: 'v1', path: '/legacy/mcp', lane: 'legacy' },
  { kind: 'v1 over SSE', path: '/legacy/sse', lane: 'legacy' },
  { kind: 'v1', path: '/mcp', lane: 'compat' },
  { kind: 'v2, 2025', path: '/legacy/mcp', lane: 'legacy' },
  { kind: 'v2, 2025', path: '/mcp', lane: 'compat' },
  { kind: 'v2', path: '/mcp', lane: 'modern' },
] as const satisfies readonly { kind: Kind; path: string; lane: string }[];

const whoAmI = (it: SignedIn): Promise<unknown> => it.client.callTool({ name: 'who-am-i', arguments: {} });
/**
 * What clients make of a 403 that names a scope. SDK v1 refreshes first, which gives no scope, and asks only if it has no
 * refresh token; over HTTP+SSE it hands on what the server says.
 */
const LACKS = {
  v1: /Server returned 403 after trying upscoping/,
  'v1 over SSE': /Sign in again and grant .{1,3}desk:write/,
  v2: /Unauthorized/,
  'v2, 2025': /Unauthorized/,
} as const;
const withoutRefresh = (credentials: Credentials): void => {
  const { access_token = '' } = credentials.held ?? {};
  credentials.held = { access_token, token_type: 'bearer' };
};
/** Ann's, on every lane the same. */
let counted = 0;
const count = (it: SignedIn): Promise<unknown> => it.client.callTool({ name: 'count', arguments: { by: 1 } });
/** As a token that has expired: it is no good, and the client holds what refreshes it. */
const expire = (credentials: Credentials): void => {
  const { held } = credentials;
  if (held?.refresh_token === undefined) throw new Error('There is nothing to refresh');
  credentials.held = { ...held, access_token: 'id-of-ann:expired:expired' };
};
/** RFC 7009: with its refresh token a grant ends. */
async function revoke({ held }: Credentials, clientId: string): Promise<number> {
  const body = new URLSearchParams({ token: held?.refresh_token ?? '', client_id: clientId });
  const response = await fetch(at('/token'), { method: 'POST', body });
  return response.status;
}

describe('a client that signs in', () => {
  it.for(WAYS)(
    'of SDK $kind on $path ($lane): first sign-in, more scopes, refresh, revocation',
    async (way, { expect }) => {
      const { kind, path, lane } = way;
      const credentials = new Credentials();
      await using it = await connectSignedIn(kind, at(path), credentials, 'ann');
      expect(it.signIns).toBe(1);
      expect(await whoAmI(it)).toMatchObject(text('id-of-ann'));
      expect(it.lanes()).toEqual([lane]);
      expect(credentials.held?.scope).toBe('desk:read');

      // What needs more is asked for, once, beside what there is.
      await expect(count(it)).rejects.toThrow(LACKS[kind]);
      if (kind === 'v1') {
        withoutRefresh(credentials);
        // It remembers what it has tried until a request succeeds.
        await whoAmI(it);
        await expect(count(it)).rejects.toThrow(LACKS.v2);
      }
      if (kind !== 'v1 over SSE') {
        const more = credentials.asked.at(-1);
        expect(more?.searchParams.get('scope')).toBe('desk:read desk:write');
        await it.finish(await new Browser().signIn(more ?? new URL(at('/')), 'ann'));
        counted += 1;
        expect(await count(it)).toMatchObject(text(String(counted)));
        expect(credentials.held?.scope).toBe('desk:read desk:write');
      }
      const { length } = credentials.asked;
      expect(length).toBe(kind === 'v1 over SSE' ? 1 : 2);

      expire(credentials);
      expect(await whoAmI(it)).toMatchObject(text('id-of-ann'));
      expect(credentials.held?.access_token).toMatch(/^id-of-ann:(?!expired)/);

      expect(await revoke(credentials, credentials.clientInformation()?.client_id ?? '')).toBe(200);
      await expect(whoAmI(it)).rejects.toThrow(/Unauthorized/);
      // The user is asked again, by the client itself.
      expect(credentials.asked).toHaveLength(length + 1);
    },
  );

  it.for([WAYS[3], WAYS[5]])(
    'of SDK $kind on $path ($lane) goes on at every other URL, refresh included, without a new sign-in',
    async ({ kind, path }, { expect }) => {
      const credentials = new Credentials();
      await using first = await connectSignedIn(kind, at(path), credentials, 'ben');
      expect(await whoAmI(first)).toMatchObject(text('id-of-ben'));
      const elsewhere = WAYS.filter((other) => other.path !== path);
      expect(elsewhere.length).toBeGreaterThan(2);
      for (const other of elsewhere) {
        // A client keeps by URL what it has found out.
        credentials.invalidateCredentials('discovery');
        await using it = await connectSignedIn(other.kind, at(other.path), credentials);
        expect(await whoAmI(it)).toMatchObject(text('id-of-ben'));
        expire(credentials);
        expect(await whoAmI(it)).toMatchObject(text('id-of-ben'));
      }
      expect(credentials.asked).toHaveLength(1);
    },
  );
});

it('an operator counts before a move who will have to sign in anew', async ({ expect }) => {
  const where = ['--config', 'examples/sign-in/wrangler.jsonc', '--persist-to', store];
  const { out, exitCode } = await cutover(['grants', '--json', '--resource', server.url, ...where], { env: {} });
  const { goOn, signInAnew, unknown, rows } = JSON.parse(out ?? '{}') as Record<string, unknown>;
  // Of the two clients that went from URL to URL, one has begun at /mcp, which has a resource of its own.
  expect([exitCode, goOn, signInAnew, unknown]).toEqual([1, 1, 1, 0]);
  expect(JSON.stringify(rows)).toContain('(127.0.0.1:9)');
});

describe.concurrent('a sign-in that goes wrong', () => {
  /** As far as the identity provider's page. */
  async function begun(): Promise<{ browser: Browser; identityPage: URL; credentials: Credentials; asked: URL }> {
    const credentials = new Credentials();
    const asked = await askedToSignIn('v2', at('/mcp'), credentials);
    const browser = new Browser();
    return { browser, identityPage: await browser.consent(asked), credentials, asked };
  }
  /** What the Worker's own callback answers, and to what error it sends the client's. */
  async function called(browser: Browser, callback: string | URL): Promise<unknown> {
    const response = await browser.visit(callback);
    const location = response.headers.get('location');
    return [response.status, location === null ? await response.text() : new URL(location).searchParams.get('error')];
  }

  it.for([
    ['down', 'temporarily_unavailable'],
    ['slow', 'temporarily_unavailable'],
    ['denied', 'access_denied'],
  ])(
    'at an identity provider that is %s sends the client back with an error',
    async ([login = '', error], { expect }) => {
      const { browser, identityPage } = await begun();
      identityPage.searchParams.set('login', login);
      expect(await called(browser, locationOf(await browser.visit(identityPage)))).toEqual([302, error]);
    },
  );

  it('by a callback that is called twice, in another browser, or with a state of its own, is refused', async ({
    expect,
  }) => {
    const { browser, identityPage } = await begun();
    const callback = new URL(locationOf(await browser.visit(identityPage)));
    const refusal = [400, expect.not.stringContaining('<')];
    expect(await called(new Browser(), callback)).toEqual(refusal);
    const forged = new URL(callback);
    forged.searchParams.set('state', 'another');
    expect(await called(browser, forged)).toEqual(refusal);
    expect(await called(browser, callback)).toEqual([302, null]);
    expect(await called(browser, callback)).toEqual(refusal);
  });

  it('by a redirect URI that is not the client’s never leaves the server', async ({ expect }) => {
    const { asked } = await begun();
    for (const [name, value] of [
      ['redirect_uri', 'https://evil.example/callback'],
      ['client_id', 'nobody'],
    ] as const) {
      const forged = new URL(asked);
      forged.searchParams.set(name, value);
      const response = await new Browser().visit(forged);
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    }
  });

  it('by a code that is used twice, or with another verifier, gives no token', async ({ expect }) => {
    const { browser, identityPage, credentials } = await begun();
    const back = new URL(locationOf(await browser.visit(locationOf(await browser.visit(identityPage)))));
    const exchange = async (verifier: string): Promise<unknown> => {
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code: back.searchParams.get('code') ?? '',
        redirect_uri: credentials.redirectUrl,
        client_id: credentials.clientInformation()?.client_id ?? '',
        code_verifier: verifier,
      });
      const response = await fetch(at('/token'), { method: 'POST', body });
      const { error } = await response.json<{ readonly error?: string }>();
      return [response.status, error];
    };
    expect(await exchange('v'.repeat(43))).toEqual([400, 'invalid_grant']);
    expect(await exchange(credentials.codeVerifier())).toEqual([200, undefined]);
    expect(await exchange(credentials.codeVerifier())).toEqual([400, 'invalid_grant']);
  });
});

it('a sign-in leaves no token, code or secret in the log', ({ expect }) => {
  expect(server.output()).toContain('"reason":"no_token"');
  expect(server.output()).not.toMatch(/upstream-token|code-of-|id-of-\w+:|code_verifier|the secret/);
});
