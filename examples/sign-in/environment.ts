/** What the Worker is configured with. */
export interface SignInEnv {
  /** Clients, grants and tokens; its name is the package's. */
  readonly OAUTH_KV: KVNamespace;
  /** The OAuth application at the identity provider. */
  readonly IDENTITY_CLIENT_ID: string;
  readonly IDENTITY_CLIENT_SECRET: string;
  /** Where the identity provider is. Default: GitHub. */
  readonly IDENTITY_URL?: string;
  readonly IDENTITY_API_URL?: string;
}
