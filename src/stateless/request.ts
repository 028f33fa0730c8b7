/** What the package has to know of a request before it is handed over: its era, and its Host header. */
import { isLegacyRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { Era } from '../lane/contract.ts';
import type { Message } from '../shared/message.ts';

const DATED: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);

/**
 * The era of a request, by the package's own rules, so that nobody can disagree with it. The package reads a body with
 * three schemas before it knows; most requests show their era at a glance, and only the others are left to it.
 */
export async function eraOf(request: Request, message: Message): Promise<Era> {
  return eraAtAGlance(request.headers, message) ?? ((await isLegacyRequest(request, message.json)) ? '2025' : '2026');
}

/** Undefined where only the package can tell. */
export function eraAtAGlance(headers: Headers, { method, envelope }: Message): Era | undefined {
  if (method === undefined || method === 'initialize') return undefined;
  if (envelope !== undefined) return '2026';
  const version = headers.get('mcp-protocol-version');
  return version === null || DATED.has(version) ? '2025' : undefined;
}

/** Requests through a binding have no Host header, and the package refuses them; the host of the URL was checked before. */
export function withHost(request: Request): Request {
  if (request.headers.has('host')) return request;
  const headers = new Headers(request.headers);
  headers.set('host', new URL(request.url).host);
  // Without the body: it has been read, and the package is given what was in it.
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}
