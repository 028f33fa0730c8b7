/** RFC 6570 level 1 templates: literal text and `{name}` variables. Pure, and linear in the length of a URI. */

export interface UriTemplate {
  readonly names: readonly string[];
  /** The decoded variables of a URI that fits, or undefined. */
  match(uri: string): Record<string, string> | undefined;
}

/** Undefined if the text is not a level 1 template with at least one variable. */
export function parseTemplate(text: string): UriTemplate | undefined {
  const parts = text.split(/\{([A-Za-z0-9_]+)\}/); // literals at even places, names at odd ones
  const names = parts.filter((_, index) => index % 2 === 1);
  const literals = parts.filter((_, index) => index % 2 === 0);
  if (names.length === 0 || new Set(names).size !== names.length || literals.some((part) => /[{}]/.test(part)))
    return undefined;
  // Two variables side by side could be split in many ways.
  if (literals.slice(1, -1).includes('')) return undefined;
  return {
    names,
    match: (uri) => {
      const values = valuesBetween(literals, uri);
      if (values === undefined) return undefined;
      try {
        return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]));
      } catch {
        return undefined; // not percent-encoded text: no such resource
      }
    },
  };
}

/** A variable is one path segment or a part of one, and never empty. */
const SEGMENT = /^[^/?#]+$/;

/**
 * The texts between the literals, where each text is as long as it can be, the first before the second. Looks for the
 * literals from the right, each at its last place: an earlier place makes the text on its right longer, so it cannot
 * fit where the last place did not. A regular expression would try every combination of places.
 */
function valuesBetween(literals: readonly string[], uri: string): readonly string[] | undefined {
  const first = literals[0] ?? '';
  const last = literals.at(-1) ?? '';
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return undefined;
  const values: string[] = [];
  let end = uri.length - last.length;
  for (const literal of literals.slice(1, -1).toReversed()) {
    // One character at least is left for the variable on the right.
    const at = uri.lastIndexOf(literal, end - literal.length - 1);
    if (at < first.length || end - literal.length - 1 < 0) return undefined;
    values.unshift(uri.slice(at + literal.length, end));
    end = at;
  }
  values.unshift(uri.slice(first.length, end));
  return values.every((value) => SEGMENT.test(value)) ? values : undefined;
}
