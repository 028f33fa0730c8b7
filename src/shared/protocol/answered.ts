/** What a request that depends on the catalogue is answered with, before a lane puts it into its protocol. Types only. */
import type { FaultName, RpcError } from '../pipeline/fault.ts';
import type { AskedQuestion } from '../pipeline/ports.ts';

/**
 * What an answer says, in one word: `ok`, the name of a fault, `tool_error` for a tool's own refusal, `rpc_error` for any
 * other JSON-RPC error, `caller_refused` for a caller whom a registration refuses, or `input_required` for a call that goes on when the client has answered.
 */
export type Verdict = 'ok' | 'input_required' | 'tool_error' | 'rpc_error' | 'caller_refused' | FaultName;

export type Answer = { readonly verdict: Verdict } & (
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'questions'; readonly questions: readonly AskedQuestion[] }
);

export const asResult = (result: Readonly<Record<string, unknown>>, verdict: Verdict = 'ok'): Answer => ({
  kind: 'result',
  result,
  verdict,
});

export const asError = (error: RpcError, verdict: Verdict = 'rpc_error'): Answer => ({ kind: 'error', error, verdict });

export const asQuestions = (questions: readonly AskedQuestion[]): Answer => ({
  kind: 'questions',
  questions,
  verdict: 'input_required',
});
