/**
 * The same Worker on this machine: with an identity provider of its own, which believes everybody, and a token that is
 * always good. It answers on loopback alone, and nothing that `wrangler.jsonc` deploys imports this file.
 */
import { createApp, issuedTokens } from '../app.ts';
import { SCOPES } from '../catalogue.ts';
import type { SignInEnv } from '../environment.ts';
import { answerAsIdentityProvider, IDENTITY_PATH } from './identity-provider.ts';

/** For commands: `mcp-parity run --control http://localhost:8787/legacy/mcp --control-bearer-env TOKEN …` with this as TOKEN. */
const TOKEN = 'a-token-for-development-only';
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

const app = createApp({
  tokens: (token, question) =>
    token === TOKEN ? { subject: 'developer', scopes: Object.values(SCOPES) } : issuedTokens(token, question),
  send: (url, init) => answerAsIdentityProvider(new Request(url, init)),
});

export class StateObject extends app.StateObject {}
export class LegacyAgent extends app.LegacyAgent {}
export class OperatorObject extends app.OperatorObject {}
export class CensusObject extends app.CensusObject {}

export default {
  fetch: async (request: Request, env: SignInEnv, ctx: ExecutionContext): Promise<Response> => {
    const { hostname, origin, pathname } = new URL(request.url);
    if (!LOOPBACK.has(hostname)) {
      return Response.json(
        {
          error:
            'This is the development mode, which lets everybody in. Deploy examples/sign-in/wrangler.jsonc instead.',
        },
        { status: 403 },
      );
    }
    if (pathname.startsWith(`${IDENTITY_PATH}/`)) return answerAsIdentityProvider(request);
    const IDENTITY_URL = `${origin}${IDENTITY_PATH}`;
    return app.fetch(request, { ...env, IDENTITY_URL, IDENTITY_API_URL: IDENTITY_URL }, ctx);
  },
};
