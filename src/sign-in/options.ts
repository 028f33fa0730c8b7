/** What `signIn` is given, and what a check of a token gives. */

/** The properties of a sign-in, as tools and classes see them. */
export type SignInProps = Readonly<Record<string, unknown>>;

/** Whom a token belongs to, and what for. */
export interface TokenOwner {
  /** Who it is. State and sessions belong to this name; it must not change with a new token. */
  readonly subject: string;
  /** What else is known of the caller. A property `subject` or `clientId` of these wins. */
  readonly props?: SignInProps;
  /** What the caller was allowed to do. They are the property `scopes` as well, in place of another one of that name. */
  readonly scopes?: readonly string[];
  /** The OAuth client that the token was given to. */
  readonly clientId?: string;
  /** For which resources the token is good; all of this server if absent. */
  readonly audience?: string | readonly string[];
  /** Seconds since 1970 at which the token ends. */
  readonly expiresAt?: number;
}

/** What a check may look at beside the token. */
export interface TokenQuestion<Env> {
  readonly env: Env;
  /** The resources whose tokens are good here, the one of this request's path first. */
  readonly resources: readonly string[];
}

/**
 * Says whom a token belongs to. Undefined or null for a token that is not good here; it throws if that cannot be found out,
 * which a client sees as 503.
 */
export type CheckToken<Env = object> = (
  token: string,
  question: TokenQuestion<Env>,
) => Promise<TokenOwner | null | undefined> | TokenOwner | null | undefined;

/** A check whose tokens come in a header of their own, as those of Cloudflare Access. */
export interface HeaderTokens<Env = object> {
  readonly header: string;
  readonly check: CheckToken<Env>;
}

/** A resource whose tokens were good once, and are until a date. */
export interface FormerResource {
  readonly resource: string;
  /** The first day on which they are not, for example `2027-03-01`, or a point in time. */
  readonly until: string | Date;
}

/** What `signIn` is given. */
export interface SignInOptions<Env = object> {
  /** How a token is checked. */
  readonly tokens: CheckToken<Env> | HeaderTokens<Env>;
  /** The issuers that sign users in; `/` is this Worker's own origin. Without any, clients bring a token from elsewhere. */
  readonly authorizationServers?: readonly string[];
  /**
   * The resources that tokens are for, as this server announces them: absolute, or a path of the request's own origin. Each
   * path announces the longest one that covers it, and takes the tokens of all of them. Default: `/`, the origin, which
   * covers every route.
   */
  readonly resources?: readonly string[];
  /** Resources that are announced no more, whose tokens go on until a date. */
  readonly formerly?: readonly FormerResource[];
  /** Scopes that every request needs. Clients ask for them first. */
  readonly scopes?: readonly string[];
  /** What a consent page may call this server. */
  readonly name?: string;
  /** Milliseconds that a check may take. Default: 10,000. */
  readonly checkMs?: number;
}
