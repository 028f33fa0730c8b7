/**
 * Finds a part of a Zod schema that was made by a Zod which cannot say its JSON Schema. Zod 4 takes such a part and fails
 * on it later, with a text that says nothing of the cause.
 */

export type OtherZod = 'Zod 3' | 'zod/mini';

/** Of one schema by itself: a Zod 3 schema has no `_zod`, and one of zod/mini has no methods such as `optional`. */
export function otherZod(schema: object): OtherZod | undefined {
  if ('_zod' in schema) return 'check' in schema && !('optional' in schema) ? 'zod/mini' : undefined;
  return '_def' in schema && 'safeParse' in schema ? 'Zod 3' : undefined;
}

/** Enough for any schema that a person writes; a recursive one is not followed for ever. */
const MAX_PARTS = 10_000;

/** Of a schema or the first of its parts that is another Zod's. */
export function otherZodWithin(schema: object): OtherZod | undefined {
  const seen = new Set<object>();
  const left: object[] = [schema];
  for (let part = left.pop(); part !== undefined && seen.size < MAX_PARTS; part = left.pop()) {
    if (seen.has(part)) continue;
    seen.add(part);
    const other = otherZod(part);
    if (other !== undefined) return other;
    const inner: unknown = '_zod' in part ? (part._zod as { def?: unknown }).def : part;
    const members: readonly unknown[] = Object.values(inner ?? {});
    left.push(...members.filter((value) => typeof value === 'object' && value !== null));
  }
  return undefined;
}
