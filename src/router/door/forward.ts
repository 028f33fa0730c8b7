/**
 * The request as a lane gets it: the client's own, at the route's one spelling. What is taken away are only the names by
 * which the legacy package talks to itself inside the Worker: it copies the client's headers and query onto its inner
 * requests, where such a name would choose a connection's id, switch its protocol or set a session's identity.
 */
import type { McpRoute } from '../routes.ts';
import { widenedAccept } from './accept.ts';

const INNER_HEADER = /^(x-agents-|x-cf-agents-|x-partykit-|cf-mcp-|sec-websocket-|upgrade$)/;

export interface Forwarding {
  /** The body to give back to a lane that reads it for itself. */
  readonly body?: string;
  /** True where the request starts a session, so that an id of an earlier one means nothing. */
  readonly startsSession?: boolean;
}

/** The very same request where nothing has to change. */
export function forwarded(
  request: Request,
  route: McpRoute,
  { body, startsSession = false }: Forwarding = {},
): Request {
  const url = innerUrl(request.url, route);
  const headers = changedHeaders(request.headers, startsSession);
  if (url === request.url && headers === undefined && body === undefined) return request;
  const { method, signal } = request;
  return new Request(url, {
    method,
    headers: headers ?? request.headers,
    signal,
    ...(body !== undefined && { body }),
  });
}

function innerUrl(text: string, route: McpRoute): string {
  // Nearly every URL is the route's own already, and parsing one takes longer than looking.
  if (text.slice(text.indexOf('/', text.indexOf('//') + 2)) === route.path) return text;
  const url = new URL(text);
  url.pathname = route.path;
  const sessionId = route.transport === 'streamable' ? null : url.searchParams.get('sessionId');
  url.search = sessionId === null ? '' : `?${new URLSearchParams({ sessionId }).toString()}`;
  return url.toString();
}

function changedHeaders(headers: Headers, startsSession: boolean): Headers | undefined {
  const accept = widenedAccept(headers.get('accept'));
  const dropped = [...headers.keys()].filter(
    (name) => INNER_HEADER.test(name) || (startsSession && name === 'mcp-session-id'),
  );
  if (accept === undefined && dropped.length === 0) return undefined;
  const changed = new Headers(headers);
  for (const name of dropped) changed.delete(name);
  if (accept !== undefined) changed.set('accept', accept);
  return changed;
}
