/**
 * Grants from before: what `@cloudflare/workers-oauth-provider` gave out for a class at one URL goes on behind the sign-in of
 * `examples/sign-in`, over the same KV namespace, on every lane, refresh included.
 */
import { OAuthProvider, type OAuthHelpers } from '@cloudflare/workers-oauth-provider';
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { signIn } from 'hybrid-mcp/sign-in';
import { issuedTokens } from '../../examples/sign-in/app.ts';
import { authorize, RESOURCES } from '../../examples/sign-in/authorization.ts';
import type { SignInEnv } from '../../examples/sign-in/environment.ts';
import { fixtureCatalogue as catalogue } from '../fixture/catalogue.ts';
import { LANE_NAMES, openLane } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const CALLBACK = 'http://127.0.0.1:9/callback';
/** PKCE, as a public client has to use it. */
const VERIFIER = 'v'.repeat(43);
const VARS = env as unknown as SignInEnv & typeof env;
const ctx = createExecutionContext;

/** As a project has it before: one class at one URL, tokens for that URL alone. */
const before = (resource: string) =>
  new OAuthProvider<SignInEnv & { readonly OAUTH_PROVIDER: OAuthHelpers }>({
    apiRoute: new URL(resource).pathname.replace(/^\/$/, '/mcp'),
    apiHandler: { fetch: async () => new Response('the class') },
    defaultHandler: {
      fetch: async (request, { OAUTH_PROVIDER }) => {
        const asked = await OAUTH_PROVIDER.parseAuthRequest(request);
        const { redirectTo } = await OAUTH_PROVIDER.completeAuthorization({
          request: asked,
          userId: 'id-of-ann',
          metadata: {},
          scope: asked.scope,
          props: { subject: 'id-of-ann', login: 'ann' },
        });
        return Response.redirect(redirectTo, 302);
      },
    },
    authorizeEndpoint: '/authorize',
    tokenEndpoint: '/token',
    clientRegistrationEndpoint: '/register',
    scopesSupported: ['desk:read', 'desk:write'],
    resourceMetadata: { resource, authorization_servers: [ORIGIN] },
  });

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** A client of before: registered, signed in, and in possession of both tokens. */
async function signedInBefore(resource: string): Promise<{ clientId: string; tokens: Tokens }> {
  const provider = before(resource);
  const { origin } = new URL(resource);
  // The provider puts its helpers on the environment.
  const vars = { ...VARS } as never;
  const send = (path: string, init?: RequestInit): Promise<Response> =>
    provider.fetch(new Request(`${origin}${path}`, { redirect: 'manual', ...init }), vars, ctx());
  const registered = await send('/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  });
  const { client_id: clientId } = await registered.json<{ client_id: string }>();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER)));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: 'desk:read',
    resource,
    code_challenge: digest.toBase64({ alphabet: 'base64url', omitPadding: true }),
    code_challenge_method: 'S256',
  });
  const back = new URL((await send(`/authorize?${String(query)}`)).headers.get('location') ?? '');
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: back.searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    client_id: clientId,
    code_verifier: VERIFIER,
    resource,
  });
  const exchanged = await send('/token', { method: 'POST', body });
  return { clientId, tokens: await exchanged.json<Tokens>() };
}

const hybrid = createHybrid({
  catalogue,
  legacy: legacyLane(),
  signIn: signIn({
    tokens: issuedTokens,
    authorizationServers: ['/'],
    resources: RESOURCES,
    scopes: ['desk:read'],
  }),
});

async function refreshed(clientId: string, token: string, resource?: string): Promise<Response | undefined> {
  const fields = { grant_type: 'refresh_token', refresh_token: token, client_id: clientId };
  const body = String(new URLSearchParams({ ...fields, ...(resource !== undefined && { resource }) }));
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) };
  return authorize(new Request(`${ORIGIN}/token`, { method: 'POST', headers, body }), VARS, ctx());
}

/** The lanes on which a token is good. */
async function goodOn(token: string): Promise<readonly string[]> {
  const good: string[] = [];
  for (const name of LANE_NAMES) {
    const lane = await openLane(name, {
      origin: ORIGIN,
      headers: { authorization: `Bearer ${token}` },
      send: (request) => hybrid.fetch(request, VARS, ctx()),
    });
    const { status, answer } = await lane.request('tools/list');
    if (status === 200 && answer?.result !== undefined) good.push(name);
  }
  return good;
}

describe('a grant from before', () => {
  it.for([ORIGIN, `${ORIGIN}/mcp`, `${ORIGIN}/sse`])(
    'for %s goes on at every URL, with its token and with its refreshes',
    async (resource, { expect }) => {
      const { clientId, tokens } = await signedInBefore(resource);
      expect(await goodOn(tokens.access_token)).toEqual(['legacy', 'compat', 'modern']);
      // As the URLs announce it to a client that has moved, and as one sends it that has not read it.
      let { refresh_token: last } = tokens;
      for (const named of [undefined, ORIGIN, `${ORIGIN}/mcp`]) {
        const response = await refreshed(clientId, last, named);
        expect(response?.status).toBe(200);
        const renewed = await response?.json<Tokens>();
        expect(await goodOn(renewed?.access_token ?? '')).toEqual(['legacy', 'compat', 'modern']);
        last = renewed?.refresh_token ?? '';
      }
    },
  );

  it('for another server is refused, and so is its token', async ({ expect }) => {
    const { clientId, tokens } = await signedInBefore('https://elsewhere.example/mcp');
    await expect(goodOn(tokens.access_token)).rejects.toThrow('401');
    expect((await refreshed(clientId, tokens.refresh_token))?.status).toBe(400);
  });
});
