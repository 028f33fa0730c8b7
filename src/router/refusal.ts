/** What the door says when it does not let a request pass: one shape, JSON-RPC inside, on both routes. Pure. */
import type { JsonObject } from '../shared/json.ts';

export type RefusalReason =
  | 'host_not_allowed'
  | 'origin_not_allowed'
  | 'not_found'
  | 'method_not_allowed'
  | 'body_too_large'
  | 'body_unreadable'
  | 'content_type'
  | 'not_json'
  | 'not_json_rpc'
  | 'batch'
  | 'era_not_served'
  | 'unknown_session'
  | 'gone';

export interface Refusal {
  readonly reason: RefusalReason;
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly id?: string | number;
  readonly data?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** JSON-RPC's own codes, and the SDKs' -32000 for what HTTP refuses before JSON-RPC begins. */
export const CODE = { parse: -32700, invalidRequest: -32600, http: -32000, sessionNotFound: -32001 } as const;

export function refusalResponse(refusal: Refusal): Response {
  const { code, message, data } = refusal;
  return Response.json(
    { jsonrpc: '2.0', id: refusal.id ?? null, error: { code, message, ...(data !== undefined && { data }) } },
    { status: refusal.status, headers: { 'Cache-Control': 'no-store', ...refusal.headers } },
  );
}
