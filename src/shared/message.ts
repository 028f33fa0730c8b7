/**
 * A posted JSON-RPC message, read once when it is let in and handed on as a value, so that nothing behind the request
 * validation looks into the body again. Pure.
 */
import type { ClientInfo } from './define/context.ts';
import { isPlainObject } from './json.ts';

export type RequestId = string | number;

/** The keys of the 2026-07-28 envelope (spec 2026-07-28, basic, "Request metadata"). */
export const ENVELOPE_KEY = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
} as const;

export interface Message {
  readonly kind: 'request' | 'notification' | 'response' | 'batch';
  /** What was posted, as JSON reads it. The packages are handed it as it is. */
  readonly json: unknown;
  /** Of a request or a notification. */
  readonly method?: string;
  /** Of a request or a response. */
  readonly id?: RequestId;
  /** Of a request or a notification; empty where there are none. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The `_meta` of a message that carries the 2026-07-28 envelope. */
  readonly envelope?: Readonly<Record<string, unknown>>;
  /** True if something in it waits for an answer. */
  readonly expectsAnswer: boolean;
}

const NONE: Readonly<Record<string, unknown>> = {};

/** @param json Has passed the request validation: JSON-RPC 2.0 as MCP narrows it. */
export function messageOf(json: unknown): Message {
  if (Array.isArray(json)) {
    return { kind: 'batch', json, params: NONE, expectsAnswer: json.some((one) => 'method' in one && 'id' in one) };
  }
  const { method, id, params: given } = json as { method?: string; id?: RequestId; params?: unknown };
  const params = isPlainObject(given) ? given : NONE;
  if (method === undefined) return { kind: 'response', json, params: NONE, expectsAnswer: false, ...idOf(id) };
  const { _meta: meta } = params;
  const envelope = isPlainObject(meta) && ENVELOPE_KEY.version in meta ? meta : undefined;
  return {
    kind: id === undefined ? 'notification' : 'request',
    json,
    method,
    params,
    ...idOf(id),
    ...(envelope !== undefined && { envelope }),
    expectsAnswer: id !== undefined,
  };
}

const idOf = (id: RequestId | undefined): { readonly id?: RequestId } => (id === undefined ? {} : { id });

/** The id that a refusal of this message echoes: a response waits for no answer, so its id is nobody's. */
export const answerIdOf = (message: Message): { readonly id?: RequestId } =>
  message.method === undefined ? {} : idOf(message.id);

/** `initialize`: the one request that begins a session. */
export const isInitialize = (message: Message | undefined): boolean => message?.method === 'initialize';

/** What the client says of itself: in `initialize`, or in the envelope of each 2026-07-28 request. */
export function clientOf({ params, envelope }: Message): ClientInfo | undefined {
  const info = envelope === undefined ? params['clientInfo'] : envelope[ENVELOPE_KEY.client];
  if (!isPlainObject(info) || typeof info['name'] !== 'string') return undefined;
  return { name: info['name'], version: typeof info['version'] === 'string' ? info['version'] : '' };
}

/** The protocol version that a message names; undefined where only a header can. */
export function versionOf({ params, envelope, method }: Message): string | undefined {
  const version =
    envelope === undefined ? method === 'initialize' && params['protocolVersion'] : envelope[ENVELOPE_KEY.version];
  return typeof version === 'string' ? version : undefined;
}
