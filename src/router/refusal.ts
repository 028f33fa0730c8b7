/** What the door says when it does not let a request pass: one shape, JSON-RPC inside, on both routes. Pure. */
import type { JsonObject } from '../shared/json.ts';

export type RefusalReason =
  | 'host_not_allowed'
  | 'origin_not_allowed'
  | 'not_found'
  | 'method_not_allowed'
  | 'rate_limited'
  | 'body_too_large'
  | 'body_unreadable'
  | 'body_too_slow'
  | 'content_type'
  | 'content_encoding'
  | 'not_json'
  | 'not_json_rpc'
  | 'too_deep'
  | 'batch'
  | 'malformed_initialize'
  | 'era_not_served'
  | 'unknown_session'
  | 'gone'
  | 'off'
  | 'answer_deadline'
  | 'internal';

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
export const CODE = {
  parse: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  http: -32000,
  sessionNotFound: -32001,
} as const;

export function refusalResponse(refusal: Refusal): Response {
  const { code, message, data } = refusal;
  return Response.json(
    { jsonrpc: '2.0', id: refusal.id ?? null, error: { code, message, ...(data !== undefined && { data }) } },
    { status: refusal.status, headers: { 'Cache-Control': 'no-store', ...refusal.headers } },
  );
}

/** Long enough for any path of ours, too short to be worth echoing. */
const ECHOED_PATH_UNITS = 80;

export const notFound = (pathname: string): Refusal => ({
  reason: 'not_found',
  status: 404,
  code: CODE.http,
  message: `Not found: ${pathname.slice(0, ECHOED_PATH_UNITS)}. This server answers at /mcp and /legacy/mcp`,
});

export const methodNotAllowed = (methods: readonly string[], path: string): Refusal => ({
  reason: 'method_not_allowed',
  status: 405,
  code: CODE.http,
  message: `Method not allowed: ${path} answers ${methods.join(', ')}`,
  // Some clients wait for ever on a 405 that does not say what is allowed.
  headers: { Allow: [...methods, 'OPTIONS'].join(', ') },
});

export const eraNotServed = (successor: string): Refusal => ({
  reason: 'era_not_served',
  status: 400,
  code: CODE.http,
  message: `Bad Request: this URL serves protocol versions up to 2025-11-25. Send initialize, or use ${successor} for 2026-07-28`,
});

export const gone = (successor: string): Refusal => ({
  reason: 'gone',
  status: 410,
  code: CODE.http,
  message: `Gone: this server has moved to ${successor}`,
  headers: { Link: `<${successor}>; rel="successor-version"` },
});

export const switchedOff: Refusal = {
  reason: 'off',
  status: 404,
  code: CODE.http,
  message: 'Not found: this URL is switched off by the operator of the server',
};

export const unknownSession: Refusal = {
  reason: 'unknown_session',
  status: 404,
  code: CODE.sessionNotFound,
  message: 'Session not found',
};

/** A cause of ours, whose details are in the log only. */
export const internal: Refusal = {
  reason: 'internal',
  status: 500,
  code: CODE.internal,
  message: 'Internal error',
};

export const bodyTooSlow = (ms: number): Refusal => ({
  reason: 'body_too_slow',
  status: 408,
  code: CODE.http,
  message: `Request Timeout: the body took more than ${ms} ms`,
});

export const answerDeadline = (ms: number): Refusal => ({
  reason: 'answer_deadline',
  status: 504,
  code: CODE.http,
  message: `The server did not begin to answer within ${ms} ms`,
});
