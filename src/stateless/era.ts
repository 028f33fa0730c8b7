/**
 * The era of a request, by the package's own rules, so that nobody can disagree with it. The package reads a body with
 * three schemas before it knows; most requests show their era at a glance, and only the others are left to it.
 */
import { isLegacyRequest, PROTOCOL_VERSION_META_KEY, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { isPlainObject } from '../shared/json.ts';

const DATED: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);

/** @param body Has passed the door: JSON-RPC in shape. */
export async function eraOf(request: Request, body: unknown): Promise<'2025' | '2026'> {
  return eraAtAGlance(request.headers, body) ?? ((await isLegacyRequest(request, body)) ? '2025' : '2026');
}

/** Undefined where only the package can tell. */
export function eraAtAGlance(headers: Headers, body: unknown): '2025' | '2026' | undefined {
  if (!isPlainObject(body) || typeof body['method'] !== 'string' || body['method'] === 'initialize') return undefined;
  const meta = isPlainObject(body['params']) ? body['params']['_meta'] : undefined;
  if (isPlainObject(meta) && PROTOCOL_VERSION_META_KEY in meta) return '2026';
  const version = headers.get('mcp-protocol-version');
  return version === null || DATED.has(version) ? '2025' : undefined;
}
