/** Reads JSON Schemas (2020-12, and draft-07 where it differs only in words): references and the merge of several. Pure. */
import { isPlainObject } from '../../../src/shared/json.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** The schema cannot be generated from, with why. */
export class Ungeneratable extends Error {
  override readonly name = 'Ungeneratable';
}

/** @throws Ungeneratable when the reference leads nowhere, or out of the schema. */
export function resolve(root: Schema, reference: string): unknown {
  if (reference === '#') return root;
  if (reference.startsWith('#/')) {
    let at: unknown = root;
    for (const part of reference.slice(2).split('/')) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      at = isPlainObject(at) || Array.isArray(at) ? (at as Record<string, unknown>)[key] : undefined;
    }
    if (at !== undefined) return at;
  } else {
    const found = anchored(root, reference);
    if (found !== undefined) return found;
  }
  throw new Ungeneratable(`$ref ${reference} leads nowhere`);
}

/** A subschema that names itself by `$anchor`, `$dynamicAnchor` or `$id`. */
function anchored(schema: unknown, reference: string): unknown {
  if (Array.isArray(schema)) {
    for (const each of schema) {
      const found = anchored(each, reference);
      if (found !== undefined) return found;
    }
  }
  if (!isPlainObject(schema)) return undefined;
  const { $id, $anchor, $dynamicAnchor } = schema;
  if ($id === reference || `#${String($anchor)}` === reference || `#${String($dynamicAnchor)}` === reference)
    return schema;
  return anchored(Object.values(schema), reference);
}

/** One schema that holds where both do, as far as keywords can say it; what they cannot say, a validator sorts out. */
export function merge(left: Schema, right: Schema): Schema {
  const merged: Record<string, unknown> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    merged[key] = key in left ? combine(key, left[key], value) : value;
  }
  return merged;
}

const SMALLER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const LARGER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);

function combine(key: string, left: unknown, right: unknown): unknown {
  if (SMALLER.has(key)) return Math.min(Number(left), Number(right));
  if (LARGER.has(key)) return Math.max(Number(left), Number(right));
  if (key === 'required') return [...new Set([...listOf(left), ...listOf(right)])];
  if (key === 'enum') {
    const kept = new Set(listOf(left).map((each) => JSON.stringify(each)));
    return listOf(right).filter((each) => kept.has(JSON.stringify(each)));
  }
  if (key === 'type') return typesInBoth(listOf(left), listOf(right));
  if (key === 'allOf') return [...listOf(left), ...listOf(right)];
  if (key === 'properties' && isPlainObject(left) && isPlainObject(right)) {
    const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return Object.fromEntries(
      names.map((name) => [
        name,
        name in left && name in right ? both(left[name], right[name]) : (left[name] ?? right[name]),
      ]),
    );
  }
  if (key === '$defs' && isPlainObject(left) && isPlainObject(right)) return { ...left, ...right };
  if (key === 'items' || key === 'additionalProperties') return both(left, right);
  return right;
}

function typesInBoth(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const shared = left.filter((each) => right.includes(each));
  // Every integer is a number.
  if ([...left, ...right].includes('integer') && [...left, ...right].includes('number')) shared.push('integer');
  return shared;
}

const both = (left: unknown, right: unknown): unknown => {
  if (left === false || right === false) return false;
  if (!isPlainObject(left)) return right;
  return isPlainObject(right) ? { allOf: [left, right] } : left;
};

export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
