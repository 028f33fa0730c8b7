/**
 * The authorization server: the pages at `/authorize` and `/callback` are here, the endpoints for tokens and registration
 * are the package's. One for each origin that the Worker answers at.
 */
import {
  AuthorizationError,
  authorizationErrorRedirect,
  CimdFetchError,
  OAuthAuthorizationServer,
  type OAuthHelpers,
} from '@cloudflare/workers-oauth-provider';
import { keepGrants } from 'hybrid-mcp/sign-in';
import { SCOPES } from './catalogue.ts';
import { consentPage } from './consent.ts';
import type { SignInEnv } from './environment.ts';
import { identityProvider, type IdentityFetch } from './identity.ts';

/** The resources of a server, as its grants have them: the origin, and what clients were told before the adoption. */
export const RESOURCES = ['/', '/mcp', '/sse'] as const;

const PATHS = { authorize: '/authorize', callback: '/callback', token: '/token', register: '/register' } as const;
const METADATA = '/.well-known/oauth-authorization-server';

const known = new Map<string, OAuthAuthorizationServer<SignInEnv>>();

export function authorizationServerAt(origin: string): OAuthAuthorizationServer<SignInEnv> {
  const server = known.get(origin) ?? newServer(origin);
  known.set(origin, server);
  return server;
}

const newServer = (issuer: string): OAuthAuthorizationServer<SignInEnv> =>
  new OAuthAuthorizationServer<SignInEnv>({
    issuer,
    resources: RESOURCES.map((path) => (path === '/' ? issuer : `${issuer}${path}`)),
    defaultResource: issuer,
    // What clients hold that have never said a resource.
    legacyGrantResource: issuer,
    authorizeEndpoint: PATHS.authorize,
    tokenEndpoint: PATHS.token,
    clientRegistrationEndpoint: PATHS.register,
    scopesSupported: Object.values(SCOPES),
    clientIdMetadataDocumentEnabled: true,
    // The package's own default writes what clients have sent into the log.
    onError: () => undefined,
  });

/** Undefined for what is not the authorization server's. */
export async function authorize(
  request: Request,
  env: SignInEnv,
  ctx: ExecutionContext,
  send?: IdentityFetch,
): Promise<Response | undefined> {
  const { origin, pathname } = new URL(request.url);
  switch (pathname) {
    case PATHS.authorize:
    case PATHS.callback: {
      const oauth = authorizationServerAt(origin).getOAuthApi(env);
      const page = pathname === PATHS.callback ? callback : request.method === 'POST' ? approve : ask;
      return page(request, oauth, { ...identityProvider(env, send), callback: `${origin}${PATHS.callback}` }).catch(
        refused,
      );
    }
    case PATHS.token:
      // A client that has moved from one URL of this server to another refreshes what it has.
      return authorizationServerAt(origin).fetch(await keepGrants(request, RESOURCES), env, ctx);
    case PATHS.register:
    case METADATA:
      return authorizationServerAt(origin).fetch(request, env, ctx);
    default:
      return undefined;
  }
}

type Identity = ReturnType<typeof identityProvider> & { readonly callback: string };

async function ask(request: Request, oauth: OAuthHelpers): Promise<Response> {
  const asked = await oauth.parseAuthRequest(request);
  const details = await oauth.describeConsent(asked);
  const { handle, headers } = await oauth.beginConsent(asked);
  headers.set('Content-Type', 'text/html; charset=utf-8');
  return new Response(consentPage(details, handle), { headers });
}

async function approve(request: Request, oauth: OAuthHelpers, identity: Identity): Promise<Response> {
  const form = await request.formData();
  const handle = textOf(form.get('handle'));
  if (form.get('decision') !== 'approve') {
    const { headers } = await oauth.denyConsent(request, handle);
    return new Response(null, { status: 302, headers });
  }
  const approved = await oauth.approveConsent(request, handle, { scope: form.getAll('scope').map(textOf) });
  const { state, headers } = await oauth.beginUpstream(approved.request, { headers: approved.headers });
  headers.set('Location', identity.authorizeUrl({ state, callback: identity.callback }));
  return new Response(null, { status: 302, headers });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

async function callback(request: Request, oauth: OAuthHelpers, identity: Identity): Promise<Response> {
  const { request: asked, headers } = await oauth.finishUpstream(request);
  const { searchParams } = new URL(request.url);
  const code = searchParams.get('code');
  const signedIn =
    code === null || searchParams.has('error')
      ? undefined
      : await identity.userOf({ code, callback: identity.callback });
  if (signedIn?.ok === true) {
    const { id, login, token } = signedIn.user;
    const { redirectTo } = await oauth.completeAuthorization({
      request: asked,
      userId: id,
      metadata: {},
      scope: asked.scope,
      // Encrypted at rest. The subject is the id: a login can change hands.
      props: { subject: id, login, identityToken: token },
    });
    headers.set('Location', redirectTo);
  } else {
    const error = signedIn === undefined ? 'access_denied' : 'temporarily_unavailable';
    headers.set('Location', authorizationErrorRedirect(asked, error));
  }
  return new Response(null, { status: 302, headers });
}

/** A client is sent back only where it is known and its redirect URI is its own; anything else is said on a page of ours. */
function refused(error: unknown): Response {
  if (error instanceof AuthorizationError && error.redirectTo !== undefined) {
    return new Response(null, { status: 302, headers: { Location: error.redirectTo } });
  }
  if (error instanceof AuthorizationError || error instanceof CimdFetchError) {
    const text = error instanceof AuthorizationError ? error.description : 'The application could not be verified.';
    return new Response(`${text}\n`, { status: 400, headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
  }
  throw error;
}
