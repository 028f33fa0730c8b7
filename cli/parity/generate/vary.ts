/**
 * Inputs near ones that succeeded: one property drawn again, another one's value taken over, an optional one left out or
 * put in. Most of an input that works is right, so what is one step from it gets further than a new draw. Pure.
 */
import * as fc from 'fast-check';
import { isPlainObject, type Json, type JsonObject } from '../../../src/shared/json.ts';
import { listOf, type Schema } from './schema.ts';

/** @param fresh Draws with every property that the schema has. */
export function varied(seeds: readonly JsonObject[], schema: Schema, fresh: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const required = new Set(listOf(schema['required']).map(String));
  const named = isPlainObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const one = fc.constantFrom(...seeds);
  const steps = fc.record({ base: one, other: one, fresh, pick: fc.nat(1_000_000), how: fc.nat(9) });
  return steps.map(({ base, other, fresh: drawn, pick, how }): Json => {
    const keys = [...new Set([...named, ...Object.keys(base)])];
    const key = keys[pick % Math.max(keys.length, 1)];
    if (key === undefined) return base;
    const next = isPlainObject(drawn) ? (drawn as JsonObject) : {};
    if (how < 6) return key in next ? { ...base, [key]: next[key] as Json } : base;
    if (how < 8)
      return Object.fromEntries(
        keys.flatMap((each, at) => {
          const from = ((pick >> (at % 19)) & 1) === 0 ? base : other;
          return each in from ? [[each, from[each] as Json]] : [];
        }),
      );
    if (how === 8 && !required.has(key))
      return Object.fromEntries(Object.entries(base).filter(([each]) => each !== key));
    return base;
  });
}
