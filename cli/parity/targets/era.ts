/** What the two eras of the protocol add to a call, and how each describes its server. Pure. */
import type { Call } from '../../../src/parity/run-table.ts';
import { isPlainObject, type JsonObject } from '../../../src/shared/json.ts';
import type { Era } from './target.ts';

export const PROTOCOL: Readonly<Record<Era, string>> = { '2025': '2025-11-25', '2026': '2026-07-28' };
export const CLIENT_INFO = { name: 'mcp-parity', version: '1' } as const;

/**
 * The errors that a 2026 server sends with an HTTP status of their own (spec 2026-07-28, basic/transports). In the 2025
 * era every error of a request comes with 200.
 */
const OWN_STATUS: ReadonlyMap<number, number> = new Map([
  [-32700, 400],
  [-32600, 400],
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);
export const errorStatusOf = (era: Era): ReadonlyMap<number, number> => (era === '2026' ? OWN_STATUS : new Map());

export interface ServerDescription {
  readonly info: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
}

/** A 2026 request carries on every call what `initialize` says once (spec 2026-07-28, basic, "Request metadata"). */
export function paramsFor(era: Era, params: JsonObject = {}): JsonObject {
  if (era === '2025') return params;
  const meta = params['_meta'];
  return {
    ...params,
    _meta: {
      ...(isPlainObject(meta) ? meta : {}),
      'io.modelcontextprotocol/protocolVersion': PROTOCOL['2026'],
      'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
}

export function headersFor(era: Era, protocol: string, call: Call | undefined): Readonly<Record<string, string>> {
  const version = { 'mcp-protocol-version': protocol };
  if (era === '2025' || call === undefined) return version;
  const named = call.params?.['name'] ?? call.params?.['uri'];
  return {
    ...version,
    'mcp-method': call.method,
    ...(typeof named === 'string' && { 'mcp-name': headerText(named) }),
  };
}

/** Header values are visible ASCII; other text travels base64-encoded (spec 2026-07-28, basic/transports). */
function headerText(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')) return text;
  return `=?base64?${btoa(String.fromCodePoint(...new TextEncoder().encode(text)))}?=`;
}

/**
 * The server as `initialize` or `server/discover` describes it; undefined when the message is no such description.
 * @param version What `server/discover` has to offer.
 */
export function readServer(message: unknown, version: string | undefined): ServerDescription | undefined {
  const result = isPlainObject(message) ? message['result'] : undefined;
  if (!isPlainObject(result)) return undefined;
  const supported = result['supportedVersions'];
  if (version !== undefined && !(Array.isArray(supported) && supported.includes(version))) return undefined;
  const meta = isPlainObject(result['_meta']) ? result['_meta'] : {};
  const info = result['serverInfo'] ?? meta['io.modelcontextprotocol/serverInfo'];
  const { capabilities, instructions } = result;
  return {
    info: isPlainObject(info) ? (info as JsonObject) : {},
    capabilities: isPlainObject(capabilities) ? (capabilities as JsonObject) : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}
