/** What the operator's API says: JSON, never cached, and a refusal always with what to do about it. Pure. */
import type { Json } from '../../shared/json.ts';

export type ProblemCode =
  | 'not_found'
  | 'no_such_path'
  | 'browser_not_allowed'
  | 'not_signed_in'
  | 'sign_in_unavailable'
  | 'method_not_allowed'
  | 'bad_request'
  | 'body_too_slow'
  | 'unknown_client'
  | 'unknown_session'
  | 'no_legacy_lane'
  | 'no_operator_object'
  | 'no_census'
  | 'flag_busy'
  | 'flag_changed'
  | 'claim_lost'
  | 'failed';

export interface Problem {
  readonly status: number;
  readonly code: ProblemCode;
  readonly message: string;
  readonly remedy?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

export const given = <T>(value: T): Result<T> => ({ ok: true, value });
export const refuse = (problem: Problem): Result<never> => ({ ok: false, problem });

const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** `object`, because an interface is no `JsonObject` to the compiler. */
export const answer = (value: Json | object, status = 200): Response =>
  Response.json(value, { status, headers: HEADERS });

export const problemAnswer = ({ status, code, message, remedy, headers }: Problem): Response =>
  Response.json(
    { error: { code, message, ...(remedy !== undefined && { remedy }) } },
    { status, headers: { ...HEADERS, ...headers } },
  );

/** As if there were nothing here: whoever has no business here learns nothing. */
export const nothingHere: Problem = { status: 404, code: 'not_found', message: 'Not found' };
