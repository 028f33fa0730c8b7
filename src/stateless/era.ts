/**
 * The era of a request, by the package's own rules, so that nobody can disagree with it. The package reads a body with
 * three schemas before it knows; most requests show their era at a glance, and only the others are left to it.
 */
import { isLegacyRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { Era } from '../lane/contract.ts';
import type { Message } from '../shared/message.ts';

const DATED: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);

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
