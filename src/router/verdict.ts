/**
 * What an answer says, in one word for the log, read from the answer as it leaves. Only for what no lane has told the
 * verdict of: answers of the SDKs' own, and those of the legacy lane, which are made in a Durable Object and reach the
 * router as a stream of bytes. Pure.
 */
import { isPlainObject } from '../shared/json.ts';
import { faultOfText } from '../shared/pipeline/fault-of-text.ts';
import type { Verdict } from '../shared/protocol/answered.ts';

/** The fixed texts of faults are short; whatever is longer is a result, and is not parsed again. */
const LONGEST_FAULT_BYTES = 8 * 1024;

const decoder = new TextDecoder();

/** @param chunk A JSON body, or the last event of a stream. */
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
