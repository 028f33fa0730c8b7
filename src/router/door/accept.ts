/**
 * What a client says it can read. Both packages look for the two media types as text and refuse wildcards and absent
 * headers; the door writes out what those mean, on every lane. Pure.
 */

const BOTH = 'application/json, text/event-stream';

/** The header as the lanes understand it, or undefined where the client's own stands. */
export function widenedAccept(accept: string | null): string | undefined {
  if (accept === null || accept.trim() === '') return BOTH;
  if (!accept.includes('/*')) return undefined;
  const ranges = accept.split(',').map(rangeOf);
  const reads = (type: string): boolean => {
    const [main] = type.split('/');
    const best =
      ranges.find(({ range }) => range === type) ??
      ranges.find(({ range }) => range === `${main}/*`) ??
      ranges.find(({ range }) => range === '*/*');
    return best !== undefined && best.wanted;
  };
  // A wildcard in a parameter is none.
  if (!ranges.some(({ range }) => range.endsWith('/*'))) return undefined;
  const readable = ['application/json', 'text/event-stream'].filter(reads);
  return readable.length === 0 ? undefined : readable.join(', ');
}

function rangeOf(text: string): { range: string; wanted: boolean } {
  const [range = '', ...params] = text.split(';').map((part) => part.trim().toLowerCase());
  return { range, wanted: !params.some((param) => /^q\s*=\s*0(\.0*)?$/.test(param)) };
}
