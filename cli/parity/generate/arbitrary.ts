/**
 * Values of a JSON Schema 2020-12 as a fast-check arbitrary. What keywords such as `not` or `contains` ask beyond this
 * is left to a validator, which sees every value; the generator only has to hit often enough. Recursion ends: below a
 * depth only what is required is made, and the shortest branch of a union is taken.
 */
import * as fc from 'fast-check';
import { isPlainObject, type Json } from '../../../src/shared/json.ts';
import { alternated } from './alternated.ts';
import { hintsIn } from './hints.ts';
import { meaningOf } from './meaning.ts';
import { listOf, merge, numberOf, resolve, Ungeneratable, type Schema } from './schema.ts';
import { numbers, texts } from './texts.ts';

interface At {
  readonly root: Schema;
  readonly depth: number;
  readonly told: Told;
  /** The property that a value is of. */
  readonly name: string;
}

/** What is known of a tool's inputs beside their schema. */
export interface Told {
  /** Texts that the server's listing names. */
  readonly hints: readonly string[];
  /** Values that a property of this name had in earlier answers. */
  readonly valuesFor?: (property: string) => readonly (string | number)[];
  /** Which optional properties are there: those that chance wants, all, or none. */
  readonly presence?: 'any' | 'all' | 'none';
}

/** From here on a value is as small as its schema lets it be. */
const SMALL_FROM = 4;
/** No value needs more; a schema that does describes only endless ones. */
const ENDLESS = 24;

/** @throws Ungeneratable for a schema that no value fits, or whose references lead nowhere. */
export function arbitraryOf(schema: unknown, told: Told = { hints: [] }): fc.Arbitrary<Json> {
  return anyOf(schema, { root: isPlainObject(schema) ? schema : {}, depth: 0, told, name: '' });
}

function anyOf(schema: unknown, at: At): fc.Arbitrary<Json> {
  if (at.depth > ENDLESS) throw new Ungeneratable('the schema describes endless values only');
  if (schema === false) throw new Ungeneratable('nothing fits the schema false');
  if (!isPlainObject(schema)) return small();
  const spread = { ...at, depth: at.depth + 1 };
  if (typeof schema['$ref'] === 'string' || typeof schema['$dynamicRef'] === 'string') {
    const { $ref, $dynamicRef, ...beside } = schema;
    const target = resolve(at.root, String($ref ?? $dynamicRef));
    return anyOf(isPlainObject(target) ? merge(target, beside) : target, spread);
  }
  if (Array.isArray(schema['allOf'])) {
    const { allOf, ...rest } = schema;
    return anyOf(
      listOf(allOf).reduce<Schema>((all, each) => merge(all, followed(each, at)), rest),
      spread,
    );
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    if (!Array.isArray(schema[key])) continue;
    const { [key]: branches, ...rest } = schema;
    return union(
      listOf(branches).map((branch) => merge(rest, followed(branch, at))),
      spread,
    );
  }
  if (isPlainObject(schema['if'])) {
    const { if: when, then, else: otherwise, ...rest } = schema;
    const holds = merge(merge(rest, when), isPlainObject(then) ? then : {});
    return union([holds, merge(rest, isPlainObject(otherwise) ? otherwise : {})], spread);
  }
  return withExamples(schema, plain(schema, at));
}

const followed = (schema: unknown, at: At): Schema => {
  if (!isPlainObject(schema)) return schema === false ? { enum: [] } : {};
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  // One step at a time: a branch that refers to its own union must not be unrolled here.
  const { $ref: _reference, ...beside } = schema;
  const target = resolve(at.root, reference);
  return isPlainObject(target) ? merge(target, beside) : {};
};

function union(branches: readonly Schema[], at: At): fc.Arbitrary<Json> {
  const made: fc.Arbitrary<Json>[] = [];
  let failure: Ungeneratable | undefined;
  // Deep inside one branch is enough, and the one that refers to nothing is the shortest.
  const ordered =
    at.depth > SMALL_FROM ? branches.toSorted((left, right) => references(left) - references(right)) : branches;
  for (const branch of ordered) {
    try {
      made.push(anyOf(branch, at));
      if (at.depth > SMALL_FROM) break;
    } catch (thrown) {
      if (!(thrown instanceof Ungeneratable)) throw thrown;
      failure = thrown;
    }
  }
  if (made.length === 0) throw failure ?? new Ungeneratable('a union without branches');
  return fc.oneof(...made);
}

const references = (schema: Schema): number => JSON.stringify(schema).split('"$ref"').length;

/** Defaults and examples are what the author of the schema thinks of first, so they come often. */
function withExamples(schema: Schema, made: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const examples = [...listOf(schema['examples']), ...('default' in schema ? [schema['default']] : [])] as Json[];
  if (examples.length === 0) return made;
  return fc.oneof({ weight: 3, arbitrary: made }, { weight: 1, arbitrary: fc.constantFrom(...examples) });
}

function plain(schema: Schema, at: At): fc.Arbitrary<Json> {
  if ('const' in schema) return fc.constant(schema['const'] as Json);
  if (Array.isArray(schema['enum'])) {
    if (schema['enum'].length === 0) throw new Ungeneratable('an empty enum');
    return fc.constantFrom(...(schema['enum'] as Json[]));
  }
  const types = listOf(schema['type'] ?? impliedType(schema));
  if (types.length === 0 && 'type' in schema) throw new Ungeneratable('no type fits');
  if (types.length === 0) return small();
  const made = types.map((type) => ofType(String(type), schema, at));
  return made.length === 1 && made[0] !== undefined ? made[0] : fc.oneof(...made);
}

const IMPLIED: readonly (readonly [string, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'contains']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];
const impliedType = (schema: Schema): string | undefined =>
  IMPLIED.find(([, keys]) => keys.some((key) => key in schema))?.[0];

function ofType(type: string, schema: Schema, at: At): fc.Arbitrary<Json> {
  switch (type) {
    case 'string':
      return texts(schema, {
        meant: alternated([hintsIn(schema['description']), textsOf(at)]),
        hints: at.told.hints,
        meaning: meaningOf(at.name, schema['description']),
      });
    case 'integer':
      return numbers(schema, true, at.name, numbersOf(at));
    case 'number':
      return numbers(schema, false, at.name, numbersOf(at));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return lists(schema, at);
    case 'object':
      return objects(schema, at);
    default:
      throw new Ungeneratable(`the type ${type} is not known`);
  }
}

const valuesOf = ({ told, name }: At): readonly (string | number)[] =>
  name === '' ? [] : (told.valuesFor?.(name) ?? []);
const textsOf = (at: At): readonly string[] => valuesOf(at).map(String);
const numbersOf = (at: At): readonly number[] => valuesOf(at).filter((value) => typeof value === 'number');

function lists(schema: Schema, at: At): fc.Arbitrary<Json> {
  const below = { ...at, depth: at.depth + 1 };
  // Draft-07 wrote tuples as a list of `items`.
  const tuple = Array.isArray(schema['items']) ? schema['items'] : listOf(schema['prefixItems']);
  const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
  const contains = isPlainObject(schema['contains']) ? 1 : 0;
  const min = Math.max(numberOf(schema['minItems']) ?? 0, contains);
  const deep = at.depth >= SMALL_FROM;
  const max = deep ? min : Math.min(numberOf(schema['maxItems']) ?? min + 4, min + 12);
  const head = tuple.slice(0, Math.max(max, deep ? tuple.length : 0)).map((each: unknown) => anyOf(each, below));
  const left = { minLength: Math.max(0, min - head.length), maxLength: Math.max(0, max - head.length) };
  const tail = rest === false || left.maxLength === 0 ? fc.constant<Json[]>([]) : members(schema, rest, left, below);
  return fc.tuple(fc.tuple(...head), tail).map(([first, others]) => [...first, ...others]);
}

function members(
  schema: Schema,
  item: unknown,
  size: { minLength: number; maxLength: number },
  below: At,
): fc.Arbitrary<Json[]> {
  const one = anyOf(item ?? schema['contains'], below);
  if (schema['uniqueItems'] !== true) return fc.array(one, size);
  return fc.uniqueArray(one, { ...size, selector: (value) => JSON.stringify(value) });
}

function objects(schema: Schema, at: At): fc.Arbitrary<Json> {
  const below = { ...at, depth: at.depth + 1 };
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required = listOf(schema['required']).map(String);
  const model: Record<string, fc.Arbitrary<Json>> = {};
  for (const name of new Set([...Object.keys(properties), ...required])) {
    if (at.depth >= SMALL_FROM && !required.includes(name)) continue;
    try {
      model[name] = anyOf(properties[name] ?? true, { ...below, name });
    } catch (thrown) {
      // An optional property that cannot be made is left out; a required one cannot be.
      if (required.includes(name) || !(thrown instanceof Ungeneratable)) throw thrown;
    }
  }
  const { presence = 'any' } = at.told;
  if (presence === 'none') for (const name of Object.keys(model)) if (!required.includes(name)) delete model[name];
  const requiredKeys = presence === 'all' ? Object.keys(model) : required.filter((name) => name in model);
  const known = fc.record(model, { requiredKeys, noNullPrototype: true });
  const more = extras(schema, below);
  return more === undefined ? known : fc.tuple(known, more).map(([object, others]) => ({ ...others, ...object }));
}

/** Further properties, where the schema says something about them or asks for more than it names. */
function extras(schema: Schema, below: At): fc.Arbitrary<Record<string, Json>> | undefined {
  const patterns = isPlainObject(schema['patternProperties']) ? Object.entries(schema['patternProperties']) : [];
  const open = schema['additionalProperties'];
  const min = numberOf(schema['minProperties']) ?? 0;
  const [pattern] = patterns;
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  const deep = below.depth > SMALL_FROM;
  if (pattern !== undefined)
    return fc.dictionary(texts({ pattern: pattern[0] }), anyOf(pattern[1], below), {
      maxKeys: deep ? min : 3,
      minKeys: min,
      noNullPrototype: true,
    });
  if (isPlainObject(open))
    return fc.dictionary(name, anyOf(open, below), {
      minKeys: min,
      maxKeys: deep ? min : min + 3,
      noNullPrototype: true,
    });
  if (min > 0 && open !== false)
    return fc.dictionary(name, small(), { minKeys: min, maxKeys: min + 2, noNullPrototype: true });
  return undefined;
}

/** Any small JSON, for a place where everything is allowed. */
const small = (): fc.Arbitrary<Json> =>
  fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.integer({ min: -100, max: 100 }),
    fc.boolean(),
    fc.constant(null),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.integer({ min: 0, max: 9 }), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  );
