/**
 * The inputs to call one tool with: a fixed number, all distinct while the schema allows it, the same for the same seed.
 * Six of ten are valid, the rest near-valid and hostile; a validator says which an input is in truth. Pure.
 */
import * as fc from 'fast-check';
import { isPlainObject, type Json, type JsonObject } from '../../../src/shared/json.ts';
import { alternated } from './alternated.ts';
import { arbitraryOf, type Told } from './arbitrary.ts';
import { hintsIn } from './hints.ts';
import { listOf, Ungeneratable, type Schema } from './schema.ts';
import { hostile, nearValid } from './spoil.ts';
import { varied } from './vary.ts';

export type InputKind = 'valid' | 'near-valid' | 'hostile';

export interface Input {
  readonly kind: InputKind;
  readonly value: Json;
}

export type Inputs =
  | { readonly ok: true; readonly inputs: readonly Input[] }
  | { readonly ok: false; readonly why: string };

/** Of ten inputs. */
const SHARE: Readonly<Record<InputKind, number>> = { valid: 6, 'near-valid': 3, hostile: 1 };
/** Draws for each input that is wanted. */
const TRIES = [1, 4] as const;

export interface Draw {
  readonly seed: number;
  readonly count: number;
  /** Texts that may mean something to the server. */
  readonly hints?: readonly string[];
  /** Inputs that are known to succeed; they are asked, and most valid ones are varied from them. */
  readonly seeds?: readonly JsonObject[];
  /** By the name of a property: what earlier answers had under it. */
  readonly values?: Readonly<Record<string, readonly (string | number)[]>>;
}

/** @param isValid Whether the tool's schema accepts a value. */
export function inputsOf(schema: Schema, isValid: (value: Json) => boolean, draw: Draw): Inputs {
  const { seed, count, hints = [], seeds = [], values = {} } = draw;
  const root: Schema = { type: 'object', ...schema };
  try {
    const told: Told = { hints, valuesFor: (name) => values[name] ?? [] };
    const fresh = arbitraryOf(root, told);
    const valid =
      seeds.length === 0
        ? fresh
        : fc.oneof(
            { weight: 8, arbitrary: varied(seeds, root, arbitraryOf(root, { ...told, presence: 'all' })) },
            { weight: 2, arbitrary: fresh },
          );
    // With what is required alone: less of it can be wrong.
    const least = arbitraryOf(root, { ...told, presence: 'none' });
    const near = valid.chain((value) => pick(nearValid(value, root, root), value));
    const bad = valid.chain((value) => pick(hostile(value), value));
    // Most schemas give enough at once; one with few values is drawn from more often.
    for (const tries of TRIES) {
      const drawn = (arbitrary: fc.Arbitrary<Json>, offset: number): Json[] =>
        fc.sample(arbitrary, { seed: seed + offset, numRuns: count * tries });
      // What is one step off and still valid is no near-valid input: a few draws of it must not crowd out the refusals.
      const beside = [...given(root), ...drawn(near, 1)];
      const stillValid = [...beside.filter(isValid), ...drawn(more(valid), 3)];
      const draws: Record<InputKind, readonly Json[]> = {
        valid: [
          ...given(root),
          ...mixed(
            telling(root, bases(seeds, [...drawn(least, 4), ...drawn(valid, 0)], isValid), told),
            alternated([seeds, drawn(valid, 0)]),
            count,
          ),
        ].filter(isValid),
        // A tool that refuses next to nothing has few near-valid inputs, so further properties fill them up.
        'near-valid': [...beside.filter((value) => !isValid(value)), ...stillValid],
        hostile: drawn(bad, 2),
      };
      const inputs = draws.valid.length === 0 ? [] : dealt(draws, isValid, count);
      if (inputs.length === count || (inputs.length > 0 && tries === TRIES.at(-1))) return { ok: true, inputs };
    }
    return { ok: false, why: 'none of the generated values fits the inputSchema' };
  } catch (thrown) {
    if (thrown instanceof Ungeneratable) return { ok: false, why: thrown.message };
    throw thrown;
  }
}

/**
 * A few inputs that are likely to get somewhere, to learn from: with everything that the schema has, with what it requires
 * alone, and each member of an enumeration in turn.
 */
export function probesOf(
  schema: Schema,
  isValid: (value: Json) => boolean,
  draw: Draw,
  round: number,
): readonly Json[] {
  const { seed, count, hints = [], seeds = [], values = {} } = draw;
  const root: Schema = { type: 'object', ...schema };
  const told: Told = { hints, valuesFor: (name) => values[name] ?? [] };
  try {
    const drawn = (presence: Told['presence'], more: number): Json[] =>
      fc
        .sample(arbitraryOf(root, { ...told, ...(presence !== undefined && { presence }) }), {
          seed: seed + more,
          numRuns: count * 2,
        })
        .filter(isValid);
    const all = drawn('all', 0);
    const some = drawn('none', 1);
    const near =
      seeds.length === 0
        ? drawn('any', 2)
        : fc.sample(varied(seeds, root, arbitraryOf(root, { ...told, presence: 'all' })), { seed, numRuns: count * 2 });
    const members = membersInTurn(root, [...all, ...some]).filter(isValid);
    const beginning = seeds.length === 0 ? given(root).filter(isValid) : [];
    const seen = seenInTurn(root, some, told, round).filter(isValid);
    const order = [...beginning, ...alternated([seen, near.filter(isValid), members, some, all])];
    return [...new Map(order.map((value) => [JSON.stringify(value), value])).values()].slice(0, count);
  } catch (thrown) {
    if (thrown instanceof Ungeneratable) return [];
    throw thrown;
  }
}

/** For each required property what its description names and what earlier answers had under its name, a few in each round. */
function seenInTurn(schema: Schema, drawn: readonly Json[], { valuesFor }: Told, round: number): readonly Json[] {
  const [base] = drawn;
  if (!isPlainObject(base) || valuesFor === undefined) return [];
  const lists = listOf(schema['required']).map((key) => {
    const isText = isPlainObject(schema['properties']) && isPlainObject(schema['properties'][String(key)]);
    const property = isText ? (schema['properties'] as Record<string, Schema>)[String(key)] : undefined;
    return alternated<string | number>([hintsOf(property), valuesFor(String(key))])
      .slice(round * SEEN_IN_ROUND, (round + 1) * SEEN_IN_ROUND)
      .map((value): Json => ({ ...base, [String(key)]: asTyped(value, property) }));
  });
  return alternated(lists);
}

const SEEN_IN_ROUND = 4;

/** What the description of a text names. */
const hintsOf = (property: Schema | undefined): readonly string[] =>
  property?.['type'] === 'string' ? hintsIn(property['description']) : [];

const asTyped = (value: string | number, property: Schema | undefined): Json =>
  property?.['type'] === 'string' ? String(value) : property?.['type'] === 'array' ? [value] : value;

/** Each member of each enumeration, put into another draw. */
function membersInTurn(schema: Schema, drawn: readonly Json[]): readonly Json[] {
  if (!isPlainObject(schema['properties'])) return [];
  const choices = Object.entries(schema['properties']).flatMap(([key, property]) =>
    isPlainObject(property) ? (listOf(property['enum']) as Json[]).map((member) => [key, member] as const) : [],
  );
  return choices.flatMap(([key, member], at): readonly Json[] => {
    const base = drawn[at % Math.max(drawn.length, 1)];
    return isPlainObject(base) ? [{ ...base, [key]: member }] : [];
  });
}

const pick = (values: readonly Json[], otherwise: Json): fc.Arbitrary<Json> =>
  values.length === 0 ? fc.constant(otherwise) : fc.constantFrom(...values);

const more = (valid: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc
    .tuple(
      valid,
      fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof(fc.nat(), fc.string()), { minKeys: 1, maxKeys: 3 }),
    )
    .map(([value, others]) => (isPlainObject(value) ? { ...others, ...value } : value));

/**
 * A valid input with each telling value of each property in turn: a text that its description names, a bound, a member of
 * an enumeration. Chance might miss all of them, and they are where servers differ. Some may not be valid after all.
 */
function telling(schema: Schema, bases: readonly JsonObject[], told: Told): readonly Json[] {
  if (!isPlainObject(schema['properties'])) return [];
  let turn = 0;
  const lists = Object.entries(schema['properties']).map(([key, property]) =>
    isPlainObject(property)
      ? tellingValues(property, told.valuesFor?.(key) ?? []).flatMap((value): Json[] => {
          // In turn, since a value may go with one input that succeeds and not with another.
          const base = bases[(turn += 1) % Math.max(bases.length, 1)];
          return base === undefined ? [] : [{ ...base, [key]: value }];
        })
      : [],
  );
  // Each property's first, since one with many must not crowd out another's bounds.
  return alternated(lists);
}

/** What succeeded is the better ground to change one value on; without it the first draw that is valid. */
function bases(
  seeds: readonly JsonObject[],
  drawn: readonly Json[],
  isValid: (value: Json) => boolean,
): readonly JsonObject[] {
  if (seeds.length > 0) return seeds;
  const first = drawn.find((value) => isPlainObject(value) && isValid(value));
  return first === undefined ? [] : [first as JsonObject];
}

/** The telling ones first while there are few; many of them take turns with the draws and do not crowd them out. */
function mixed(telling: readonly Json[], drawn: readonly Json[], count: number): readonly Json[] {
  const first = Math.ceil(count * 0.4);
  return [...telling.slice(0, first), ...alternated([drawn, telling.slice(first)])];
}

/** A long enumeration is left to chance, as the rest of the input is. */
const MOST_MEMBERS = 40;

function tellingValues(property: Schema, seen: readonly (string | number)[]): readonly Json[] {
  const bounds = ['minimum', 'maximum'].map((key) => property[key]).filter((bound) => typeof bound === 'number');
  const members = listOf(property['enum']) as readonly Json[];
  return [
    ...bounds,
    ...members.slice(0, MOST_MEMBERS),
    ...(property['type'] === 'boolean' ? [true, false] : []),
    ...alternated<Json>([
      hintsOf(property),
      seen.map((value) => (property['type'] === 'string' ? String(value) : value)),
    ]),
  ];
}

/** What the schema itself gives: nothing, its defaults, and its examples. */
function given(schema: Schema): Json[] {
  const properties = isPlainObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const defaults = properties.flatMap(([key, each]) =>
    isPlainObject(each) && 'default' in each ? [[key, each['default'] as Json] as const] : [],
  );
  return [{}, Object.fromEntries(defaults), ...(listOf(schema['examples']) as Json[])];
}

function dealt(draws: Record<InputKind, readonly Json[]>, isValid: (value: Json) => boolean, count: number): Input[] {
  const seen = new Set<string>();
  const inputs: Input[] = [];
  const rest = {
    valid: draws.valid.values(),
    'near-valid': draws['near-valid'].values(),
    hostile: draws.hostile.values(),
  };
  const next = (kind: InputKind): boolean => {
    for (const value of rest[kind]) {
      const text = JSON.stringify(value);
      if (seen.has(text)) continue;
      seen.add(text);
      inputs.push({ kind: kind === 'near-valid' && isValid(value) ? 'valid' : kind, value });
      return true;
    }
    return false;
  };
  const kinds = Object.keys(SHARE) as InputKind[];
  while (inputs.length < count) {
    const before = inputs.length;
    for (const kind of kinds) for (let each = 0; each < SHARE[kind] && inputs.length < count; each += 1) next(kind);
    // Nothing new is left of any kind.
    if (inputs.length === before) break;
  }
  return inputs;
}

/** One seed for each tool from the seed of the run, so that a tool's inputs do not depend on the tools before it. */
export function seedFor(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash | 0;
}
