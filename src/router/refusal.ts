/**
 * Every refusal of the router, with its text: one shape, JSON-RPC inside, on each route. A refusal is a value until
 * `refusalResponse` turns it into an answer. Pure.
 */
import type { JsonObject } from '../shared/json.ts';
import type { RequestId } from '../shared/message.ts';

export type RefusalReason =
  | 'host_not_allowed'
  | 'origin_not_allowed'
  | 'cross_site'
  | 'not_found'
  | 'method_not_allowed'
  | 'no_token'
  | 'bad_credentials'
  | 'invalid_token'
  | 'sign_in_unavailable'
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
  | 'insufficient_scope'
  | 'era_not_served'
  | 'era_not_begun'
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
  readonly id?: RequestId;
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

const http = (reason: RefusalReason, status: number, message: string): Refusal => ({
  reason,
  status,
  code: CODE.http,
  message,
});
const parseError = (reason: RefusalReason, message: string): Refusal => ({
  reason,
  status: 400,
  code: CODE.parse,
  message,
});
const invalidRequest = (reason: RefusalReason, message: string): Refusal => ({
  reason,
  status: 400,
  code: CODE.invalidRequest,
  message,
});

export const hostNotAllowed = http(
  'host_not_allowed',
  403,
  'Forbidden: this server does not answer to this host name. Its operator can add it to ALLOWED_HOSTS.',
);

export const originNotAllowed = http(
  'origin_not_allowed',
  403,
  'Forbidden: pages of this origin may not call this server. Its operator can add the host name to ALLOWED_ORIGINS.',
);

export const crossSite = http(
  'cross_site',
  403,
  'Forbidden: a page of another site may call this server only with an Origin header, as scripts send it.',
);

/** Long enough for any path of ours, too short to be worth echoing. */
const ECHOED_PATH_UNITS = 80;

export const notFound = (pathname: string, paths: { readonly mcp: string; readonly legacy: string }): Refusal =>
  http(
    'not_found',
    404,
    `Not found: ${pathname.slice(0, ECHOED_PATH_UNITS)}. This server answers at ${paths.mcp} and ${paths.legacy}`,
  );

export const methodNotAllowed = (methods: readonly string[], path: string): Refusal => ({
  ...http('method_not_allowed', 405, `Method not allowed: ${path} answers ${methods.join(', ')}`),
  // Some clients wait for ever on a 405 that does not say what is allowed.
  headers: { Allow: [...methods, 'OPTIONS'].join(', ') },
});

/** The binding allows periods of 10 s and 60 s and does not say which is set or how much of it is left. */
const RETRY_AFTER_SECONDS = 60;

export const rateLimited: Refusal = {
  ...http('rate_limited', 429, `Too many requests: try again in ${RETRY_AFTER_SECONDS} seconds`),
  headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
};

export const contentType = http('content_type', 415, 'Unsupported Media Type: Content-Type must be application/json');
export const contentEncoding = http(
  'content_encoding',
  415,
  'Unsupported Media Type: send the body without Content-Encoding',
);
export const bodyTooLarge = (bytes: number): Refusal =>
  http('body_too_large', 413, `Request body too large: the limit is ${bytes} bytes`);
export const bodyTooSlow = (ms: number): Refusal =>
  http('body_too_slow', 408, `Request Timeout: the body took more than ${ms} ms`);

export const bodyUnreadable = parseError('body_unreadable', 'Parse error: the body could not be read as UTF-8');
export const notJson = parseError('not_json', 'Parse error: Invalid JSON');

export const notJsonRpc = invalidRequest('not_json_rpc', 'Invalid Request: the body is not a JSON-RPC 2.0 message');
export const paramsNotObject = invalidRequest(
  'not_json_rpc',
  'Invalid Request: "params" must be an object, or be left out',
);
export const tooDeep = (levels: number): Refusal =>
  invalidRequest('too_deep', `Invalid Request: JSON may be ${levels} levels deep`);
export const badBatch = {
  notHere: invalidRequest('batch', 'Invalid Request: this URL takes one message at a time'),
  length: (most: number): Refusal => invalidRequest('batch', `Invalid Request: a batch has 1 to ${most} messages`),
  initialize: invalidRequest('batch', 'Invalid Request: initialize cannot be part of a batch'),
  sameId: invalidRequest('batch', 'Invalid Request: each request of a batch needs an id of its own'),
  cancel: invalidRequest('batch', 'Invalid Request: a batch cannot cancel'),
} as const;

export const malformedInitialize: Refusal = {
  reason: 'malformed_initialize',
  status: 400,
  code: CODE.invalidParams,
  message: 'Invalid params: initialize needs "protocolVersion", "capabilities" and "clientInfo"',
};

export const eraNotServed = (successor: string): Refusal =>
  http(
    'era_not_served',
    400,
    `Bad Request: this URL serves protocol versions up to 2025-11-25. Send initialize, or use ${successor} for 2026-07-28`,
  );

/** For a client that could still begin otherwise. */
export const eraNotBegun = http(
  'era_not_begun',
  400,
  'Bad Request: clients that begin now are served protocol versions up to 2025-11-25. Send initialize',
);

/** Of an `initialize` that is taken for a later one because of its header. */
export const laterHeader = (successor: string): Refusal =>
  http(
    'era_not_served',
    400,
    `Bad Request: this URL serves protocol versions up to 2025-11-25, and the header MCP-Protocol-Version names a later one. Send initialize without it, or use ${successor} for 2026-07-28`,
  );

export const gone = (successor: string): Refusal => ({
  ...http('gone', 410, `Gone: this server has moved to ${successor}`),
  headers: { Link: `<${successor}>; rel="successor-version"` },
});

export const switchedOff = http('off', 404, 'Not found: this URL is switched off by the operator of the server');

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

export const answerDeadline = (ms: number): Refusal =>
  http('answer_deadline', 504, `The server did not begin to answer within ${ms} ms`);
