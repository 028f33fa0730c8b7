/**
 * The inputs to call one tool with: a fixed number, all distinct while the schema allows it, the same for the same seed.
 * Half are valid, the rest near-valid and hostile; a validator says which an input is in truth. Pure.
 */
import * as fc from 'fast-check';
import { isPlainObject, type Json } from '../../../src/shared/json.ts';
import { arbitraryOf } from './arbitrary.ts';
import { hintsIn } from './hints.ts';
import { listOf, Ungeneratable, type Schema } from './schema.ts';
import { hostile, nearValid } from './spoil.ts';

export type InputKind = 'valid' | 'near-valid' | 'hostile';

export interface Input {
  readonly kind: InputKind;
  readonly value: Json;
}

export type Inputs =
  | { readonly ok: true; readonly inputs: readonly Input[] }
  | { readonly ok: false; readonly why: string };

/** Of ten inputs. */
const SHARE: Readonly<Record<InputKind, number>> = { valid: 5, 'near-valid': 3, hostile: 2 };
/** Draws for each input that is wanted. */
const TRIES = [1, 4] as const;

export interface Draw {
  readonly seed: number;
  readonly count: number;
  /** Texts that may mean something to the server. */
  readonly hints?: readonly string[];
}

/** @param isValid Whether the tool's schema accepts a value. */
export function inputsOf(schema: Schema, isValid: (value: Json) => boolean, { seed, count, hints = [] }: Draw): Inputs {
  const root: Schema = { type: 'object', ...schema };
  try {
    const valid = arbitraryOf(root, hints);
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
        valid: [...given(root), ...telling(root, drawn(valid, 0).find(isValid)), ...drawn(valid, 0)].filter(isValid),
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
function telling(schema: Schema, valid: Json | undefined): Json[] {
  if (!isPlainObject(valid) || !isPlainObject(schema['properties'])) return [];
  return Object.entries(schema['properties']).flatMap(([key, property]) =>
    isPlainObject(property)
      ? tellingValues(property).map((value): Json => ({ ...(valid as Record<string, Json>), [key]: value }))
      : [],
  );
}

/** A long enumeration is left to chance, as the rest of the input is. */
const MOST_MEMBERS = 8;

function tellingValues(property: Schema): readonly Json[] {
  const bounds = ['minimum', 'maximum'].map((key) => property[key]).filter((bound) => typeof bound === 'number');
  const members = listOf(property['enum']) as readonly Json[];
  return [
    ...bounds,
    ...members.slice(0, MOST_MEMBERS),
    ...(property['type'] === 'string' ? hintsIn(property['description']) : []),
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
