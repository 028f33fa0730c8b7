/** Dresses a lane's response for the client: the door's CORS, JSON where the package says plain text, and who answered. */
import type { Decision } from './decide.ts';
import { corsHeaders } from './door/cors.ts';

export function dress(
  request: Request,
  response: Response,
  decision: Decision | undefined,
  extra?: Readonly<Record<string, string>>,
): Response {
  const headers = new Headers(response.headers);
  for (const name of [...headers.keys()]) {
    if (name.startsWith('access-control-')) headers.delete(name);
  }
  for (const [name, value] of Object.entries({ ...corsHeaders(request), ...extra })) headers.set(name, value);
  headers.append('Vary', 'Origin');
  headers.set('X-Content-Type-Options', 'nosniff');
  if (decision !== undefined)
    headers.set('Server-Timing', `lane;desc="${decision.lane}", reason;desc="${decision.reason}"`);
  // The legacy package sends its own JSON-RPC errors as text, which browsers and strict clients do not parse.
  if (response.status >= 400 && !headers.get('content-type')?.includes('json'))
    headers.set('Content-Type', 'application/json');
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
