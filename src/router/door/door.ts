/**
 * The checks that need no body, in order: each one passes or answers. They are the same for both routes. Host and Origin
 * come first, so that a foreign page learns nothing at all. Pure.
 */
import type { DoorConfig } from '../config.ts';
import { methodNotAllowed, notFound, type Refusal } from '../refusal.ts';
import { methodsOf, type Route, type Routes } from '../routes.ts';
import { checkHost, checkOrigin, checkSite } from './hosts.ts';

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
