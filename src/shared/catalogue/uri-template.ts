/** RFC 6570 level 1 templates: literal text and `{name}` variables. Pure. */

export interface UriTemplate {
  readonly names: readonly string[];
  /** The decoded variables of a URI that fits, or undefined. */
  match(uri: string): Record<string, string> | undefined;
}

/** Undefined where the text is not a level 1 template with at least one variable. */
export function parseTemplate(text: string): UriTemplate | undefined {
  const parts = text.split(/\{([A-Za-z0-9_]+)\}/); // literals at even places, names at odd ones
  const names = parts.filter((_, index) => index % 2 === 1);
  const literals = parts.filter((_, index) => index % 2 === 0);
  if (names.length === 0 || new Set(names).size !== names.length || literals.some((part) => /[{}]/.test(part)))
    return undefined;
  // Two variables side by side could be split in many ways.
  if (literals.slice(1, -1).includes('')) return undefined;
  const pattern = new RegExp(
    `^${literals.map((part) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&')).join('([^/?#]+)')}$`,
  );
  return {
    names,
    match: (uri) => {
      const values = pattern.exec(uri)?.slice(1);
      if (values === undefined) return undefined;
      try {
        return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]));
      } catch {
        return undefined; // not percent-encoded text: no such resource
      }
    },
  };
}
