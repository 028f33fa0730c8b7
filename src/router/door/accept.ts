/**
 * What a client says it can read (RFC 9110, "Accept"). Both packages look for the two media types as text: they miss
 * wildcards, other letters and absent headers, and take what is ruled out by `q=0`. The door writes out what the header
 * means, for every lane. Pure.
 */

const TYPES = ['application/json', 'text/event-stream'] as const;
const BOTH = TYPES.join(', ');
/** Of no type that anybody sends: for a client that can read neither, which its lane refuses. */
const NEITHER = 'application/octet-stream';

/** The header as the lanes understand it, or undefined where the client's own stands. */
export function widenedAccept(accept: string | null): string | undefined {
  // Nearly all clients write it so.
  if (accept === BOTH) return undefined;
  if (accept === null || accept.trim() === '') return BOTH;
  const ranges = accept.split(',').map(rangeOf);
  const readable = TYPES.filter((type) => reads(ranges, type));
  // As the packages look at it.
  const found = TYPES.filter((type) => accept.includes(type));
  if (found.length === readable.length && found.every((type) => readable.includes(type))) return undefined;
  return readable.length === 0 ? NEITHER : readable.join(', ');
}

interface Range {
  readonly range: string;
  readonly wanted: boolean;
}

/** The most precise range decides. */
function reads(ranges: readonly Range[], type: (typeof TYPES)[number]): boolean {
  const [main] = type.split('/');
  const best = [type, `${main}/*`, '*/*'].map((name) => ranges.filter(({ range }) => range === name));
  return best.find((found) => found.length > 0)?.some(({ wanted }) => wanted) ?? false;
}

/** Of parameters only the weight counts: neither type has any. */
function rangeOf(text: string): Range {
  const [range = '', ...params] = text.split(';').map((part) => part.trim().toLowerCase());
  return { range, wanted: !params.some((param) => /^q\s*=\s*0(\.0*)?$/.test(param)) };
}
