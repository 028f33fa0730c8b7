/**
 * The request as a lane gets it: the client's own, at the route's one spelling. What is taken away are only the names by
 * which the legacy package talks to itself inside the Worker: it copies the client's headers and query onto its inner
 * requests, where such a name would choose a connection's id, switch its protocol or set a session's identity. What is
 * written out is what the client can read. Pure.
 */
import type { McpRoute } from '../routes.ts';

const INNER_HEADER = /^(x-agents-|x-cf-agents-|x-partykit-|cf-mcp-|sec-websocket-|upgrade$)/;
/** What those names begin with: most headers are let pass by a look at their first letter. */
const INNER_INITIALS = 'xcsu';

export interface Forwarding {
  /** The message that was read, for a lane that asks the request for it. */
  readonly json?: unknown;
  /** True where the request starts a session, so that an id of an earlier one means nothing. */
  readonly startsSession?: boolean;
}

/** The very same request where nothing has to change. */
export function forwarded(
  request: Request,
  route: McpRoute,
  { json, startsSession = false }: Forwarding = {},
): Request {
  const url = innerUrl(request.url, route);
  const headers = changedHeaders(request.headers, startsSession, json !== undefined);
  const { method, signal } = request;
  const inner =
    url === request.url && headers === undefined
      ? request
      : new Request(url, { method, headers: headers ?? request.headers, signal });
  // A body of its own would be written only to be read and parsed a second time. A request may be forwarded twice.
  return json === undefined
    ? inner
    : Object.defineProperty(inner, 'json', { configurable: true, value: async () => json });
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

function changedHeaders(headers: Headers, startsSession: boolean, isJson: boolean): Headers | undefined {
  const accept = widenedAccept(headers.get('accept'));
  // The legacy package looks for the type as text, in small letters, in what the request validation has let pass.
  const isOddlyTyped = isJson && headers.get('content-type')?.includes(JSON_TYPE) === false;
  const dropped: string[] = startsSession && headers.has('mcp-session-id') ? ['mcp-session-id'] : [];
  for (const name of headers.keys()) {
    if (INNER_INITIALS.includes(name[0] ?? '') && INNER_HEADER.test(name)) dropped.push(name);
  }
  if (accept === undefined && dropped.length === 0 && !isOddlyTyped) return undefined;
  const changed = new Headers(headers);
  for (const name of dropped) changed.delete(name);
  if (accept !== undefined) changed.set('accept', accept);
  if (isOddlyTyped) changed.set('content-type', JSON_TYPE);
  return changed;
}

const JSON_TYPE = 'application/json';
const TYPES = [JSON_TYPE, 'text/event-stream'] as const;
const BOTH = TYPES.join(', ');
/** Of no type that anybody sends: for a client that can read neither, which its lane refuses. */
const NEITHER = 'application/octet-stream';

/**
 * What a client says it can read (RFC 9110, "Accept"). Both packages look for the two media types as text: they miss
 * wildcards, other letters and absent headers, and take what is ruled out by `q=0`. So it is written out for every lane
 * what the header means.
 * @returns Undefined if the client's own header says it already.
 */
export function widenedAccept(accept: string | null): string | undefined {
  // Nearly all clients write it so.
  if (accept === BOTH) return undefined;
  if (accept === null || accept.trim() === '') return BOTH;
  const ranges = accept.split(',').map(rangeOf);
  const readable = TYPES.filter((type) => reads(ranges, type));
  // As the packages look at it.
  const found = TYPES.filter((type) => accept.includes(type));
  if (found.length === readable.length && found.every((type) => readable.includes(type))) return undefined;
  return readable.length === 0 ? NEITHER : readable.join(', ');
}

interface Range {
  readonly range: string;
  readonly wanted: boolean;
}

/** The most precise range decides. */
function reads(ranges: readonly Range[], type: (typeof TYPES)[number]): boolean {
  const [main] = type.split('/');
  const best = [type, `${main}/*`, '*/*'].map((name) => ranges.filter(({ range }) => range === name));
  return best.find((found) => found.length > 0)?.some(({ wanted }) => wanted) ?? false;
}

/** Of parameters only the weight counts: neither type has any. */
function rangeOf(text: string): Range {
  const [range = '', ...params] = text.split(';').map((part) => part.trim().toLowerCase());
  return { range, wanted: !params.some((param) => /^q\s*=\s*0(\.0*)?$/.test(param)) };
}
