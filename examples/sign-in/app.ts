/** Both routes behind one sign-in, and the authorization server beside them. */
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { providerTokens, signIn, type CheckToken } from 'hybrid-mcp/sign-in';
import { authorizationServerAt, authorize, RESOURCES } from './authorization.ts';
import { catalogue, SCOPES } from './catalogue.ts';
import type { SignInEnv } from './environment.ts';
import type { IdentityFetch } from './identity.ts';

/** Tokens that the authorization server of this Worker has given out. */
export const issuedTokens: CheckToken<SignInEnv> = providerTokens((resource, token, env) =>
  authorizationServerAt(new URL(resource).origin).validateToken(resource, token, env),
);

export interface AppOptions {
  readonly tokens?: CheckToken<SignInEnv>;
  /** How the identity provider is reached. Default: the network. */
  readonly send?: IdentityFetch;
}

export function createApp({ tokens = issuedTokens, send }: AppOptions = {}) {
  const hybrid = createHybrid({
    catalogue,
    legacy: legacyLane(),
    signIn: signIn({ tokens, authorizationServers: ['/'], resources: RESOURCES, scopes: [SCOPES.read] }),
  });
  return {
    ...hybrid,
    fetch: async (request: Request, env: SignInEnv, ctx: ExecutionContext): Promise<Response> =>
      (await authorize(request, env, ctx, send)) ?? hybrid.fetch(request, env, ctx),
  };
}
