/**
 * What a lane answered, with its wire's envelope taken off, so that meaning can be compared. Pure.
 * Exactly the keys named here are dropped, and only where the 2026-07-28 protocol adds them; a tool's own keys stay.
 */
import { isPlainObject, type JsonObject } from '../shared/json.ts';

/** An answer without its wire's envelope. */
export type Observation =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: JsonObject }
  /** The harness could not ask or could not read the answer: neither a match nor a mismatch. */
  | { readonly kind: 'harness_error'; readonly cause: string };

/** `_meta` of every 2026-07-28 result carries the server's name (spec 2026-07-28, basic, "Result metadata"). */
const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';
/** Cache hints of list and read results (spec 2026-07-28, server/utilities/caching), with the values of "no caching". */
const CACHE_DEFAULTS: Readonly<Record<string, unknown>> = { ttlMs: 0, cacheScope: 'private' };

/** @param message One JSON-RPC response. */
export function observe(message: unknown): Observation {
  if (!isPlainObject(message)) return { kind: 'harness_error', cause: 'the answer is not a JSON-RPC message' };
  if (isPlainObject(message['error'])) return { kind: 'error', error: message['error'] as JsonObject };
  if (isPlainObject(message['result'])) return { kind: 'result', result: withoutEnvelope(message['result']) };
  return { kind: 'harness_error', cause: 'the answer is neither a result nor an error' };
}

function withoutEnvelope(result: Record<string, unknown>): JsonObject {
  const { resultType, _meta, ...rest } = result;
  const kept: Record<string, unknown> =
    resultType === undefined || resultType === 'complete' ? rest : { resultType, ...rest };
  for (const [key, value] of Object.entries(CACHE_DEFAULTS)) {
    if (kept[key] === value) delete kept[key];
  }
  if (isPlainObject(_meta)) {
    const { [SERVER_INFO_KEY]: _server, ...meta } = _meta;
    // An empty `_meta` of the tool's own stays visible where the envelope added nothing to it.
    if (Object.keys(meta).length > 0 || !(SERVER_INFO_KEY in _meta)) kept['_meta'] = meta;
  } else if (_meta !== undefined) {
    kept['_meta'] = _meta;
  }
  return kept as JsonObject;
}
