/**
 * Dresses a lane's response for the client: CORS, JSON where a package says plain text, and who answered. CORS is for pages
 * whose origin is allowed; the preflight and the answer say the same, and the packages' own headers never reach a client.
 */
import { isPlainObject } from '../shared/json.ts';
import { answerIdOf, type Message } from '../shared/message.ts';
import { CODE, refusalResponse } from './refusal.ts';

export interface Dress {
  readonly lane: string;
  readonly reason: string;
  readonly extra?: Readonly<Record<string, string>>;
  /** True for a refusal that the asking page must not be able to read: it gets no header at all. */
  readonly foreign?: boolean;
}

/** Says who answered, and why, where a client's tools show it (W3C Server Timing). Nobody's answer names no lane. */
export function setLaneTiming(headers: Headers, { lane, reason }: Pick<Dress, 'lane' | 'reason'>): void {
  if (lane !== 'none') headers.set('Server-Timing', `lane;desc="${lane}", reason;desc="${reason}"`);
}

/** @param body Instead of the response's own. */
export function dress(
  request: Request,
  response: Response,
  { lane, reason, extra, foreign = false }: Dress,
  body: BodyInit | null = response.body,
): Response {
  if (foreign) return new Response(body, response);
  // The copy's own headers are changed: a second copy of them costs as much as everything else here.
  const dressed = new Response(body, response);
  const { headers } = dressed;
  for (const name of CORS_ANSWER_HEADERS) headers.delete(name);
  for (const [name, value] of Object.entries({ ...corsHeaders(request), ...extra })) headers.set(name, value);
  headers.append('Vary', 'Origin');
  headers.set('X-Content-Type-Options', 'nosniff');
  setLaneTiming(headers, { lane, reason });
  return dressed;
}

/** What the packages say with each status, for the places where they say it in plain text. */
const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not Acceptable',
  413: 'Request body too large',
  415: 'Unsupported Media Type',
};

/**
 * Every error is JSON-RPC, says so, and has the id of the request that it answers. The legacy package labels its JSON-RPC
 * errors as text, which strict clients do not parse, sends some errors as plain sentences, and leaves the id out of most.
 */
export async function withJsonError(response: Response, message: Message | undefined): Promise<Response> {
  if (response.status < 400 || response.body === null) return response;
  const text = await response.text();
  const { status } = response;
  const asked = message === undefined ? {} : answerIdOf(message);
  const headers = new Headers(response.headers);
  headers.set('Content-Type', 'application/json');
  // The lane's own headers stay (Allow, Retry-After), but the length was that of its own text.
  headers.delete('Content-Length');
  const answer = errorIn(text);
  if (answer !== undefined) {
    const body = answer['id'] === null && asked.id !== undefined ? JSON.stringify({ ...answer, ...asked }) : text;
    return new Response(body, { status, headers });
  }
  const refusal = refusalResponse({
    ...asked,
    reason: 'internal',
    status,
    code: status >= 500 ? CODE.internal : CODE.http,
    message: STATUS_TEXT[status] ?? 'The server refused this request',
  });
  return new Response(refusal.body, { status, headers });
}

function errorIn(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isPlainObject(json) && json['jsonrpc'] === '2.0' && isPlainObject(json['error']) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Both eras' request headers (spec 2025-11-25 and 2026-07-28, basic/transports) and the resumption header. */
const REQUEST_HEADERS = [
  'Content-Type',
  'Accept',
  'Authorization',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Last-Event-ID',
];
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Retry-After, Server-Timing, Deprecation, Sunset, Link';
const MAX_AGE_SECONDS = 86_400;

/** Every header that an answer may have about it (Fetch standard, "CORS protocol", and Private Network Access). */
const CORS_ANSWER_HEADERS = [
  'Access-Control-Allow-Origin',
  'Access-Control-Allow-Credentials',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Allow-Private-Network',
  'Access-Control-Expose-Headers',
  'Access-Control-Max-Age',
] as const;

/** The headers for an answer to this request: none at all where no page asks. */
export function corsHeaders(request: Request): Record<string, string> {
  const origin = request.headers.get('origin');
  if (origin === null) return {};
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED };
}

/** @param further Names of request headers that the deployment allows beside the protocols'. */
export function preflight(request: Request, methods: readonly string[], further: readonly string[]): Response {
  const allow = [...methods, 'OPTIONS'].join(', ');
  const asked = request.headers.get('access-control-request-headers') ?? '';
  // Clients mirror tool arguments in headers of this prefix; their names are the tools', so none is listed up front.
  const params = asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[a-z0-9-]{1,64}$/i.test(name));
  return new Response(null, {
    status: 204,
    headers: {
      Allow: allow,
      Vary: 'Origin, Access-Control-Request-Headers',
      ...corsHeaders(request),
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers': [...REQUEST_HEADERS, ...further, ...params].join(', '),
      'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
    },
  });
}
