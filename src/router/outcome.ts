/**
 * What an answer says, in one word for the log and the census: its verdict, or why a lane refused. Read from the answer as
 * it leaves, because it comes from either SDK. Pure, but for the reading.
 */
import { NO_SESSION, UNKNOWN_SESSION } from '../cutover/census/seen.ts';
import { isPlainObject } from '../shared/json.ts';
import { faultOfText } from '../shared/pipeline/fault-of-text.ts';
import type { Verdict } from '../shared/protocol/answered.ts';
import type { Served } from './serve.ts';

/** The fixed texts of faults are short; whatever is longer is a result, and is not parsed again. */
const LONGEST_FAULT_BYTES = 8 * 1024;

const decoder = new TextDecoder();

/**
 * The verdict of an answer that no lane has told one of: those of the SDKs themselves, and those of the legacy lane, which
 * are made in a Durable Object and reach the router as a stream of bytes.
 * @param chunk A JSON body, or the last event of a stream.
 */
export function verdictOf(chunk: Uint8Array | undefined): Verdict | 'none' {
  if (chunk === undefined || chunk.byteLength === 0) return 'none';
  if (chunk.byteLength > LONGEST_FAULT_BYTES) return 'ok';
  const text = decoder.decode(chunk);
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  const message = parsed(last.startsWith('data: ') ? last.slice(6) : last);
  if (!isPlainObject(message)) return 'none';
  const { result, error } = message;
  if (isPlainObject(error)) return faultOfText(error['message']) ?? 'rpc_error';
  if (!isPlainObject(result)) return 'none';
  if (result['resultType'] === 'input_required') return 'input_required';
  if (result['isError'] !== true) return 'ok';
  const { content } = result;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return (isPlainObject(first) ? faultOfText(first['text']) : undefined) ?? 'tool_error';
}

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

/**
 * The same answer, with its refusal named if a lane gave one: the decision's reason is only why the lane was asked. What
 * the request validation refuses has its reason already.
 */
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
  const json = parsed(text);
  return isPlainObject(json) && isPlainObject(json['error']) ? json['error']['code'] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
