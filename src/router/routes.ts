/** Which part of the Worker a path means. The paths are options, so everything that names one asks this value. Pure. */

/** The path of each part. */
export interface RoutePaths {
  /** For both generations of clients, on the stateless lanes. */
  readonly mcp: string;
  /** Streamable HTTP with sessions, on the legacy lane. */
  readonly legacy: string;
  /** The HTTP+SSE transport; messages are posted to `<path>/message`. */
  readonly sse: string;
  /** A page for people. */
  readonly landing: string;
  /** For probes. */
  readonly health: string;
  /** The operator API: everything below this path. */
  readonly admin: string;
  /** For pages, if they are served: a page for people, and below it `tools.js` and `client.js`. */
  readonly webmcp: string;
}

export const DEFAULT_PATHS: RoutePaths = {
  mcp: '/mcp',
  legacy: '/legacy/mcp',
  sse: '/legacy/sse',
  landing: '/',
  health: '/healthz',
  admin: '/admin',
  webmcp: '/webmcp',
};

export type McpRoute =
  | { readonly kind: 'mcp'; readonly route: 'legacy' | 'mcp'; readonly transport: 'streamable'; readonly path: string }
  | { readonly kind: 'mcp'; readonly route: 'sse'; readonly transport: 'sse' | 'sse-message'; readonly path: string };

/** What is served to browsers for their model context: the module, the client that it loads, and a page. */
export type WebmcpPart = 'module' | 'client' | 'page';
export type PageRoute =
  | { readonly kind: 'page'; readonly page: 'landing' | 'health'; readonly path: string }
  | { readonly kind: 'page'; readonly page: 'webmcp'; readonly part: WebmcpPart; readonly path: string };
export type Route = McpRoute | PageRoute;

export interface Routes {
  readonly paths: RoutePaths;
  /** The one spelling of the stateless route, to which its package answers. */
  readonly mcp: McpRoute;
  /** The same for the legacy lane. */
  readonly legacy: McpRoute;
  /** Slashes at the end mean the same route: the packages disagree about them. Nothing else does. */
  find(pathname: string): Route | undefined;
  isAdmin(pathname: string): boolean;
  /** The URL that clients of the legacy route are sent to. */
  successor(requestUrl: string): string;
}

/** @param webmcp What is served below `paths.webmcp`. */
export function routesAt(paths: RoutePaths, webmcp: readonly WebmcpPart[] = []): Routes {
  const mcp = { kind: 'mcp', route: 'mcp', transport: 'streamable', path: paths.mcp } as const;
  const legacy = { kind: 'mcp', route: 'legacy', transport: 'streamable', path: paths.legacy } as const;
  const all: readonly Route[] = [
    { kind: 'page', page: 'landing', path: paths.landing },
    { kind: 'page', page: 'health', path: paths.health },
    mcp,
    legacy,
    { kind: 'mcp', route: 'sse', transport: 'sse', path: paths.sse },
    { kind: 'mcp', route: 'sse', transport: 'sse-message', path: messagePath(paths.sse) },
    ...webmcp.map((part): Route => ({ kind: 'page', page: 'webmcp', part, path: webmcpPaths(paths.webmcp)[part] })),
  ];
  const byPath = new Map(all.map((route) => [route.path, route]));
  return {
    paths,
    mcp,
    legacy,
    find: (pathname) => byPath.get(withoutSlashes(pathname)),
    isAdmin: (pathname) => pathname === paths.admin || pathname.startsWith(`${paths.admin}/`),
    successor: (requestUrl) => new URL(paths.mcp, requestUrl).toString(),
  };
}

/** The package's own name for the URL that the old transport posts to. */
export const messagePath = (sse: string): string => `${sse}/message`;

export const webmcpPaths = (webmcp: string): Readonly<Record<WebmcpPart, string>> => ({
  page: webmcp,
  module: `${webmcp}/tools.js`,
  // The module loads it by this name, from beside itself.
  client: `${webmcp}/client.js`,
});

function withoutSlashes(pathname: string): string {
  let end = pathname.length;
  // A loop, because a regular expression takes quadratic time over a path of slashes.
  while (end > 1 && pathname[end - 1] === '/') end -= 1;
  return pathname.slice(0, end);
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
