/** JSON as it may leave: with no text in it that some JSON readers refuse. Pure. */

/**
 * How JSON.stringify writes half of a surrogate pair, which some JSON readers refuse together with the whole message.
 * Finds as well a backslash of the text itself before such letters, where there is then nothing to replace.
 */
const LONE_SURROGATE = /\\ud[89a-f][0-9a-f]{2}/;

/** The JSON of a value, with U+FFFD in place of each lone surrogate, in names of members too. Throws as JSON.stringify does. */
export function wireText(value: unknown): string {
  const text = JSON.stringify(value);
  return LONE_SURROGATE.test(text) ? JSON.stringify(wellFormed(JSON.parse(text))) : text;
}

/** The value as the other side reads it back: what JSON drops is dropped. Throws if JSON cannot carry it. */
export const throughWire = <T>(value: T): T => JSON.parse(wireText(value)) as T;

function wellFormed(json: unknown): unknown {
  if (typeof json === 'string') return json.toWellFormed();
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(wellFormed);
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]));
}
