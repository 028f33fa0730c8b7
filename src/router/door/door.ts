/**
 * The checks that need no body, in order: each one passes or answers. They are the same for both routes. Host and Origin
 * come first, so that a foreign page learns nothing at all: their allow-lists are against DNS rebinding and foreign pages
 * (spec 2025-11-25, basic/transports, security warning). Pure.
 */
import type { DoorConfig } from '../config.ts';
import { crossSite, hostNotAllowed, methodNotAllowed, notFound, originNotAllowed, type Refusal } from '../refusal.ts';
import { methodsOf, type Route, type Routes } from '../routes.ts';

export type Entered =
  /** `readable`: whether the page that asks may read the refusal. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly readable: boolean }
  | { readonly kind: 'preflight'; readonly methods: readonly string[] }
  | { readonly kind: 'passed'; readonly route: Route };

export function enter(
  request: { readonly method: string; readonly headers: Headers },
  url: URL,
  config: Pick<DoorConfig, 'allowedHosts' | 'allowedOrigins'> & { readonly routes: Routes },
): Entered {
  const foreign = checkHost(url, request.headers, config) ?? checkOrigin(url, request.headers, config);
  if (foreign !== undefined) return { kind: 'refused', refusal: foreign, readable: false };
  const route = config.routes.find(url.pathname);
  if (route === undefined)
    return { kind: 'refused', refusal: notFound(url.pathname, config.routes.paths), readable: true };
  // A page for people may be linked to from anywhere.
  const embedded = route.kind === 'mcp' ? checkSite(request.headers) : undefined;
  if (embedded !== undefined) return { kind: 'refused', refusal: embedded, readable: false };
  const methods = methodsOf(route);
  if (request.method === 'OPTIONS') return { kind: 'preflight', methods };
  if (!methods.includes(request.method)) {
    return { kind: 'refused', refusal: methodNotAllowed(methods, route.path), readable: true };
  }
  return { kind: 'passed', route };
}

type Lists = Pick<DoorConfig, 'allowedHosts' | 'allowedOrigins'>;

/** The Host header where there is one: behind some local servers it differs from the URL, and it is what was asked for. */
export function checkHost(url: URL, headers: Headers, lists: Lists): Refusal | undefined {
  const header = headers.get('host');
  // Nearly always the two are the same, and then there is nothing to parse.
  const named = header === null || header === url.host ? url.hostname : hostnameOf(header);
  if (named !== undefined && matches(named, lists.allowedHosts)) {
    if (named === url.hostname || matches(url.hostname, lists.allowedHosts)) return undefined;
  }
  return hostNotAllowed;
}

/** `null` (a sandboxed page, a file) names nobody, so it is foreign even where every origin may call. */
export function checkOrigin(url: URL, headers: Headers, lists: Lists): Refusal | undefined {
  const origin = headers.get('origin');
  if (origin === null || (origin !== 'null' && lists.allowedOrigins.includes('*'))) return undefined;
  const hostname = hostnameOfOrigin(origin);
  if (hostname !== undefined && (hostname === url.hostname || matches(hostname, lists.allowedOrigins)))
    return undefined;
  return originNotAllowed;
}

/**
 * A browser that loads an image, a frame or a link sends no Origin, and says where the request comes from all the same
 * (Fetch Metadata Request Headers, "Sec-Fetch-Site"). No client of ours sends such a request from another site.
 */
export function checkSite(headers: Headers): Refusal | undefined {
  const site = headers.get('sec-fetch-site');
  if (site === null || headers.has('origin') || OWN_SITE.has(site)) return undefined;
  return crossSite;
}

/** `none`: the user's own doing, such as an address typed in. */
const OWN_SITE: ReadonlySet<string> = new Set(['same-origin', 'none']);

function matches(hostname: string, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    if (entry === '*') return true;
    return entry.startsWith('*.')
      ? hostname.endsWith(entry.slice(1)) && hostname.length > entry.length - 1
      : hostname === entry;
  });
}

/** A host with an optional port and nothing else: `a@localhost` and `localhost/a` would parse as localhost. */
function hostnameOf(host: string): string | undefined {
  if (!/^[^\s/?#@\\]+$/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname;
}

/** An origin exactly as a browser writes it. */
function hostnameOfOrigin(origin: string): string | undefined {
  if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  return url.origin === origin ? url.hostname : undefined;
}
