/**
 * Where a request may go on to: SDK clients follow a redirect only within the origin that was asked, and only where the
 * method stays. Headers of a target, a token among them, are for its origin alone. Pure.
 */
import { URL } from 'node:url';
import { WireFault } from './wire.ts';

/** A chain of redirects that is longer has no end. */
export const MOST_REDIRECTS = 5;

/**
 * The URL to ask next; undefined for a response that is no redirect.
 * @throws WireFault for a redirect that is not followed, with the remedy.
 */
export function redirectOf(
  method: 'GET' | 'POST' | 'DELETE',
  from: URL,
  status: number,
  location: string | undefined,
): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const keepsMethod = method === 'GET' || status === 307 || status === 308;
  if (to !== undefined && keepsMethod && to.username === '' && to.password === '' && sameOrigin(from, to)) return to;
  const where = to === undefined ? 'what is no URL' : `${to.origin}${to.pathname}`;
  throw new WireFault(
    'refused',
    `HTTP ${status} redirects to ${where}, which is not followed. Give that URL as the target if it is the server you mean`,
    { status },
  );
}

/** The same scheme, host and port, or https in place of http where both have their usual ports. */
export const sameOrigin = (from: URL, to: URL): boolean =>
  from.origin === to.origin ||
  (from.protocol === 'http:' &&
    to.protocol === 'https:' &&
    from.hostname === to.hostname &&
    from.port === '' &&
    to.port === '');
