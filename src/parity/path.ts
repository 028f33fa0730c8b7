/**
 * Paths into an observation, and patterns that match them. A path is keys joined by dots; in a pattern `*` stands for one
 * key and `**` for any number of keys. Pure.
 */

/** True when a pattern such as `result.content.*.text` names the path. */
export function pathMatches(pattern: string, path: string): boolean {
  return matches(pattern.split('.'), path.split('.'));
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return path.length === 0;
  if (head === '**') return matches(rest, path) || (path.length > 0 && matches(pattern, path.slice(1)));
  const [key, ...below] = path;
  return key !== undefined && (head === '*' || head === key) && matches(rest, below);
}

/** The path with every list position as `*`, so that the same difference at two positions has one name. */
export const generalPath = (path: string): string => path.replaceAll(/(?<=^|\.)\d+(?=\.|$)/g, '*');

/** True when a name such as `search` is meant by a pattern such as `sea*`. */
export function nameMatches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
