/** How deep a JSON text is nested, known before anything walks through it: what recurses has a stack with an end. Pure. */

/** More levels than any listing or answer has, and few enough for every function that walks through one. */
export const MOST_LEVELS = 1_000;

export function deeperThan(text: string, levels: number): boolean {
  // Every level takes a bracket at either end.
  if (text.length < levels * 2) return false;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at];
    if (quoted) {
      if (unit === '\\') at += 1;
      else if (unit === '"') quoted = false;
    } else if (unit === '"') quoted = true;
    else if (unit === '[' || unit === '{') {
      depth += 1;
      if (depth > levels) return true;
    } else if (unit === ']' || unit === '}') depth -= 1;
  }
  return false;
}
