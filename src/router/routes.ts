/** Which part of the Worker a path means. Pure. */

export type Route =
  | { readonly kind: 'mcp'; readonly route: 'legacy' | 'mcp'; readonly transport: 'streamable'; readonly path: string }
  | { readonly kind: 'mcp'; readonly route: 'legacy'; readonly transport: 'sse' | 'sse-message'; readonly path: string }
  | { readonly kind: 'page'; readonly page: 'landing' | 'health' };

const ROUTES: Readonly<Record<string, Route>> = {
  '/': { kind: 'page', page: 'landing' },
  '/healthz': { kind: 'page', page: 'health' },
  '/mcp': { kind: 'mcp', route: 'mcp', transport: 'streamable', path: '/mcp' },
  '/legacy/mcp': { kind: 'mcp', route: 'legacy', transport: 'streamable', path: '/legacy/mcp' },
  '/legacy/sse': { kind: 'mcp', route: 'legacy', transport: 'sse', path: '/legacy/sse' },
  '/legacy/sse/message': { kind: 'mcp', route: 'legacy', transport: 'sse-message', path: '/legacy/sse/message' },
};

/** A trailing slash means the same route: the packages disagree about it, so the door decides. */
export function routeOf(pathname: string): Route | undefined {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname;
  return Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
}

export type McpRoute = Extract<Route, { kind: 'mcp' }>;

/** The methods that a route answers, OPTIONS aside. */
export function methodsOf(route: Route): readonly string[] {
  if (route.kind === 'page') return ['GET', 'HEAD'];
  switch (route.transport) {
    case 'sse':
      return ['GET'];
    case 'sse-message':
      return ['POST'];
    case 'streamable':
      // DELETE on /mcp ends a compat session; GET streams exist on the legacy route only.
      return route.route === 'legacy' ? ['GET', 'POST', 'DELETE'] : ['POST', 'DELETE'];
  }
}
