/** What the census is told about a request, and how it is made safe to keep. Pure. */
import type { ClientInfo } from '../../shared/define/context.ts';
import { oneLine } from '../../shared/one-line.ts';

/** What a client may do that not every lane can do for it; and that it goes on with a session that has ended. */
export const USES = [
  'get_stream',
  'last_event_id',
  'pushed_question',
  'ping',
  'batch',
  'large_body',
  'browser_origin',
  'log_level',
  'subscription',
  'lost_session',
] as const;
export type Use = (typeof USES)[number];

export type SeenRoute = '/legacy/mcp' | '/legacy/sse' | '/mcp';
export type SeenLane = 'legacy' | 'compat' | 'modern' | 'none';
export type SeenEra = '2025' | '2026';

export interface Client {
  readonly name: string;
  readonly version: string;
}

/** One request. Name and version are what the client says of itself, so anything may be in them. */
export interface Seen {
  /** From `initialize`, or from the envelope of a 2026 request; undefined where the request does not say it. */
  readonly client: ClientInfo | undefined;
  readonly era: SeenEra;
  readonly protocolVersion: string | undefined;
  /** The family only, as `userAgentFamily` gives it: the whole header can tell one person from another. */
  readonly userAgent: string;
  readonly route: SeenRoute;
  readonly lane: SeenLane;
  /** Why that lane, in a word of the decision or of the door. */
  readonly reason: string;
  readonly uses: readonly Use[];
  /**
   * True for what only begins something: `initialize`, and the stream of the HTTP+SSE transport. Anybody can send one
   * under any name, so it proves no client.
   */
  readonly opens?: boolean;
  /** True for a call that goes on after a question: with the one that asked it is one call. */
  readonly continues?: boolean;
  /**
   * The session that the request was served in, or the one that the legacy lane refused because it has ended. Absent
   * where there is none, and where the request was refused otherwise.
   */
  readonly sessionId?: string | undefined;
}

/** The word for a session that the legacy lane does not know, as the reason of a refusal. */
export const UNKNOWN_SESSION = 'unknown_session';
/** The word for a request without a session id, where there has to be one. */
export const NO_SESSION = 'no_session';

/** A row for what nothing is known about, and one for what there is no room for. */
export const UNKNOWN_CLIENT: Client = { name: 'unknown', version: '' };
export const OTHER = 'other';
export const OTHER_CLIENT: Client = { name: OTHER, version: '' };

const MAX_TEXT = 64;
const PROTOCOL_VERSIONS: ReadonlySet<string> = new Set([
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
]);

/** Most texts: nothing to look for in them. */
const PLAIN = /^[\x21-\x7e]{1,64}$/;

export const cleanText = (text: string): string => (PLAIN.test(text) ? text : oneLine(text, MAX_TEXT));

export function cleanClient({ name, version }: ClientInfo): Client {
  const cleaned = cleanText(name);
  return cleaned === '' ? UNKNOWN_CLIENT : { name: cleaned, version: cleanText(version) };
}

/** A version that no specification has is "other", so that inventing some makes no rows. */
export function knownProtocol(version: string | undefined): string {
  if (version === undefined) return '';
  return PROTOCOL_VERSIONS.has(version) ? version : OTHER;
}

/**
 * The product that a User-Agent header begins with, for example "claude-code", "python-httpx", "node" or "Mozilla".
 * Versions, systems and comments are left out.
 */
export function userAgentFamily(header: string | null): string {
  if (header === null) return '';
  return /^[A-Za-z][A-Za-z0-9_.-]{0,31}(?=[/ (;]|$)/.exec(header.trimStart().slice(0, 40))?.[0] ?? OTHER;
}
