/**
 * What an answer says, in one word for the log: `ok`, the name of a fault, `tool_error` for a tool's own refusal,
 * `rpc_error`, or `input_required` for a question, after which the call goes on and is not answered yet. Reads the answer as it leaves, because it comes from either SDK, in either framing, from inside or
 * outside a Durable Object. Pure.
 */
import { isPlainObject } from '../shared/json.ts';
import type { FaultName } from '../shared/pipeline/fault.ts';

export type Verdict = 'ok' | 'none' | 'input_required' | FaultName | 'tool_error' | 'rpc_error';

/** The fixed texts of faults are short; whatever is longer is a result, and is not parsed again. */
const LONGEST_FAULT_BYTES = 8 * 1024;

const decoder = new TextDecoder();

/** @param chunk A JSON body, or the last event of a stream. */
export function verdictOf(chunk: Uint8Array | undefined): Verdict {
  if (chunk === undefined || chunk.byteLength === 0) return 'none';
  if (chunk.byteLength > LONGEST_FAULT_BYTES) return 'ok';
  const text = decoder.decode(chunk);
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  const message = parsed(last.startsWith('data: ') ? last.slice(6) : last);
  if (!isPlainObject(message)) return 'none';
  const { result, error } = message;
  if (isPlainObject(error)) return faultNamed(error['message']) ?? 'rpc_error';
  if (!isPlainObject(result)) return 'none';
  if (result['resultType'] === 'input_required') return 'input_required';
  return result['isError'] === true ? faultIn(result['content']) : 'ok';
}

/** Each fault by its fixed text: of a tool in a result, of a prompt in an error. */
const FAULT_TEXTS: readonly (readonly [FaultName, RegExp])[] = [
  ['unknown_tool', /^Unknown tool: /],
  ['invalid_arguments', /^Invalid arguments for (tool|prompt) "/],
  ['tool_failed', /^The (tool|prompt) "[^"]*" failed\./],
  ['invalid_result', /^The (tool|prompt) "[^"]*" gave a result that cannot be sent\./],
  ['result_too_large', /^The result of the (tool|prompt) "[^"]*" is larger than \d+ bytes\./],
  ['deadline_exceeded', /^The (tool|prompt) "[^"]*" did not finish within \d+ ms\./],
  ['cancelled', /^The call of the (tool|prompt) "[^"]*" was cancelled\./],
  ['lane_cannot_ask', /^The (tool|prompt) "[^"]*" has to .*, and this connection /],
  ['client_cannot_be_asked', /^The (tool|prompt) "[^"]*" has to .*, and this client /],
  ['invalid_answer', /^The answer to the question "[^"]*" of the (tool|prompt) "[^"]*" is not valid:/],
  ['unanswered', /^The question "[^"]*" of the (tool|prompt) "[^"]*" was not answered\./],
  ['unknown_handle', /^The handle given to the (tool|prompt) "[^"]*" names no state\./],
  ['session_ended', /^The session of this call has ended, so the (tool|prompt) "[^"]*" has no state for it\./],
  ['state_unreadable', /^The stored state of the (tool|prompt) "[^"]*" cannot be read\./],
  ['state_too_large', /^The state of the (tool|prompt) "[^"]*" would be larger than /],
  ['state_unavailable', /^The state of the (tool|prompt) "[^"]*" cannot be reached now\./],
];

const faultNamed = (text: unknown): FaultName | undefined =>
  typeof text === 'string' ? FAULT_TEXTS.find(([, pattern]) => pattern.test(text))?.[0] : undefined;

function faultIn(content: unknown): Verdict {
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return (isPlainObject(first) ? faultNamed(first['text']) : undefined) ?? 'tool_error';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
