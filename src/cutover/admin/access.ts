/**
 * Cloudflare Access as the operator's sign-in: the assertion that Access puts on each request it lets through is checked
 * here as well, because the Worker may be reached by a name that Access does not guard.
 */
import { errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { oneLine } from '../../shared/one-line.ts';
import { reportConfiguration, reportUnavailable, type Reporter } from '../../shared/pipeline/report.ts';
import { KeysUnavailable, remoteKeys, tellingApart } from './published-keys.ts';

export interface AccessEnv {
  /** `team.cloudflareaccess.com`, with or without `https://`. */
  readonly ACCESS_TEAM_DOMAIN?: string;
  /** The audience tag of the Access application. */
  readonly ACCESS_AUD?: string;
}

export interface AccessConfig {
  readonly issuer: string;
  readonly audience: string;
}

export type AccessOutcome =
  /** Who it is, as Access knows them: an e-mail address, or the name of a service token. */
  | { readonly kind: 'admitted'; readonly who: string }
  | { readonly kind: 'refused' }
  /** The keys could not be fetched. */
  | { readonly kind: 'unavailable' };

/** Where the keys of a team come from. */
export type KeysOf = (url: URL) => JWTVerifyGetKey;

export const ASSERTION_HEADER = 'Cf-Access-Jwt-Assertion';
const CLOCK_TOLERANCE_S = 30;
/** As much as the headers of a request may have in all: a real one has about a thousand characters. */
const LONGEST_ASSERTION = 16 * 1024;

const told = new WeakSet<object>();

/** Undefined where Access is not configured, or not completely, which is reported once per isolate. */
export function accessConfig(env: AccessEnv, reporter: Reporter): AccessConfig | undefined {
  const { ACCESS_TEAM_DOMAIN: domain = '', ACCESS_AUD: audience = '' } = env;
  if (domain === '' && audience === '') return undefined;
  const issuer = originOf(domain);
  if (issuer !== undefined && audience !== '') return { issuer, audience };
  if (!told.has(env)) {
    told.add(env);
    const [name, what] =
      issuer === undefined
        ? ['ACCESS_TEAM_DOMAIN', "be the team's domain, for example example.cloudflareaccess.com."]
        : ['ACCESS_AUD', 'be the audience tag of the Access application.'];
    reportConfiguration(reporter, [`The variable ${name} must ${what}`]);
  }
  return undefined;
}

/** Keys must not come over a line that others can write on; a local test's do. */
function originOf(domain: string): string | undefined {
  const text = domain.includes('://') ? domain : `https://${domain}`;
  if (domain === '' || !URL.canParse(text)) return undefined;
  const { origin, protocol, hostname } = new URL(text);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '127.0.0.1' ? origin : undefined;
}

export function createAccessCheck(reporter: Reporter, keysOf: KeysOf = remoteKeys) {
  const known = new Map<string, JWTVerifyGetKey>();
  return async ({ issuer, audience }: AccessConfig, assertion: string): Promise<AccessOutcome> => {
    if (assertion.length > LONGEST_ASSERTION) return { kind: 'refused' };
    const keys = known.get(issuer) ?? withKeyNamed(tellingApart(keysOf(new URL('/cdn-cgi/access/certs', issuer))));
    known.set(issuer, keys);
    try {
      const { payload, protectedHeader } = await jwtVerify(assertion, keys, {
        issuer,
        audience,
        algorithms: ['RS256'],
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
      });
      if (protectedHeader.typ !== undefined && protectedHeader.typ.toUpperCase() !== 'JWT') return { kind: 'refused' };
      const names = [payload['email'], payload['common_name'], payload.sub].map(nameIn);
      const who = names.find((name) => name !== '');
      return who === undefined ? { kind: 'refused' } : { kind: 'admitted', who };
    } catch (cause) {
      if (!(cause instanceof KeysUnavailable)) return { kind: 'refused' };
      reportUnavailable(reporter, cause.cause);
      return { kind: 'unavailable' };
    }
  };
}

const LONGEST_NAME = 200;
const nameIn = (claim: unknown): string => (typeof claim === 'string' ? oneLine(claim, LONGEST_NAME) : '');

/** Access names one of its keys in each assertion. */
const withKeyNamed =
  (keys: JWTVerifyGetKey): JWTVerifyGetKey =>
  async (header, token) => {
    if (typeof header.kid !== 'string') throw new errors.JWKSNoMatchingKey();
    return keys(header, token);
  };
