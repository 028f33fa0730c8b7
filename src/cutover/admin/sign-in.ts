/** Authenticates a caller of the operator API: by the admin token, or by Cloudflare Access. */
import type { Reporter } from '../../shared/pipeline/report.ts';
import { accessConfig, ASSERTION_HEADER, createAccessCheck, type AccessEnv, type KeysOf } from './access.ts';
import { nothingHere, given, refuse, type Problem, type Result } from './answer.ts';
import { adminToken, bearerOf, isSameSecret, SHORTEST_TOKEN, type TokenEnv } from './token.ts';

export type SignInEnv = TokenEnv & AccessEnv;

export interface Caller {
  /** Absent for the token, which anybody may hold: such a caller says who they are with each change. */
  readonly who?: string;
}

const notSignedIn = (message: string, remedy: string): Problem => ({
  status: 401,
  code: 'not_signed_in',
  message,
  remedy,
  headers: { 'WWW-Authenticate': 'Bearer realm="admin"' },
});

const WRONG_TOKEN = notSignedIn(
  'The bearer token is not the admin token',
  `Send the Worker's secret ADMIN_TOKEN, of at least ${SHORTEST_TOKEN} characters. Set it with: npx wrangler secret put ADMIN_TOKEN`,
);
const NO_TOKEN = notSignedIn(
  'This needs a sign-in',
  "Send `Authorization: Bearer <token>` with the Worker's secret ADMIN_TOKEN, or come through Cloudflare Access.",
);
const WRONG_ASSERTION = notSignedIn(
  'The Access assertion is not valid here',
  'Sign in again, and compare ACCESS_TEAM_DOMAIN and ACCESS_AUD with the Access application.',
);
const NO_KEYS: Problem = {
  status: 503,
  code: 'sign_in_unavailable',
  message: 'The keys of Cloudflare Access could not be fetched',
  remedy: 'Try again, or use the admin token.',
};

/** Without a token or Access in the configuration there is nothing here, for anybody. */
export function createSignIn(reporter: Reporter, keysOf?: KeysOf) {
  const checkAccess = createAccessCheck(reporter, keysOf);
  return async (headers: Headers, env: SignInEnv): Promise<Result<Caller>> => {
    const token = adminToken(env, reporter);
    const access = accessConfig(env, reporter);
    if (token === undefined && access === undefined) return refuse(nothingHere);
    const bearer = bearerOf(headers);
    if (token !== undefined && bearer !== undefined) {
      return (await isSameSecret(bearer, token)) ? given({}) : refuse(WRONG_TOKEN);
    }
    const assertion = headers.get(ASSERTION_HEADER);
    if (access === undefined || assertion === null) return refuse(NO_TOKEN);
    const outcome = await checkAccess(access, assertion);
    switch (outcome.kind) {
      case 'admitted':
        return given({ who: outcome.who });
      case 'refused':
        return refuse(WRONG_ASSERTION);
      case 'unavailable':
        return refuse(NO_KEYS);
    }
  };
}
