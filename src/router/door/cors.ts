/**
 * CORS for pages whose origin the door lets pass; the preflight and the answer say the same. The packages' own CORS
 * headers never reach a client. Pure.
 */

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
export const CORS_ANSWER_HEADERS = [
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
