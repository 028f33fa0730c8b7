/** The law of a mapping, for the tests of its author: what goes out and comes back is what it was. Pure. */
import type { Json } from '../json.ts';
import {
  putBack,
  statesIn,
  type AnyCarry,
  type Carried,
  type CarriedValues,
  type Carry,
  type ClassData,
} from './carry.ts';
import type { StateDefinition } from '../define/state.ts';
import { versionOf } from '../define/state.ts';
import type { States } from './ownership.ts';
import { throughJson } from './reduce.ts';

/** What to try a mapping with. */
export interface RoundTripExamples<State, K extends Readonly<Record<string, StateDefinition>>> {
  /** What an object of the class keeps. Each has tables of its own, if the class has tables. */
  readonly classes?: readonly Partial<ClassData<State>>[];
  /** Values of the catalogue's states, and an object of the class for each to be put into. */
  readonly values?: readonly { readonly states: CarriedValues<K>; readonly into: Partial<ClassData<State>> }[];
}

/**
 * Tries a mapping there and back, for a test of yours. Empty if each example came back as it was.
 *
 * - What a class has goes out and back: its `this.state` is the same, and what goes out of it then is the same, of its tables too.
 * - Values of the catalogue go back and out: they are the same.
 *
 * @example
 * ```ts
 * const problems = roundTrip(carry, { classes: [{ state: { count: 0 } }, { state: { count: 7 } }] });
 * if (problems.length > 0) throw new Error(problems.join('\n'));
 * ```
 */
export function roundTrip<State, K extends Readonly<Record<string, StateDefinition>>>(
  carry: Carry<State, K>,
  { classes = [], values = [] }: RoundTripExamples<State, K>,
): readonly string[] {
  if (classes.length + values.length === 0) return ['There was no example to try.'];
  return [
    ...classes.flatMap((data, at) => problemOf(`Class ${at + 1}`, outAndBack(carry, whole(data)))),
    ...values.flatMap(({ states, into }, at) =>
      problemOf(`Values ${at + 1}`, backAndOut(carry, storedOf(carry, states), whole(into))),
    ),
  ];
}

const problemOf = (which: string, problem: string | undefined): readonly string[] =>
  problem === undefined ? [] : [`${which}: ${problem}`];

function outAndBack(carry: AnyCarry, data: ClassData): string | undefined {
  const before = textOf(data.state);
  const out = statesIn(carry, data);
  if (!out.ok) return out.problem;
  const back = putBack(carry, out.value, data);
  if (!back.ok) return back.problem;
  const after = textOf(back.value);
  if (after !== before) return `the class's state was ${before}, and came back as ${after}`;
  return differs(out.value, statesIn(carry, { ...data, state: back.value }));
}

function backAndOut(carry: AnyCarry, states: States, data: ClassData): string | undefined {
  const back = putBack(carry, states, data);
  return back.ok ? differs(states, statesIn(carry, { ...data, state: back.value })) : back.problem;
}

function differs(before: States, again: Carried<States>): string | undefined {
  if (!again.ok) return again.problem;
  const names = [...new Set([...Object.keys(before), ...Object.keys(again.value)])];
  const name = names.find((each) => textOf(before[each]) !== textOf(again.value[each]));
  if (name === undefined) return undefined;
  return `the state "${name}" was ${textOf(before[name]?.value)}, and came back as ${textOf(again.value[name]?.value)}`;
}

const storedOf = ({ states }: AnyCarry, values: Readonly<Record<string, unknown>>): States =>
  Object.fromEntries(
    Object.entries(states as Readonly<Record<string, StateDefinition>>).map(([name, definition]) => [
      definition.name,
      { v: versionOf(definition), value: throughJson(values[name]) ?? null },
    ]),
  );

/** A class without tables has none to read: a mapping that does is told so. */
const whole = ({ state, sql }: Partial<ClassData>): ClassData => ({
  state: structuredClone(state),
  sql:
    sql ??
    (() => {
      throw new TypeError('this example has no tables: give it { sql }');
    }),
});

/** Of what JSON carries, in the order of names. */
const textOf = (value: unknown): string => JSON.stringify(sorted(throughJson(value))) ?? 'nothing';

function sorted(value: Json | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
