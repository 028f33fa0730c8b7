/**
 * Holds a parsed body against JSON-RPC 2.0 as MCP narrows it, and against what neither SDK survives. Both SDKs are as
 * strict, but with different codes and texts, and some of it they answer with an open stream. Pure.
 */
import { isPlainObject } from '../../shared/json.ts';
import { ENVELOPE_KEY, messageOf, type Message } from '../../shared/message.ts';
import { badBatch, malformedInitialize, notJsonRpc, paramsNotObject, tooDeep, type Refusal } from '../refusal.ts';

/** Longest batch; SDK v2 has the same limit. */
const MAX_BATCH = 100;
/** Deeper JSON parses, but overflows the stack where the packages write it again. */
const MAX_DEPTH = 128;

type Candidate = Record<string, unknown>;

export type MessageRead =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly refusal: Refusal };

/** @param batches False where the lane reads one message at a time. */
export function readMessage(json: unknown, batches: boolean): MessageRead {
  const refusal = checkShape(json, batches);
  return refusal === undefined ? { ok: true, message: messageOf(json) } : { ok: false, refusal };
}

function checkShape(json: unknown, batches: boolean): Refusal | undefined {
  if (isDeeperThan(json, MAX_DEPTH)) return tooDeep(MAX_DEPTH);
  if (Array.isArray(json)) return batches ? checkBatch(json) : badBatch.notHere;
  if (!isMessage(json)) return isMessage(withoutParams(json)) ? paramsNotObject : notJsonRpc;
  return json['method'] === 'initialize' && !hasEnvelope(json) ? checkInitialize(json) : undefined;
}

/** A message whose only fault are parameters that are no object: some languages write `null` for none. */
const withoutParams = (json: unknown): unknown =>
  isPlainObject(json) && 'method' in json && 'params' in json && !isPlainObject(json['params'])
    ? { ...json, params: undefined }
    : undefined;

/** A 2026 request: the lane says that it does not know `initialize`, whatever the parameters (spec 2026-07-28, basic/transports). */
const hasEnvelope = ({ params }: Candidate): boolean =>
  isPlainObject(params) && isPlainObject(params['_meta']) && ENVELOPE_KEY.version in params['_meta'];

function checkBatch(batch: readonly unknown[]): Refusal | undefined {
  if (batch.length === 0 || batch.length > MAX_BATCH) return badBatch.length(MAX_BATCH);
  if (!batch.every(isMessage)) return notJsonRpc;
  if (batch.some(({ method }) => method === 'initialize')) return badBatch.initialize;
  const ids = batch.filter((message) => 'method' in message && 'id' in message).map(({ id }) => id);
  if (new Set(ids).size !== ids.length) return badBatch.sameId;
  // The request would never be answered, and its stream would stay open.
  if (ids.length > 0 && batch.some(({ method }) => method === 'notifications/cancelled')) return badBatch.cancel;
  return undefined;
}

/** A request, a notification or a response; an id is a string or an integer, and no other members are allowed. */
function isMessage(value: unknown): value is Candidate {
  if (!isPlainObject(value) || value['jsonrpc'] !== '2.0') return false;
  if ('method' in value) {
    return (
      typeof value['method'] === 'string' &&
      (!('id' in value) || isId(value['id'])) &&
      hasOnly(value, ['jsonrpc', 'id', 'method', 'params']) &&
      (value['params'] === undefined || (isPlainObject(value['params']) && hasGoodMeta(value['params'])))
    );
  }
  if (!isId(value['id'])) return false;
  if ('result' in value) {
    return (
      hasOnly(value, ['jsonrpc', 'id', 'result']) && isPlainObject(value['result']) && hasGoodMeta(value['result'])
    );
  }
  const { error } = value;
  return (
    hasOnly(value, ['jsonrpc', 'id', 'error']) &&
    isPlainObject(error) &&
    Number.isSafeInteger(error['code']) &&
    typeof error['message'] === 'string'
  );
}

export const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id);

const hasOnly = (value: Candidate, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** What both SDKs demand of `_meta` before they look at anything else. */
function hasGoodMeta({ _meta: meta }: Candidate): boolean {
  if (meta === undefined) return true;
  if (!isPlainObject(meta)) return false;
  const { progressToken, [RELATED_TASK]: task } = meta;
  return (
    (progressToken === undefined || isId(progressToken)) &&
    (task === undefined || (isPlainObject(task) && typeof task['taskId'] === 'string'))
  );
}

/** The client capabilities of the 2025 protocols; others may be anything. */
const CAPABILITIES = ['experimental', 'sampling', 'elicitation', 'roots', 'tasks', 'extensions'] as const;

/** Without this the legacy package asks for a session id, and SDK v2 shows its own schema's complaint. */
function checkInitialize({ params, id }: Candidate): Refusal | undefined {
  const { protocolVersion, capabilities, clientInfo } = isPlainObject(params) ? params : ({} as Candidate);
  const good =
    typeof protocolVersion === 'string' &&
    isPlainObject(capabilities) &&
    CAPABILITIES.every((name) => capabilities[name] === undefined || isPlainObject(capabilities[name])) &&
    isPlainObject(clientInfo) &&
    typeof clientInfo['name'] === 'string' &&
    typeof clientInfo['version'] === 'string';
  return good && isId(id) ? undefined : malformedInitialize;
}

/** Recursion ends at the limit, however deep the value is. */
function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, limit - 1));
}
