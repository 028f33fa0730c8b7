/**
 * What the router asks of a sign-in that the Worker has been given: who sends a request, or why it is refused. How tokens
 * are checked is the sign-in's own (src/sign-in). Types, the refusals, and how a context says whom it was let in for.
 */
import type { Caller } from '../shared/caller.ts';
import { faultOnWire, type Fault, type Named } from '../shared/pipeline/fault.ts';
import { corsHeaders } from './answer.ts';
import { CODE, refusalResponse, type Refusal, type RefusalReason } from './refusal.ts';

/** A request that may pass. */
export interface Admitted {
  readonly kind: 'admitted';
  /** The properties of the sign-in. */
  readonly props: Readonly<Record<string, unknown>>;
  /** What is known of the token, in the form that `@cloudflare/workers-oauth-provider` gives it. */
  readonly auth: TokenFacts;
}

/** What is known of a token, as `ctx.auth` has it. */
export interface TokenFacts {
  readonly token: string;
  readonly audience: string;
  readonly scope: readonly string[];
  readonly expiresAt?: number;
  readonly userId?: string;
  readonly clientId?: string;
}

export type Admission =
  | Admitted
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Whether the token is good could not be found out. */
  | { readonly kind: 'unavailable'; readonly refusal: Refusal; readonly cause: unknown };

/** The sign-in of a Worker, as the router sees it. */
export interface SignInDoor<Env> {
  /** A well-known document of OAuth at this URL, which answers without a token; undefined at every other. */
  document(request: Request, url: URL, paths: readonly string[]): Response | undefined;
  admit(request: Request, url: URL, env: Env): Promise<Admission>;
  /** The challenge for a caller who needs more scopes than they have. */
  stepUp(url: URL, needed: readonly string[], granted: readonly string[]): Refusal;
}

/** The errors of a bearer token (RFC 6750, section 3.1). */
export type BearerError = 'invalid_request' | 'invalid_token' | 'insufficient_scope';

export interface Challenge {
  readonly error?: BearerError;
  readonly description?: string;
  /** The scopes that a new sign-in has to ask for. */
  readonly scopes: readonly string[];
  /** The URL of the protected-resource metadata, if there is an authorization server to be found in it. */
  readonly metadata: string | undefined;
}

/** The header by which a client starts its flow (RFC 6750, section 3; RFC 9728, section 5.1). */
export function challengeHeader({ error, description, scopes, metadata }: Challenge): string {
  const parts = [
    'realm="mcp"',
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(description === undefined ? [] : [`error_description="${description}"`]),
    ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
    ...(metadata === undefined ? [] : [`resource_metadata="${metadata}"`]),
  ];
  return `Bearer ${parts.join(', ')}`;
}

const STATUS = { invalid_request: 400, invalid_token: 401, insufficient_scope: 403 } as const;
const REASON = {
  invalid_request: 'bad_credentials',
  invalid_token: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
} as const satisfies Record<BearerError, RefusalReason>;

/** A refusal with its challenge; without an error, that of a request without a token. */
export function signInRefusal(message: string, challenge: Challenge): Refusal {
  const { error } = challenge;
  return {
    reason: error === undefined ? 'no_token' : REASON[error],
    status: error === undefined ? 401 : STATUS[error],
    code: CODE.http,
    message,
    headers: { 'WWW-Authenticate': challengeHeader(challenge) },
  };
}

/**
 * For a caller who lacks the scopes of a definition (spec 2025-11-25 and 2026-07-28, basic/authorization, "Runtime Insufficient
 * Scope Errors"). One without a sign-in has made no error.
 * @param stepUp The sign-in's own refusal, if the Worker has one: it knows the URL of its metadata.
 */
export function insufficientScope(
  { fault, what }: { readonly fault: InsufficientScope; readonly what: Named },
  caller: Caller,
  stepUp: Refusal | undefined,
): Refusal {
  const { error, scopes } = faultOnWire(fault, what);
  const signedIn = caller.subject !== undefined || caller.unidentified === true;
  const said: Challenge = { ...(signedIn && { error: 'insufficient_scope' }), scopes, metadata: undefined };
  const { status, headers } = stepUp ?? signInRefusal(error.message, said);
  return { reason: 'insufficient_scope', status, ...error, ...(headers !== undefined && { headers }) };
}

type InsufficientScope = Extract<Fault, { fault: 'insufficient_scope' }>;

const RETRY_AFTER_SECONDS = 5;

/** Not a 401: the client's token may be good, and a new sign-in would not help. */
export const signInUnavailable: Refusal = {
  reason: 'sign_in_unavailable',
  status: 503,
  code: CODE.http,
  message: 'Service Unavailable: the token could not be checked. Try again in a few seconds',
  headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
};

/** A refusal outside of the router's own last steps, readable by the page that asked. */
export function answerOf(refusal: Refusal, request: Request): Response {
  const response = refusalResponse(refusal);
  for (const [name, value] of Object.entries(corsHeaders(request))) response.headers.set(name, value);
  response.headers.append('Vary', 'Origin');
  return response;
}

/** Says it on the context, as every sign-in in front of a Worker does; the lanes and classes read it there. */
export function letIn(ctx: ExecutionContext, { props, auth }: Admitted): void {
  for (const [name, value] of Object.entries({ props, auth })) {
    Object.defineProperty(ctx, name, { value, configurable: true, enumerable: true, writable: true });
  }
}
