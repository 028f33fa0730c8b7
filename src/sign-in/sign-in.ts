/** A sign-in in front of both routes: the challenge that clients start their flow on, the check of a token, the metadata. */
import {
  signInRefusal,
  signInUnavailable,
  type Admission,
  type BearerError,
  type SignInDoor,
} from '../router/sign-in.ts';
import { within } from '../router/stream.ts';
import { credentialsIn } from './credentials.ts';
import { metadataDocument } from './metadata.ts';
import type { CheckToken, HeaderTokens, SignInOptions, TokenOwner } from './options.ts';
import { problemsOf } from './problems.ts';
import { isSameResource, metadataUrl, resourcesOf } from './resources.ts';

/** A sign-in, for the option `signIn` of `createHybrid`, or for `guard`. */
export interface SignIn<Env = object> extends SignInDoor<Env> {
  readonly kind: 'sign-in';
}

const CHECK_MS = 10_000;

/**
 * Makes a sign-in of a check of tokens. A request without a token, or with one that is not good, gets the challenge on which
 * clients of both generations start their flow; the metadata that they look for are served on every path that they try.
 *
 * @throws TypeError that lists every option which cannot be used.
 * @example
 * ```ts
 * const hybrid = createHybrid({
 *   catalogue,
 *   signIn: signIn({ tokens: (token) => (token === 'a secret' ? { subject: 'ann' } : undefined) }),
 * });
 * ```
 */
export function signIn<Env = object>(options: SignInOptions<Env>): SignIn<Env> {
  const problems = problemsOf(options);
  if (problems.length > 0) {
    throw new TypeError(
      `signIn was given options that cannot be used:\n${problems.map((one) => `- ${one}`).join('\n')}`,
    );
  }
  const { tokens, authorizationServers = [], scopes = [], checkMs = CHECK_MS } = options;
  const { header, check }: Partial<HeaderTokens<Env>> & { check: CheckToken<Env> } =
    typeof tokens === 'function' ? { check: tokens } : tokens;
  const resources = resourcesOf(options.resources ?? ['/'], options.formerly ?? []);

  const metadataOf = (url: URL): string | undefined => {
    const resource = resources.announced(url);
    return authorizationServers.length === 0 || resource === undefined ? undefined : metadataUrl(resource);
  };
  const refused = (url: URL, message: string, error?: BearerError, needed = scopes): Admission => ({
    kind: 'refused',
    refusal: signInRefusal(message, {
      ...(error !== undefined && { error, description: message }),
      scopes: needed,
      metadata: metadataOf(url),
    }),
  });
  const stepUp: SignIn['stepUp'] = (url, needed, granted) => {
    const message = `This needs the scope ${needed.join(' ')}`;
    return signInRefusal(message, {
      error: 'insufficient_scope',
      description: message,
      // Clients of SDK v1 ask for these alone, and would lose what they have.
      scopes: [...new Set([...granted, ...needed])].filter(isScope),
      metadata: metadataOf(url),
    });
  };

  async function admit(request: Request, url: URL, env: Env): Promise<Admission> {
    const credentials = credentialsIn(request.headers, url, header);
    switch (credentials.kind) {
      case 'none':
        return refused(url, 'Unauthorized: this server needs a sign-in');
      case 'malformed':
        return refused(url, 'Send one access token, in the Authorization header', 'invalid_request');
      case 'oversized':
        return refused(url, 'The access token is too long', 'invalid_token');
      case 'token':
        return checked(credentials.token, url, env);
    }
  }

  async function checked(token: string, url: URL, env: Env): Promise<Admission> {
    const accepted = resources.accepted(url, Date.now());
    const unavailable = (cause: unknown): Admission => ({ kind: 'unavailable', refusal: signInUnavailable, cause });
    let owner: TokenOwner | null | undefined;
    try {
      const answer = Promise.resolve(check(token, { env, resources: accepted })).then((found) => ({ found }));
      const inTime = await timed(answer, checkMs);
      if (inTime === undefined) return unavailable(new Error('The check of the token took too long'));
      owner = inTime.found;
    } catch (cause) {
      return unavailable(cause);
    }
    if (owner === null || owner === undefined)
      return refused(url, 'The access token is not valid here', 'invalid_token');
    const { expiresAt, clientId, subject, scopes: granted = [] } = owner;
    if (expiresAt !== undefined && !(expiresAt > Date.now() / 1000)) {
      return refused(url, 'The access token has expired', 'invalid_token');
    }
    const audience = audienceIn(owner, accepted);
    if (audience === undefined) return refused(url, 'The access token is for another resource', 'invalid_token');
    if (subject === '') return refused(url, 'The access token names nobody', 'invalid_token');
    const missing = scopes.filter((scope) => !granted.includes(scope));
    if (missing.length > 0) return { kind: 'refused', refusal: stepUp(url, scopes, granted) };
    return {
      kind: 'admitted',
      // Where callers are read, on every lane: an object of the legacy lane is told the properties and nothing else.
      props: {
        subject,
        ...(clientId !== undefined && { clientId }),
        ...owner.props,
        ...(owner.scopes !== undefined && { scopes: owner.scopes }),
      },
      auth: {
        token,
        audience,
        scope: granted,
        userId: subject,
        ...(expiresAt !== undefined && { expiresAt }),
        ...(clientId !== undefined && { clientId }),
      },
    };
  }

  return {
    kind: 'sign-in',
    admit,
    stepUp,
    document: (request, url, paths) => metadataDocument(request, url, { options, resources, paths }),
  };
}

/** Undefined where the work takes longer; what it gives later is for nobody. */
async function timed<T extends object>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  try {
    return await within(work, late.promise, () => undefined);
  } finally {
    clearTimeout(timer);
  }
}

/** A scope has none of the characters that would end its header (RFC 6749, section 3.3). */
const isScope = (scope: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);

/** Which of the accepted resources the token is for. */
function audienceIn({ audience }: TokenOwner, accepted: readonly string[]): string | undefined {
  if (audience === undefined) return accepted[0] ?? '';
  const named = typeof audience === 'string' ? [audience] : audience;
  return accepted.find((one) => named.some((other) => isSameResource(one, other)));
}
