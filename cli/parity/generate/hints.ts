/**
 * Texts that a server itself suggests: ids, examples, choices and ranges in its descriptions, the ends of its resources'
 * URIs. A random text almost never names anything, so without them a tool that looks something up would only ever say
 * "not found". Pure.
 */
import { textOf, type Surface } from '../../../src/parity/surface/listing.ts';

/** More would make every draw a hint. */
const MOST = 40;
const PATTERNS = [
  /"([^"\n]{1,80})"/g,
  /(?<![A-Za-z0-9])'([^'\n]{1,60})'/g,
  /`([^`\n]{1,60})`/g,
  /(?<=\b(?:for example|such as|e\.g\.|like),? )[^,.;:"()]{1,60}/gi,
  /\bhttps?:\/\/[^\s"'<>)]+[^\s"'<>).,]/g,
  /\b[A-Za-z]+(?:[-_.][A-Za-z0-9]+)*[-_.]?\d+\b/g,
  /\b[a-z0-9]+(?:[-_][a-z0-9]+)+\b/g,
] as const;

/** What follows says which values there are. */
const CHOICES =
  /\b(?:one of|options?|values?|either|supported|available|can be|must be|allowed|choices?|known)\b[^:.(\n]{0,40}?[:(]?\s*([\w+#./ -]+(?:(?:,|\||;| or | and )\s*[\w+#./ "'`-]+)+)/gi;
/** `(asc|desc)`, `hex/base64/utf8`. */
const ALTERNATIVES = /(?<![\w:/.])([\w+-]{1,20}(?:[|/][\w+-]{1,20}){1,12})(?![\w/])/g;
/** `from p-001 to p-008`, `A1-A9`. */
const RANGE = /\b([A-Za-z_-]{0,12})(\d{1,4})\s*(?:to|through|until|\.\.+|–|-)\s*\1(\d{1,4})\b/g;
const LONGEST_RANGE = 30;

/** What a description names, what is sure before what is likely. */
export function hintsIn(description: unknown): readonly string[] {
  if (typeof description !== 'string') return [];
  const said = description.slice(0, 4_000);
  const choices = [...said.matchAll(CHOICES)].flatMap(([, list = '']) => list.split(/,|\||;|\bor\b|\band\b/));
  const alternatives = [...said.matchAll(ALTERNATIVES)].flatMap(([, list = '']) => list.split(/[|/]/));
  const found = PATTERNS.flatMap((pattern) => [...said.matchAll(pattern)].map(([all, inner]) => inner ?? all));
  const all = [...ranges(said), ...choices, ...alternatives, ...found].map((each) =>
    each.trim().replaceAll(/^["'`]|["'`.]$/g, ''),
  );
  return [...new Set(all.filter((each) => each !== '' && each.length <= 80))].slice(0, MOST);
}

function ranges(said: string): readonly string[] {
  return [...said.matchAll(RANGE)].flatMap(([, prefix = '', from = '', to = '']) => {
    const [low, high] = [Number(from), Number(to)];
    if (prefix === '' || high <= low || high - low > LONGEST_RANGE) return [];
    return Array.from(
      { length: high - low + 1 },
      (_each, at) => `${prefix}${String(low + at).padStart(from.length, '0')}`,
    );
  });
}

/** What the listing as a whole names: the last part of each resource's URI, and whole URIs. */
export function hintsOfSurface({ resources }: Pick<Surface, 'resources'>): readonly string[] {
  const uris = resources.map(({ uri }) => textOf(uri)).filter((uri) => uri !== '');
  const ends = uris.map((uri) => uri.split('/').at(-1) ?? '').filter((end) => end !== '');
  return [...new Set([...ends.slice(0, MOST - 5), ...uris.slice(0, 5)])];
}
