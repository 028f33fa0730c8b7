/** Dresses a lane's response for the client: the door's CORS, JSON where a package says plain text, and who answered. */
import { isPlainObject } from '../shared/json.ts';
import { CORS_ANSWER_HEADERS, corsHeaders } from './door/cors.ts';
import { CODE, refusalResponse } from './refusal.ts';

export interface Dress {
  readonly lane: string;
  readonly reason: string;
  readonly extra?: Readonly<Record<string, string>>;
  /** True for a refusal that the asking page must not be able to read: it gets no header at all. */
  readonly foreign?: boolean;
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
  if (lane !== 'none') headers.set('Server-Timing', `lane;desc="${lane}", reason;desc="${reason}"`);
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
 * Every error is JSON-RPC and says so. The legacy package labels its JSON-RPC errors as text, which strict clients do
 * not parse, and sends some errors as plain sentences.
 */
export async function withJsonError(response: Response): Promise<Response> {
  if (response.status < 400 || response.body === null) return response;
  if (response.headers.get('content-type')?.includes('application/json') === true) return response;
  const text = await response.text();
  const headers = new Headers(response.headers);
  headers.set('Content-Type', 'application/json');
  if (isJsonRpcError(text)) return new Response(text, { status: response.status, headers });
  const refusal = refusalResponse({
    reason: 'internal',
    status: response.status,
    code: response.status >= 500 ? CODE.internal : CODE.http,
    message: STATUS_TEXT[response.status] ?? 'The server refused this request',
  });
  // The lane's own headers stay (Allow, Retry-After), but the length was that of its sentence.
  headers.delete('Content-Length');
  return new Response(refusal.body, { status: response.status, headers });
}

function isJsonRpcError(text: string): boolean {
  try {
    const json: unknown = JSON.parse(text);
    return isPlainObject(json) && json['jsonrpc'] === '2.0' && isPlainObject(json['error']);
  } catch {
    return false;
  }
}
