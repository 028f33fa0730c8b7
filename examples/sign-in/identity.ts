/** GitHub, or what speaks like it, as the one who knows the users. Nothing of it is asked for longer than a few seconds. */
import { z } from 'zod';
import type { SignInEnv } from './environment.ts';

export interface User {
  readonly id: string;
  readonly login: string;
  /** For calls of the identity provider's API. It never leaves the Worker. */
  readonly token: string;
}

/** The provider's own word for a user who is not let in, or that it did not answer. */
export type SignedIn = { readonly ok: true; readonly user: User } | { readonly ok: false };

const ANSWER_MS = 5_000;
const Tokens = z.object({ access_token: z.string() });
const Profile = z.object({ id: z.union([z.int(), z.string()]), login: z.string() });

export type IdentityFetch = (url: string, init: RequestInit) => Promise<Response>;

export function identityProvider(env: SignInEnv, send: IdentityFetch = fetch) {
  const { IDENTITY_URL: site = 'https://github.com', IDENTITY_API_URL: api = 'https://api.github.com' } = env;
  const ask = async (url: string, init: RequestInit): Promise<unknown> => {
    const response = await send(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
    return response.ok ? response.json() : undefined;
  };
  return {
    authorizeUrl({ state, callback }: { readonly state: string; readonly callback: string }): string {
      const url = new URL(`${site}/login/oauth/authorize`);
      url.search = String(new URLSearchParams({ client_id: env.IDENTITY_CLIENT_ID, redirect_uri: callback, state }));
      return String(url);
    },

    async userOf({ code, callback }: { readonly code: string; readonly callback: string }): Promise<SignedIn> {
      try {
        const body = new URLSearchParams({
          client_id: env.IDENTITY_CLIENT_ID,
          client_secret: env.IDENTITY_CLIENT_SECRET,
          redirect_uri: callback,
          code,
        });
        const accept = { accept: 'application/json', 'user-agent': 'hybrid-mcp-example' };
        const tokens = Tokens.safeParse(
          await ask(`${site}/login/oauth/access_token`, { method: 'POST', body, headers: accept }),
        );
        if (!tokens.success) return { ok: false };
        const token = tokens.data.access_token;
        const headers = { ...accept, authorization: `Bearer ${token}` };
        const profile = Profile.safeParse(await ask(`${api}/user`, { headers }));
        if (!profile.success) return { ok: false };
        return { ok: true, user: { id: String(profile.data.id), login: profile.data.login, token } };
      } catch {
        // It is down, slow, or answers something else: the client is told so, and its user tries again.
        return { ok: false };
      }
    },
  };
}
