/** Tokens of an authorization server elsewhere: JSON Web Tokens (RFC 9068), checked by the keys that it publishes. */
import { jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { KeysUnavailable, remoteKeys, tellingApart } from '../cutover/admin/published-keys.ts';
import type { CheckToken, HeaderTokens } from './options.ts';

/** What `jwtTokens` is given. */
export interface JwtTokensOptions {
  /** Who must have given the tokens out, exactly as their `iss` says it. */
  readonly issuer: string;
  /** The URL of the issuer's keys, its `jwks_uri`. */
  readonly keys: string;
  /** What the tokens must be for, if their `aud` is no resource of this server, such as the name of an API. */
  readonly audience?: string | readonly string[];
  /** The claim that names the caller. Default: `sub`. */
  readonly subject?: string;
}

/** Signatures that others than the issuer could not make. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const CLOCK_TOLERANCE_S = 30;
/** An ID token says who has signed in, and to whom; it lets nobody in (RFC 9068, section 5). */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'JWT', 'AT+JWT', 'APPLICATION/AT+JWT']);

/**
 * Checks tokens of an authorization server of somebody else by its published keys. Properties are the token's claims.
 *
 * @example
 * ```ts
 * const door = signIn({
 *   tokens: jwtTokens({ issuer: 'https://login.example.com', keys: 'https://login.example.com/.well-known/jwks.json' }),
 *   authorizationServers: ['https://login.example.com'],
 *   resources: ['https://mcp.example.com/mcp', 'https://mcp.example.com/legacy'],
 * });
 * ```
 */
export function jwtTokens({ issuer, keys, audience, subject = 'sub' }: JwtTokensOptions): CheckToken {
  const verified = claimsBy(issuer, keys);
  const named = typeof audience === 'string' ? [audience] : audience;
  return async (token, { resources }) => {
    const claims = await verified(token, named ?? resources);
    const caller = claims?.[subject];
    if (claims === undefined || typeof caller !== 'string' || caller === '') return undefined;
    const given = claims['client_id'] ?? claims['azp'];
    const clientId = typeof given === 'string' ? given : undefined;
    return {
      subject: caller,
      // A claim may have one of these names, and would then say who calls in place of the one that was named.
      props: { ...claims, subject: caller, clientId },
      scopes: scopesIn(claims),
      ...(clientId !== undefined && { clientId }),
      ...(claims.exp !== undefined && { expiresAt: claims.exp }),
      // Its own audience stands for one of ours where it was asked for by name.
      ...(named === undefined && claims.aud !== undefined && { audience: claims.aud }),
    };
  };
}

/** What `accessTokens` is given. */
export interface AccessTokensOptions {
  /** The team's domain, `team.cloudflareaccess.com`. */
  readonly teamDomain: string;
  /** The audience tag of the Access application. */
  readonly audience: string;
}

/**
 * Checks the assertion that Cloudflare Access puts on each request that it lets through. The subject is the user's id at
 * Access, or the name of a service token.
 *
 * @example
 * ```ts
 * const door = signIn({ tokens: accessTokens({ teamDomain: 'team.cloudflareaccess.com', audience: 'a tag' }) });
 * ```
 */
export function accessTokens({ teamDomain, audience }: AccessTokensOptions): HeaderTokens {
  const issuer = new URL(teamDomain.includes('://') ? teamDomain : `https://${teamDomain}`).origin;
  const verified = claimsBy(issuer, `${issuer}/cdn-cgi/access/certs`);
  return {
    header: 'Cf-Access-Jwt-Assertion',
    check: async (token) => {
      const claims = await verified(token, [audience]);
      const name = [claims?.sub, claims?.['common_name']].find((one) => typeof one === 'string' && one !== '');
      return claims === undefined || typeof name !== 'string'
        ? undefined
        : { subject: name, props: { ...claims, subject: name } };
    },
  };
}

/** Undefined for a token that is not the issuer's; throws where its keys could not be fetched. */
function claimsBy(issuer: string, keysAt: string) {
  let keys: JWTVerifyGetKey | undefined;
  return async (token: string, audience: readonly string[]): Promise<JWTPayload | undefined> => {
    keys ??= tellingApart(remoteKeys(new URL(keysAt)));
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience: [...audience],
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
      });
      return TYPES.has(protectedHeader.typ?.toUpperCase()) ? payload : undefined;
    } catch (cause) {
      if (cause instanceof KeysUnavailable) throw cause;
      return undefined;
    }
  };
}

/** A text with spaces in between, or a list, by the names that servers use. */
function scopesIn(claims: JWTPayload): readonly string[] {
  const value = claims['scope'] ?? claims['scp'];
  if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '');
  return Array.isArray(value) ? value.filter((scope): scope is string => typeof scope === 'string') : [];
}
