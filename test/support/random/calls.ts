/** Draws calls: valid, nearly valid, and hostile ones. */
import * as fc from 'fast-check';
import type { Json, JsonObject } from 'hybrid-mcp/define';
import type { DrawnTool } from './draw.ts';
import type { ObjectSpec, Spec } from './spec.ts';

export interface DrawnCall {
  /** `valid` arguments are drawn from the tool's own schema. */
  readonly intent: 'valid' | 'near' | 'hostile';
  readonly params: JsonObject;
}

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));

/** Values that the schema takes. Texts stay in the basic plane: Zod counts UTF-16 units where JSON Schema counts characters. */
function valuesOf(spec: Spec): fc.Arbitrary<Json> {
  switch (spec.kind) {
    case 'string':
      return fc.string({
        minLength: spec.min,
        maxLength: spec.max,
        unit: fc.constantFrom('a', ' ', '"', 'ü', '\u2028', '\0'),
      });
    case 'number':
      return fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
    case 'int':
      return fc.integer({ min: spec.min, max: spec.max });
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...spec.of);
    case 'literal':
      return fc.constant(spec.value);
    case 'nullable':
      return fc.option(valuesOf(spec.item));
    case 'union':
      return fc.oneof(...spec.of.map(valuesOf));
    case 'array':
      return fc.array(valuesOf(spec.item), { maxLength: spec.max });
    case 'tuple':
      return fc.tuple(...spec.items.map(valuesOf));
    case 'record':
      return fc.dictionary(fc.string(), valuesOf(spec.value), { maxKeys: 3, noNullPrototype: true });
    case 'object':
      return objectsOf(spec);
  }
}

function objectsOf({ members }: ObjectSpec): fc.Arbitrary<JsonObject> {
  return fc.record(Object.fromEntries(members.map(({ name, spec }) => [name, valuesOf(spec)])), {
    requiredKeys: members.filter(({ need }) => need === 'required').map(({ name }) => name),
    noNullPrototype: true,
  });
}

const STRANGE: readonly Json[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  '',
  'x'.repeat(40),
  '🙂🙂🙂🙂🙂🙂🙂',
  [],
  {},
  [[]],
  JSON.parse('{"__proto__":{"polluted":1}}') as Json,
  { constructor: 1, toString: 'x' },
];

/** A valid object with one place replaced, removed or added to. */
function nearlyOf(spec: ObjectSpec): fc.Arbitrary<JsonObject> {
  return objectsOf(spec).chain((valid) => {
    const places = placesIn(valid);
    return fc
      .tuple(fc.constantFrom(...places), fc.oneof(fc.constantFrom(...STRANGE), fc.constant(undefined), fc.jsonValue()))
      .map(([place, value]) => changed(valid, place, value as Json | undefined));
  });
}

const placesIn = (value: Json, at: readonly string[] = []): (readonly string[])[] => [
  [...at, 'extra'],
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, child]) => [[...at, key], ...placesIn(child, [...at, key])])
    : []),
];

function changed(value: JsonObject, [first = '', ...rest]: readonly string[], to: Json | undefined): JsonObject {
  const copy = structuredClone(value) as Record<string, Json>;
  const child = Object.hasOwn(copy, first) ? copy[first] : undefined;
  const inner = typeof child === 'object' && child !== null && !Array.isArray(child) && rest.length > 0;
  const next = inner ? changed(child as JsonObject, rest, to) : to;
  if (next === undefined) delete copy[first];
  else Object.defineProperty(copy, first, { value: next, enumerable: true, configurable: true, writable: true });
  return copy;
}

const deep = (depth: number): Json => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as Json;
const hostileArguments: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...STRANGE, deep(200), 'y'.repeat(20_000), { a: deep(200) }, { a: 'y'.repeat(120_000) }),
  fc.dictionary(text, fc.jsonValue(), { noNullPrototype: true }) as fc.Arbitrary<Json>,
);
const hostileName: fc.Arbitrary<Json> = fc.oneof(
  text,
  fc.constantFrom<Json>('constructor', '__proto__', 'toString', '', ' ', 'echo_0 ', 'ECHO_0', null, 7, ['echo_0'], {}),
);

export function callsOf({ name, behaviour, input }: DrawnTool): fc.Arbitrary<DrawnCall> {
  const by = fc.record({ by: fc.integer({ min: -9, max: 9 }) }, { requiredKeys: [], noNullPrototype: true });
  const valid =
    behaviour === 'counter' ? fc.tuple(objectsOf(input), by).map(([a, b]) => ({ ...a, ...b })) : objectsOf(input);
  const call = (intent: DrawnCall['intent'], args: fc.Arbitrary<Json>): fc.Arbitrary<DrawnCall> =>
    args.map((drawn) => ({ intent, params: { name, arguments: drawn } }));
  return fc.oneof(
    { weight: 5, arbitrary: call('valid', valid) },
    { weight: 4, arbitrary: call('near', nearlyOf(input)) },
    { weight: 2, arbitrary: call('hostile', hostileArguments) },
    {
      weight: 1,
      arbitrary: fc
        .record(
          { name: hostileName, arguments: hostileArguments, extra: fc.jsonValue() },
          { requiredKeys: [], noNullPrototype: true },
        )
        .map((params) => ({ intent: 'hostile' as const, params: params as JsonObject })),
    },
  );
}
