/**
 * Why a lane refused a request, in a word of our own: the log and the census say it in place of the decision's reason,
 * which is only why the lane was asked. Reads the answer as it leaves, because it comes from either SDK.
 */
import { NO_SESSION, UNKNOWN_SESSION } from '../cutover/census/seen.ts';
import { isPlainObject } from '../shared/json.ts';
import type { Served } from './serve.ts';

/** What codes mean here (spec 2026-07-28, basic, "Error Codes", and JSON-RPC's own). */
export const CODE_WORDS: ReadonlyMap<unknown, string> = new Map([
  [-32_020, 'header_mismatch'],
  [-32_021, 'missing_capability'],
  [-32_022, 'unsupported_version'],
  [-32_001, UNKNOWN_SESSION],
  [-32_700, 'not_json'],
  [-32_600, 'invalid_request'],
  [-32_601, 'method_not_found'],
  [-32_602, 'invalid_params'],
  [-32_603, 'internal'],
]);

const STATUS_WORDS: ReadonlyMap<number, string> = new Map([
  [400, 'bad_request'],
  [404, UNKNOWN_SESSION],
  [405, 'method_not_allowed'],
  [406, 'not_acceptable'],
  [409, 'conflict'],
  [413, 'body_too_large'],
  [415, 'content_type'],
]);

/** An error of a lane is a few words; more is not read. */
const LONGEST_BYTES = 64 * 1024;

/** The same answer, with its refusal named where a lane gave one. What the door refuses has its reason already. */
export async function withRefusal(served: Served): Promise<Served> {
  const { response, lane, reason } = served;
  if (response.status < 400 || lane === 'none') return served;
  if (Number(response.headers.get('content-length') ?? '0') > LONGEST_BYTES)
    return { ...served, refusal: refusalWord(response.status, undefined, reason) };
  const text = response.body === null ? '' : await response.text();
  const headers = new Headers(response.headers);
  return {
    ...served,
    refusal: refusalWord(response.status, codeIn(text), reason),
    response: new Response(response.body === null ? null : text, { status: response.status, headers }),
  };
}

/** @param reason The decision's: a request without a session that is refused is refused for that. */
export function refusalWord(status: number, code: unknown, reason: string): string {
  const word = CODE_WORDS.get(code);
  if (word !== undefined) return word;
  if (status === 400 && reason === NO_SESSION) return NO_SESSION;
  return STATUS_WORDS.get(status) ?? (status >= 500 ? 'internal' : 'refused');
}

function codeIn(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return isPlainObject(json) && isPlainObject(json['error']) ? json['error']['code'] : undefined;
  } catch {
    return undefined;
  }
}
