/** JSON as types, as it may leave, and the few checks on it that the whole project shares. Pure. */

export type JsonPrimitive = string | number | boolean | null;
/** Any value that JSON can carry. */
export type Json = JsonPrimitive | JsonObject | readonly Json[];
/** An object that JSON can carry. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for what JSON calls an object: not null, not an array, no class instance. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Makes a switch exhaustive: the compiler refuses a case that is not handled. */
export function assertNever(value: never): never {
  throw new TypeError(`Unhandled case: ${JSON.stringify(value)}`);
}

/** True where a text is longer than `limit` in UTF-8 bytes. Reads it only where its length does not settle that. */
export function utf8BytesOver(text: string, limit: number): boolean {
  // A UTF-16 unit is at least one byte and at most three in UTF-8.
  if (text.length > limit) return true;
  if (text.length * 3 <= limit) return false;
  return new TextEncoder().encode(text).byteLength > limit;
}

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
