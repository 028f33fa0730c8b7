/**
 * Values one step off a valid one: near-valid, where a limit, a type or a name is just missed, and hostile, where a value
 * is what attackers and fuzzers send. Both are lists, so that one draw picks one step. Pure.
 */
import { isPlainObject, type Json } from '../../../src/shared/json.ts';
import { listOf, numberOf, resolve, type Schema } from './schema.ts';

type ObjectJson = Record<string, Json>;
const isObject = (value: unknown): value is ObjectJson => isPlainObject(value);

/** Every value that is one step from a valid one; most are refused by the schema, some are just inside. */
export function nearValid(value: Json, schema: unknown, root: Schema, depth = 0): Json[] {
  const read = follow(schema, root);
  if (depth > 6) return [];
  const steps: Json[] = [...otherTypes(value), ...beyondBounds(value, read)];
  if (isObject(value)) {
    const properties = isPlainObject(read['properties']) ? read['properties'] : {};
    for (const key of Object.keys(value)) steps.push(without(value, key));
    steps.push({ ...value, extra: 'unknown' });
    for (const [key, each] of Object.entries(value)) {
      steps.push({ ...without(value, key), [key.toUpperCase() === key ? key.toLowerCase() : key.toUpperCase()]: each });
      for (const step of nearValid(each, properties[key] ?? read['additionalProperties'], root, depth + 1))
        steps.push({ ...value, [key]: step });
    }
    // A limit is just missed by a value that the draw did not hold, too.
    for (const [key, property] of Object.entries(properties))
      for (const edge of edges(follow(property, root))) steps.push({ ...value, [key]: edge });
  }
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const tuple = listOf(read['prefixItems']);
    steps.push(list.slice(0, -1), [...list, ...list.slice(-1)], list.toReversed());
    for (const [at, each] of list.entries())
      for (const step of nearValid(each, tuple[at] ?? read['items'], root, depth + 1)) steps.push(list.with(at, step));
  }
  return steps;
}

function follow(schema: unknown, root: Schema): Schema {
  if (!isPlainObject(schema)) return {};
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  const target = resolve(root, reference);
  return isPlainObject(target) ? target : {};
}

const without = (object: ObjectJson, key: string): ObjectJson =>
  Object.fromEntries(Object.entries(object).filter(([each]) => each !== key));

function otherTypes(value: Json): Json[] {
  if (typeof value === 'string') return [null, [value], ...(Number.isNaN(Number(value)) ? [0] : [Number(value)])];
  if (typeof value === 'number') return [String(value), null, value + 0.5];
  if (typeof value === 'boolean') return [String(value), Number(value)];
  return value === null ? [''] : [JSON.stringify(value)];
}

function beyondBounds(value: Json, schema: Schema): Json[] {
  const steps = edges(schema);
  if (Array.isArray(schema['enum'])) {
    for (const each of schema['enum'] as unknown[])
      if (typeof each === 'string') steps.push(`${each}x`, each.toUpperCase(), ` ${each}`);
  }
  const max = numberOf(schema['maxItems']);
  if (Array.isArray(value) && max !== undefined && max < 500 && value.length > 0)
    steps.push(
      Array.from({ length: max + 1 }, (_each, at): Json => (value as readonly Json[])[at % value.length] ?? null),
    );
  return steps;
}

/** Just inside and just outside of each limit. */
function edges(schema: Schema): Json[] {
  const steps: Json[] = [];
  for (const key of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']) {
    const limit = numberOf(schema[key]);
    if (limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER) steps.push(limit, limit - 1, limit + 1);
  }
  for (const key of ['minLength', 'maxLength']) {
    const limit = numberOf(schema[key]);
    if (limit !== undefined && limit <= 100_000)
      steps.push('a'.repeat(limit), 'a'.repeat(Math.max(0, limit - 1)), 'a'.repeat(limit + 1));
  }
  return steps;
}

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\uD800',
  '\u202Eabc',
  '"\\\n\r\t',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '${7*7}{{7*7}}',
  '%00%ff',
  '__proto__',
  '👩‍👩‍👧‍👦'.repeat(20),
  'é',
  'e\u0301',
  'a'.repeat(65_537),
  '-0',
  'NaN',
  '9'.repeat(400),
] as const;
const HOSTILE_NUMBERS = [-1, 2 ** 31, -(2 ** 31), 2 ** 53, 2 ** 53 + 2, 1e308, 5e-324, 0.1 + 0.2] as const;

/** A server may refuse a body for its depth before any tool sees it (this project's door at 128), which compares nothing. */
const DEEPEST = 100;

/** Every value that puts something hostile in one place of a valid one. */
export function hostile(value: Json, depth = 0): Json[] {
  if (typeof value === 'string') return [...HOSTILE_TEXTS];
  if (typeof value === 'number') return [...HOSTILE_NUMBERS];
  if (depth > 4 || typeof value !== 'object' || value === null) return [deep(DEEPEST)];
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    return list.flatMap((each, at) => hostile(each, depth + 1).map((bad) => list.with(at, bad)));
  }
  const object = value as ObjectJson;
  const added: Json[] =
    depth === 0
      ? [deep(DEEPEST), [], 'text', own(object, '__proto__'), own(object, 'constructor'), own(object, 'toString')]
      : [];
  for (const text of depth === 0 ? HOSTILE_TEXTS.slice(0, 15) : [])
    added.push({ ...object, [`x${text.slice(0, 40)}`]: text });
  return [
    ...added,
    ...Object.entries(object).flatMap(([key, each]) =>
      hostile(each, depth + 1).map((bad): Json => ({ ...object, [key]: bad })),
    ),
  ];
}

/** A key of the object itself, where an assignment would have changed its prototype. */
const own = (object: ObjectJson, key: string): ObjectJson =>
  Object.fromEntries([...Object.entries(object), [key, { polluted: true }]]);

function deep(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}
