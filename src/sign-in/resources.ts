/** Which resource a path announces, and whose tokens are good on it (RFC 8707, RFC 9728). Pure. */
import type { FormerResource } from './options.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export interface Resources {
  /** The resource that a request at this URL is for; undefined if none covers it. */
  announced(url: URL): string | undefined;
  /** Every resource whose tokens are good at this URL now, the announced one first. */
  accepted(url: URL, now: number): readonly string[];
}

/** @param given Absolute identifiers, or paths of the origin that is asked. */
export function resourcesOf(given: readonly string[], formerly: readonly FormerResource[]): Resources {
  const ends = formerly.map(({ resource, until }) => ({ resource, end: new Date(until).getTime() }));
  const announced = (url: URL): string | undefined =>
    given
      .map((one) => resourceAt(one, url))
      .filter((one) => covers(one, url))
      .toSorted((one, other) => other.length - one.length)[0];
  return {
    announced,
    accepted: (url, now) => {
      const first = announced(url);
      const living = ends.filter(({ end }) => now < end).map(({ resource }) => resourceAt(resource, url));
      return [
        ...new Set([...(first === undefined ? [] : [first]), ...given.map((one) => resourceAt(one, url)), ...living]),
      ];
    },
  };
}

/** A resource as it is written at this URL. The origin itself has no slash at its end, as identifiers of resources are written. */
export function resourceAt(resource: string, { origin }: URL): string {
  if (!resource.startsWith('/')) return resource;
  return resource === '/' ? origin : `${origin}${resource}`;
}

function covers(resource: string, { origin, pathname }: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const at = new URL(resource);
  if (at.origin !== origin) return false;
  const path = at.pathname.replace(/\/$/, '');
  return pathname === path || pathname.startsWith(`${path}/`);
}

/** Equal as identifiers: an empty path is `/`, the host's letters may be large or small; everything else counts. */
export const isSameResource = (one: string, other: string): boolean =>
  one === other || (URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href);

/** Where the metadata of a resource are (RFC 9728, section 3.1). */
export function metadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}${search}`;
}

/** The path whose metadata this URL is asked for; undefined for any other document. */
export function pathOfMetadata({ pathname }: URL): string | undefined {
  if (pathname === WELL_KNOWN) return '/';
  return pathname.startsWith(`${WELL_KNOWN}/`) ? pathname.slice(WELL_KNOWN.length) : undefined;
}
