/**
 * The documents by which clients find the authorization server: those of RFC 9728 at the root and below the path of each
 * route, and, if the authorization server is elsewhere, the way to its own for clients from before (spec 2025-03-26), which
 * look for it on this origin. Pure.
 */
import type { SignInOptions } from './options.ts';
import { pathOfMetadata, type Resources } from './resources.ts';

export interface MetadataOf {
  readonly options: Pick<SignInOptions<never>, 'authorizationServers' | 'scopes' | 'name'>;
  readonly resources: Pick<Resources, 'announced'>;
  /** Where MCP requests are answered. */
  readonly paths: readonly string[];
}

const OF_SERVER = '/.well-known/oauth-authorization-server';
/** They say nothing of anybody, and pages read them before a sign-in. */
const HEADERS = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' } as const;

/** Undefined for what is no such document, and for the metadata of an authorization server of this Worker's own. */
export function metadataDocument(request: Request, url: URL, of: MetadataOf): Response | undefined {
  const servers = (of.options.authorizationServers ?? []).map((one) => (one === '/' ? url.origin : one));
  const [server] = servers;
  const path = pathOfMetadata(url);
  const isServers = url.pathname === OF_SERVER && server !== undefined && new URL(server).origin !== url.origin;
  if (path === undefined && !isServers) return undefined;
  if (request.method === 'OPTIONS') {
    return new Response(null, {
      status: 204,
      headers: { ...HEADERS, 'Access-Control-Allow-Methods': 'GET, HEAD', 'Access-Control-Allow-Headers': '*' },
    });
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return Response.json({ error: 'method_not_allowed' }, { status: 405, headers: { ...HEADERS, Allow: 'GET, HEAD' } });
  }
  if (path === undefined) {
    return new Response(null, { status: 307, headers: { ...HEADERS, Location: wellKnownOf(server ?? url.origin) } });
  }
  const resource = servers.length === 0 ? undefined : resourceAt(path, url, of);
  if (resource === undefined) return Response.json({ error: 'not_found' }, { status: 404, headers: HEADERS });
  const { scopes = [], name } = of.options;
  return Response.json(
    {
      resource,
      authorization_servers: servers,
      bearer_methods_supported: ['header'],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      ...(name !== undefined && { resource_name: name }),
    },
    { headers: HEADERS },
  );
}

/** The root stands for the first route where no resource covers the whole origin. */
function resourceAt(path: string, url: URL, { resources, paths }: MetadataOf): string | undefined {
  if (path !== '/' && !paths.includes(path)) return undefined;
  const tried = path === '/' ? ['/', ...paths] : [path];
  return tried.map((one) => resources.announced(new URL(one, url))).find((one) => one !== undefined);
}

/** RFC 8414, section 3.1: the name comes before the issuer's path. */
function wellKnownOf(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}${OF_SERVER}${pathname === '/' ? '' : pathname}`;
}
