/**
 * The real sign-in, from the first request without a token to a tool call: clients of both SDKs with their own OAuth
 * providers, `@cloudflare/workers-oauth-provider` with its KV, and an identity provider over HTTP.
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { IDENTITY_SECRET, startIdentityProvider, type IdentityProvider } from './support/identity-provider.ts';
import { connectSignedIn, Credentials, type Kind } from './support/signed-in.ts';

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

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const WAYS = [
  { kind: 'v1', path: '/legacy/mcp', lane: 'legacy' },
  { kind: 'v1 over SSE', path: '/legacy/sse', lane: 'legacy' },
  { kind: 'v1', path: '/mcp', lane: 'compat' },
  { kind: 'v2, 2025', path: '/legacy/mcp', lane: 'legacy' },
  { kind: 'v2, 2025', path: '/mcp', lane: 'compat' },
  { kind: 'v2', path: '/mcp', lane: 'modern' },
] as const satisfies readonly { kind: Kind; path: string; lane: string }[];

describe('a client that signs in', () => {
  it.for(WAYS)('of SDK $kind on $path ($lane) signs in once and calls', async ({ kind, path }, { expect }) => {
    const credentials = new Credentials();
    await using it = await connectSignedIn(kind, `${server.url}${path}`, credentials, 'ann');
    expect(it.signIns).toBe(1);
    expect(await it.client.callTool({ name: 'who-am-i', arguments: {} })).toMatchObject(text('id-of-ann'));
  });
});
