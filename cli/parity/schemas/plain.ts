/**
 * Whether a schema costs no more to work with than it is long: then it is compiled and asked right here. Everything else,
 * a pattern above all, can take for ever on some value, and goes to a thread that can be ended. Pure.
 */
import { isPlainObject } from '../../../src/shared/json.ts';

/** Keywords that look at a value once. What is not named here is not plain. */
const LEAVES: ReadonlySet<string> = new Set([
  ...[
    '$schema',
    '$id',
    '$comment',
    'title',
    'description',
    'default',
    'examples',
    'deprecated',
    'readOnly',
    'writeOnly',
  ],
  ...['type', 'enum', 'const', 'required', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'format', 'contentMediaType'],
]);
const ONE: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'additionalItems',
  'not',
  'if',
  'then',
  'else',
]);
const LIST: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const MAP: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Formats that are one pass over a short text, whatever the text. */
const FORMATS: ReadonlySet<string> = new Set([
  'date',
  'date-time',
  'time',
  'uuid',
  'int32',
  'int64',
  'float',
  'double',
]);
const MOST_CHARACTERS = 64 * 1024;
/** A bound that would make one value larger than anything a server is sent. */
const MOST_OF_ONE_VALUE = 100_000;

export function isPlain(schema: unknown): boolean {
  // What is no object is refused, or accepts everything or nothing.
  if (!isPlainObject(schema)) return true;
  return JSON.stringify(schema).length <= MOST_CHARACTERS && tree(schema);
}

/** No references at all: a schema without them is a tree, and a tree is walked once for each value. */
function tree(schema: unknown): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isPlainObject(schema)) return false;
  return Object.entries(schema).every(([key, value]) => {
    if (MAP.has(key)) return isPlainObject(value) && Object.values(value).every(tree);
    if (LIST.has(key)) return Array.isArray(value) && value.every(tree);
    if (ONE.has(key)) return Array.isArray(value) ? value.every(tree) : tree(value);
    if (!LEAVES.has(key)) return false;
    if (key === 'format') return typeof value === 'string' && FORMATS.has(value);
    return !/^(?:min|max)(?:Length|Items|Properties)$/.test(key) || Number(value) <= MOST_OF_ONE_VALUE;
  });
}
