/** JSON as types and the few checks on it that the whole project shares. Pure. */

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
