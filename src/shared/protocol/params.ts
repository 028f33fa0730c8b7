/** Reads the parameters of the methods that the catalogue answers. Every problem is one fixed JSON-RPC error. Pure. */
import { isPlainObject } from '../json.ts';
import { invalidParamsError, type RpcError } from '../pipeline/fault.ts';

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: RpcError };

export const invalidParams = (message: string, data?: RpcError['data']): { ok: false; error: RpcError } => ({
  ok: false,
  error: invalidParamsError(message, data),
});

/** A `name` with optional object `arguments`: `tools/call` and `prompts/get`. */
export function readNamed(params: unknown): Read<{ name: string; args: Readonly<Record<string, unknown>> }> {
  if (!isPlainObject(params) || typeof params['name'] !== 'string') {
    return invalidParams('Invalid params: "name" must be a string');
  }
  const args = params['arguments'];
  if (args !== undefined && !isPlainObject(args)) return invalidParams('Invalid params: "arguments" must be an object');
  return { ok: true, value: { name: params['name'], args: args ?? {} } };
}

/** What servers and proxies commonly take; a longer one is work for every template. */
const MAX_URI_UNITS = 8192;

/** A `uri` in its normal form, as the SDKs compare them. */
export function readUri(params: unknown): Read<string> {
  if (!isPlainObject(params) || typeof params['uri'] !== 'string') {
    return invalidParams('Invalid params: "uri" must be a string');
  }
  if (params['uri'].length > MAX_URI_UNITS) {
    return invalidParams(`Invalid params: "uri" is longer than ${MAX_URI_UNITS} characters`);
  }
  if (!URL.canParse(params['uri'])) return invalidParams(`Invalid params: "uri" is not a URI`, { uri: params['uri'] });
  return { ok: true, value: new URL(params['uri']).toString() };
}

/** Our lists have one page, so no cursor was ever given out (spec 2025-11-25, server/utilities/pagination). */
export function readCursor(params: unknown): Read<undefined> {
  if (isPlainObject(params) && params['cursor'] !== undefined) {
    return invalidParams('Invalid params: "cursor" is not one that this server gave out');
  }
  return { ok: true, value: undefined };
}

export interface Completion {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: string;
  readonly typed: string;
  readonly chosen: Readonly<Record<string, string>>;
}

export function readCompletion(params: unknown): Read<Completion> {
  const ref = isPlainObject(params) ? readRef(params['ref']) : undefined;
  if (!isPlainObject(params) || ref === undefined) {
    return invalidParams('Invalid params: "ref" must name a prompt or a resource template');
  }
  const argument = params['argument'];
  if (!isPlainObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string') {
    return invalidParams('Invalid params: "argument" must have a string "name" and a string "value"');
  }
  const context = isPlainObject(params['context']) ? params['context']['arguments'] : undefined;
  const chosen = isPlainObject(context) ? Object.entries(context).filter(([, value]) => typeof value === 'string') : [];
  return {
    ok: true,
    value: {
      ref,
      argument: argument['name'],
      typed: argument['value'],
      chosen: Object.fromEntries(chosen) as Record<string, string>,
    },
  };
}

function readRef(ref: unknown): Completion['ref'] | undefined {
  if (!isPlainObject(ref)) return undefined;
  if (ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') return { type: 'ref/prompt', name: ref['name'] };
  if (ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string')
    return { type: 'ref/resource', uri: ref['uri'] };
  return undefined;
}
