/**
 * Texts that a server itself suggests: ids and examples in its descriptions, the ends of its resources' URIs. A random
 * text almost never names anything, so without them a tool that looks something up would only ever say "not found". Pure.
 */
import { textOf, type Surface } from '../../../src/parity/surface/listing.ts';

/** More would make every draw a hint. */
const MOST = 40;
const PATTERNS = [
  /\b[A-Za-z]+(?:[-_.][A-Za-z0-9]+)*[-_.]?\d+\b/g,
  /\b[a-z0-9]+(?:[-_][a-z0-9]+)+\b/g,
  /"([^"\n]{1,80})"/g,
  /(?<=\b(?:for example|such as|e\.g\.|like) )[^,.;:"()]{1,60}/gi,
  /\bhttps?:\/\/[^\s"'<>)]+[^\s"'<>).,]/g,
] as const;

/** What a description names. */
export function hintsIn(description: unknown): readonly string[] {
  if (typeof description !== 'string') return [];
  const found = PATTERNS.flatMap((pattern) => [...description.matchAll(pattern)].map(([all, inner]) => inner ?? all));
  return [...new Set(found.map((each) => each.trim()).filter((each) => each !== ''))].slice(0, MOST);
}

/** What the listing as a whole names: the last part of each resource's URI, and whole URIs. */
export function hintsOfSurface({ resources }: Pick<Surface, 'resources'>): readonly string[] {
  const uris = resources.map(({ uri }) => textOf(uri)).filter((uri) => uri !== '');
  const ends = uris.map((uri) => uri.split('/').at(-1) ?? '').filter((end) => end !== '');
  return [...new Set([...ends.slice(0, MOST - 5), ...uris.slice(0, 5)])];
}
