/**
 * The real sign-in, from the first request without a token to a tool call: clients of both SDKs with their own OAuth
 * providers, `@cloudflare/workers-oauth-provider` with its KV, and an identity provider over HTTP.
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { IDENTITY_SECRET, startIdentityProvider, type IdentityProvider } from './support/identity-provider.ts';
import { connectSignedIn, Credentials, type Kind, type SignedIn } from './support/signed-in.ts';

let server: DevServer;
let identity: IdentityProvider;
beforeAll(async () => {
  identity = await startIdentityProvider();
  server = await startDevServer({
    config: 'examples/sign-in/wrangler.jsonc',
    vars: {
      IDENTITY_URL: identity.url,
      IDENTITY_API_URL: identity.url,
      IDENTITY_CLIENT_ID: 'e2e',
      IDENTITY_CLIENT_SECRET: IDENTITY_SECRET,
    },
  });
});
afterAll(async () => {
  await server.stop();
  await identity[Symbol.asyncDispose]();
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
  it.for(WAYS)('of SDK $kind on $path ($lane): first sign-in, calls, refresh, revocation', async (way, { expect }) => {
    const { kind, path, lane } = way;
    const credentials = new Credentials();
    await using it = await connectSignedIn(kind, at(path), credentials, 'ann');
    expect(it.signIns).toBe(1);
    expect(await whoAmI(it)).toMatchObject(text('id-of-ann'));
    expect(it.lanes()).toEqual([lane]);
    expect(credentials.held?.scope).toBe('desk:read');

    expire(credentials);
    expect(await whoAmI(it)).toMatchObject(text('id-of-ann'));
    expect(credentials.held?.access_token).toMatch(/^id-of-ann:(?!expired)/);

    expect(await revoke(credentials, credentials.clientInformation()?.client_id ?? '')).toBe(200);
    await expect(whoAmI(it)).rejects.toThrow(/Unauthorized/);
    // The user is asked again, by the client itself.
    expect(credentials.asked).toHaveLength(2);
  });

  it.for(WAYS.slice(-3))(
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
