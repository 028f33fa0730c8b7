/** Which part of the Worker a path means. Pure. */

export type Route =
  | { readonly kind: 'mcp'; readonly route: 'legacy' | 'mcp'; readonly transport: 'streamable'; readonly path: string }
  | { readonly kind: 'mcp'; readonly route: 'legacy'; readonly transport: 'sse' | 'sse-message'; readonly path: string }
  | { readonly kind: 'page'; readonly page: 'landing' | 'health'; readonly path: string };

export type McpRoute = Extract<Route, { kind: 'mcp' }>;

/** The one spelling that each lane's package answers to. */
export const STATELESS_ROUTE: McpRoute = { kind: 'mcp', route: 'mcp', transport: 'streamable', path: '/mcp' };
export const LEGACY_ROUTE: McpRoute = { kind: 'mcp', route: 'legacy', transport: 'streamable', path: '/legacy/mcp' };

const ROUTES: ReadonlyMap<string, Route> = new Map(
  (
    [
      { kind: 'page', page: 'landing', path: '/' },
      { kind: 'page', page: 'health', path: '/healthz' },
      { kind: 'mcp', route: 'mcp', transport: 'streamable', path: '/mcp' },
      { kind: 'mcp', route: 'legacy', transport: 'streamable', path: '/legacy/mcp' },
      { kind: 'mcp', route: 'legacy', transport: 'sse', path: '/legacy/sse' },
      { kind: 'mcp', route: 'legacy', transport: 'sse-message', path: '/legacy/sse/message' },
    ] as const satisfies readonly Route[]
  ).map((route) => [route.path, route]),
);

/** Slashes at the end mean the same route: the packages disagree about them, so the door decides. Nothing else does. */
export function routeOf(pathname: string): Route | undefined {
  let end = pathname.length;
  // A loop, because a regular expression takes quadratic time over a path of slashes.
  while (end > 1 && pathname[end - 1] === '/') end -= 1;
  return ROUTES.get(pathname.slice(0, end));
}

/** The methods that a route answers, OPTIONS aside. */
export function methodsOf(route: Route): readonly string[] {
  if (route.kind === 'page') return ['GET', 'HEAD'];
  switch (route.transport) {
    case 'sse':
      return ['GET'];
    case 'sse-message':
      return ['POST'];
    case 'streamable':
      // Whether a session has a stream to GET, or an end to DELETE, is its lane's to say.
      return ['GET', 'POST', 'DELETE'];
  }
}
