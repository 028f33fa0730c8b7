/**
 * Everything that can go wrong with a call, as values, and the one switch that turns them into wire text.
 * The text is fixed: causes go to the reporter, never to the client.
 */
import type { Askable } from '../define/questions.ts';
import { assertNever, type JsonObject, throughWire } from '../json.ts';
import { shortened } from '../one-line.ts';
import { issuesText, type SchemaIssue } from '../schema/standard.ts';

/** JSON-RPC error codes that we answer with, and one of our own (https://www.jsonrpc.org/specification#error_object). */
export const RPC_CODE = {
  invalidParams: -32602,
  methodNotFound: -32601,
  internal: -32603,
  callerRefused: -32003,
} as const;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
}

export type Fault =
  | { readonly fault: 'unknown_tool'; readonly tool: string }
  | { readonly fault: 'insufficient_scope'; readonly tool: string; readonly scopes: readonly string[] }
  | { readonly fault: 'malformed_request'; readonly problem: string }
  | { readonly fault: 'invalid_arguments'; readonly tool: string; readonly issues: readonly SchemaIssue[] }
  | { readonly fault: 'tool_failed'; readonly tool: string }
  | { readonly fault: 'not_configured'; readonly tool: string }
  | { readonly fault: 'invalid_result'; readonly tool: string }
  | { readonly fault: 'result_too_large'; readonly tool: string; readonly limitBytes: number }
  | { readonly fault: 'deadline_exceeded'; readonly tool: string; readonly limitMs: number }
  | { readonly fault: 'cancelled'; readonly tool: string }
  | {
      readonly fault: 'lane_cannot_ask';
      readonly tool: string;
      readonly needs: Askable;
      /** The path at which clients of the same protocol can be asked; undefined if there is none. */
      readonly otherwiseAt: string | undefined;
    }
  | { readonly fault: 'client_cannot_be_asked'; readonly tool: string; readonly needs: Askable }
  | {
      readonly fault: 'invalid_answer';
      readonly tool: string;
      readonly key: string;
      readonly issues: readonly SchemaIssue[];
    }
  | { readonly fault: 'unanswered'; readonly tool: string; readonly key: string }
  | { readonly fault: 'unknown_handle'; readonly tool: string }
  | { readonly fault: 'caller_unidentified'; readonly tool: string }
  | { readonly fault: 'session_ended'; readonly tool: string }
  | { readonly fault: 'sign_in_needed'; readonly tool: string }
  | { readonly fault: 'state_unreadable'; readonly tool: string }
  | { readonly fault: 'state_too_large'; readonly tool: string; readonly limitBytes: number }
  | { readonly fault: 'state_unavailable'; readonly tool: string };

export type FaultName = Fault['fault'];

/** What kind of definition the fault's name is the name of. */
export type Named = 'tool' | 'prompt' | 'resource';

/**
 * A fault as it reaches the wire: a JSON-RPC error, one that HTTP tells as a challenge to sign in for scopes, or a tool result
 * that the model reads.
 */
export type FaultOnWire =
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'challenge'; readonly error: RpcError; readonly scopes: readonly string[] }
  | { readonly kind: 'result'; readonly text: string };

/**
 * The wire form of a fault, the same on every lane (spec 2025-11-25 and 2026-07-28, server/tools, "Error Handling").
 */
export function faultOnWire(
  fault: Extract<Fault, { fault: 'insufficient_scope' }>,
  what?: Named,
): Extract<FaultOnWire, { kind: 'challenge' }>;
export function faultOnWire(fault: Fault, what?: Named): FaultOnWire;
export function faultOnWire(fault: Fault, what: Named = 'tool'): FaultOnWire {
  switch (fault.fault) {
    case 'unknown_tool':
      return rpcError(`Unknown tool: ${fault.tool}`);
    case 'insufficient_scope': {
      const { tool, scopes } = fault;
      const message = `This caller lacks a scope. Sign in again and grant "${scopes.join(' ')}" to use the ${what} "${tool}"`;
      const error = { code: RPC_CODE.callerRefused, message: textWithin(message), data: { scopes } };
      return { kind: 'challenge', error, scopes };
    }
    case 'malformed_request':
      return rpcError(fault.problem);
    case 'invalid_arguments':
      return toolError(`Invalid arguments for ${what} "${fault.tool}": ${issuesText(fault.issues)}`);
    case 'tool_failed':
      return toolError(`The ${what} "${fault.tool}" failed. The cause was reported to the server's operator.`);
    case 'not_configured':
      return toolError(
        `The server is not set up for the ${what} "${fault.tool}". What is missing was reported to the server's operator.`,
      );
    case 'invalid_result':
      return toolError(
        `The ${what} "${fault.tool}" gave a result that cannot be sent. The cause was reported to the server's operator.`,
      );
    case 'result_too_large':
      return toolError(
        `The result of the ${what} "${fault.tool}" is larger than ${fault.limitBytes} bytes. Ask for less, for example with a smaller limit or a narrower query.`,
      );
    case 'deadline_exceeded':
      return toolError(`The ${what} "${fault.tool}" did not finish within ${fault.limitMs} ms.`);
    case 'cancelled':
      return toolError(`The call of the ${what} "${fault.tool}" was cancelled.`);
    case 'lane_cannot_ask':
      return toolError(
        `The ${what} "${fault.tool}" has to ${ASKS[fault.needs]}, and this connection cannot carry one. Connect with a client that speaks MCP 2026-07-28${fault.otherwiseAt === undefined ? '' : `, or use the server's ${fault.otherwiseAt} URL`}.`,
      );
    case 'client_cannot_be_asked':
      return toolError(
        `The ${what} "${fault.tool}" has to ${ASKS[fault.needs]}, and this client did not declare the ${fault.needs} capability. Use a client that supports ${fault.needs}.`,
      );
    case 'invalid_answer':
      return toolError(
        `The answer to the question "${fault.key}" of the ${what} "${fault.tool}" is not valid: ${issuesText(fault.issues)}`,
      );
    case 'unanswered':
      return toolError(
        `The question "${fault.key}" of the ${what} "${fault.tool}" was not answered. Call the ${what} again to be asked again.`,
      );
    case 'unknown_handle':
      return toolError(
        `The handle given to the ${what} "${fault.tool}" names no state. Leave "handle" out to start anew, or pass the handle of an earlier result.`,
      );
    case 'caller_unidentified':
      return toolError(
        `The ${what} "${fault.tool}" keeps a state for each caller, and the server cannot tell which caller this is. That was reported to the server's operator.`,
      );
    case 'session_ended':
      return toolError(
        `The session of this call has ended, so the ${what} "${fault.tool}" has no state for it. Begin a new session, and pass the handle of an earlier result to go on with its state.`,
      );
    case 'sign_in_needed':
      return toolError(
        `The ${what} "${fault.tool}" keeps its state for a signed-in user, and this call has none. Sign in to this server, and call the ${what} again.`,
      );
    case 'state_unreadable':
      return toolError(
        `The stored state of the ${what} "${fault.tool}" cannot be read. It was left as it is; the cause was reported to the server's operator.`,
      );
    case 'state_too_large':
      return toolError(
        `The state of the ${what} "${fault.tool}" would be larger than ${fault.limitBytes} bytes. It was left as it was.`,
      );
    case 'state_unavailable':
      return toolError(
        `The state of the ${what} "${fault.tool}" cannot be reached now. Nothing is known to have changed; try again.`,
      );
    default:
      return assertNever(fault);
  }
}

/** What the code wanted of the client. */
const ASKS = {
  elicitation: 'ask the user a question',
  sampling: "ask the client's model a question",
  roots: 'ask the client a question about its roots',
} as const satisfies Record<Askable, string>;

/** A fault may name what the caller sent, of any length: nobody needs three megabytes back. */
const LONGEST_TEXT = 1_200;
const textWithin = (text: string): string => shortened(text, LONGEST_TEXT).toWellFormed();

/** @param message May repeat what the caller sent. */
export const invalidParamsError = (message: string, data?: JsonObject): RpcError => ({
  code: RPC_CODE.invalidParams,
  message: textWithin(message),
  ...(data !== undefined && { data: throughWire(data) }),
});

const rpcError = (message: string): FaultOnWire => ({ kind: 'error', error: invalidParamsError(message) });
const toolError = (text: string): FaultOnWire => ({
  kind: 'result',
  text: textWithin(text),
});

/** Carries a fault out of a place that can only throw, such as `ctx.ask` inside a tool. */
export class FaultSignal extends Error {
  override readonly name = 'FaultSignal';
  readonly fault: Fault;
  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault.fault, options);
    this.fault = fault;
  }
}
