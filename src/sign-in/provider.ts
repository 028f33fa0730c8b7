/** Tokens that `@cloudflare/workers-oauth-provider` has given out, in this Worker or behind a service binding. */
import { isPlainObject } from '../shared/json.ts';
import type { CheckToken } from './options.ts';

/** What `validateToken` of an `OAuthAuthorizationServer` gives. */
export interface ProviderToken {
  readonly props: unknown;
  readonly audience: string;
  readonly expiresAt?: number;
  readonly scope?: readonly string[];
  readonly userId?: string;
  readonly clientId?: string;
}

/** `validateToken` of an `OAuthAuthorizationServer`. */
export type ValidateToken<Env> = (resource: string, token: string, env: Env) => Promise<ProviderToken | null>;

/**
 * Checks tokens by `validateToken` of `@cloudflare/workers-oauth-provider`, for each resource whose tokens are good here: a
 * token of any of them is good on every route. Each of them must be among the `resources` of the authorization server.
 *
 * The subject is the property `subject` of the sign-in, or else the provider's own id of the user.
 *
 * @example
 * ```ts
 * declare const server: { validateToken: ValidateToken<object> };
 * const door = signIn({
 *   tokens: providerTokens((resource, token, env) => server.validateToken(resource, token, env)),
 *   authorizationServers: ['/'],
 * });
 * ```
 */
export function providerTokens<Env = object>(validate: ValidateToken<Env>): CheckToken<Env> {
  return async (token, { env, resources }) => {
    for (const resource of resources) {
      // One after the other: nearly every token is for the first.
      const found = await validate(resource, token, env);
      if (found === null) continue;
      const { props, audience, expiresAt, scope, userId, clientId } = found;
      return {
        subject: userId ?? '',
        audience,
        ...(isPlainObject(props) && { props }),
        ...(scope !== undefined && { scopes: scope }),
        ...(clientId !== undefined && { clientId }),
        ...(expiresAt !== undefined && { expiresAt }),
      };
    }
    return undefined;
  };
}
