/**
 * Host and Origin allow-lists, against DNS rebinding and foreign pages (spec 2025-11-25, basic/transports, security
 * warning). Pure.
 */
import type { DoorConfig } from '../config.ts';
import { CODE, type Refusal } from '../refusal.ts';

/** The Host header where there is one: behind some local servers it differs from the URL, and it is what was asked for. */
export function checkHost(url: URL, headers: Headers, config: DoorConfig): Refusal | undefined {
  const header = headers.get('host');
  const named = header === null ? url.hostname : hostnameOf(`http://${header}`);
  if (named !== undefined && matches(named, config.allowedHosts) && matches(url.hostname, config.allowedHosts))
    return undefined;
  return {
    reason: 'host_not_allowed',
    status: 403,
    code: CODE.http,
    message: 'Forbidden: this server does not answer to this host name. Its operator can add it to ALLOWED_HOSTS.',
  };
}

/** A request without Origin is not from a page. `null` (a sandboxed page, a file) is refused like any foreign origin. */
export function checkOrigin(url: URL, headers: Headers, config: DoorConfig): Refusal | undefined {
  const origin = headers.get('origin');
  if (origin === null || config.allowedOrigins.includes('*')) return undefined;
  const hostname = hostnameOf(origin);
  if (hostname !== undefined && (hostname === url.hostname || matches(hostname, config.allowedOrigins)))
    return undefined;
  return {
    reason: 'origin_not_allowed',
    status: 403,
    code: CODE.http,
    message:
      'Forbidden: pages of this origin may not call this server. Its operator can add the host name to ALLOWED_ORIGINS.',
  };
}

function matches(hostname: string, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    if (entry === '*') return true;
    return entry.startsWith('*.')
      ? hostname.endsWith(entry.slice(1)) && hostname.length > entry.length - 1
      : hostname === entry;
  });
}

function hostnameOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '' ? hostname : undefined;
}
