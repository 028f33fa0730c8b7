import { signIn } from 'hybrid-mcp/sign-in';

/** Tokens that you give out yourself, each kept under its digest: who reads the store cannot use them. */
interface Env {
  readonly TOKENS: Pick<KVNamespace, 'get'>;
}

export const door = signIn<Env>({
  tokens: async (token, { env }) => {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
    // For example {"subject":"ann","scopes":["orders:read"]}.
    return env.TOKENS.get<{ subject: string; scopes: string[] }>(new Uint8Array(digest).toHex(), 'json');
  },
});
