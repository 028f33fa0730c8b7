/**
 * What a class of a user's own keeps, as the catalogue's states, and back: a mapping that its author writes. Pure: where
 * the class keeps it, and who may write it, is the caller's. A mapping that throws is a problem in words, never an exception.
 */
import { stateOf, versionOf, type StateDefinition } from '../define/state.ts';
import { utf8BytesOver, type Json } from '../json.ts';
import { issuesText, parseNow, type InferOutput } from '../schema/standard.ts';
import type { StoredState, States } from './ownership.ts';
import { MAX_STATE_BYTES, readState, throughJson } from './reduce.ts';

/** A value that SQL takes and gives. */
type SqlValue = string | number | boolean | null;

/** What an object of the class keeps: its `this.state`, and its tables by the tag `this.sql`. */
export interface ClassData<State = unknown> {
  /** A copy. */
  readonly state: State;
  readonly sql: <Row = Record<string, SqlValue>>(strings: TemplateStringsArray, ...values: SqlValue[]) => Row[];
}

type Kinds = Readonly<Record<string, StateDefinition>>;

/** The values of the mapped states, by the name that the mapping gives them. */
export type CarriedValues<K extends Kinds> = { readonly [Name in keyof K]: InferOutput<K[Name]['schema']> };

/** A mapping between what a class keeps and the catalogue's states. Both functions answer at once. */
export interface Carry<State = unknown, K extends Kinds = Kinds> {
  /** The catalogue's states that it carries, by names of your choice. */
  readonly states: K;
  /** What the class has, as the catalogue's states. Undefined for a state of which the class has nothing. */
  readonly out: (data: ClassData<State>) => {
    readonly [Name in keyof K]: InferOutput<K[Name]['schema']> | undefined;
  };
  /** Writes the tables of the class, and gives its `this.state`. What it writes before it throws is undone. */
  readonly back: (values: CarriedValues<K>, data: ClassData<State>) => State;
}

/** A mapping as it is passed on, whatever it maps. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyCarry = Carry<any, any>;

export type Carried<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/**
 * Maps what a class of your own keeps to the catalogue's states, and back, so that its sessions can move with their state.
 *
 * @throws TypeError for a mapping that carries nothing, a state twice, or one that is not of a session.
 * @example
 * ```ts
 * const counter = defineState({ name: 'counter', schema: z.object({ value: z.int() }), initial: { value: 0 } });
 * const carry = carries({
 *   states: { counter },
 *   out: ({ state }: ClassData<{ count: number }>) => ({ counter: { value: state.count } }),
 *   back: ({ counter: { value } }, { state }) => ({ ...state, count: value }),
 * });
 * ```
 */
export function carries<State, const K extends Kinds>(carry: Carry<State, K>): Carry<State, K> {
  const given: Partial<AnyCarry> = carry;
  if (typeof given.out !== 'function' || typeof given.back !== 'function' || given.states === undefined) {
    throw new TypeError('carries() takes { states, out, back }: the states to carry, and a function for each way.');
  }
  const kinds = Object.values(carry.states);
  if (kinds.length === 0) throw new TypeError('carries() was given no state to carry.');
  for (const state of kinds) {
    if (kinds.filter(({ name }) => name === state.name).length > 1) {
      throw new TypeError(`carries() was given the state "${state.name}" twice.`);
    }
    if (stateOf(state) !== 'session') {
      throw new TypeError(`The state "${state.name}" is of the ${stateOf(state)}, and only a session's state moves.`);
    }
  }
  return carry;
}

/**
 * What the class has, as it is stored for the catalogue.
 * @param kept States that are kept beside the class, of which it has nothing.
 */
export function statesIn(carry: AnyCarry, data: ClassData, kept: States = {}): Carried<States> {
  const ran = attempt(() => carry.out(data) as Readonly<Record<string, unknown>>);
  if (!ran.ok) return failed('out', ran.problem);
  if (typeof ran.value !== 'object' || ran.value === null) return failed('out', 'it gave no object');
  const states: Record<string, StoredState> = { ...kept };
  for (const [name, definition] of kindsOf(carry)) {
    const given = ran.value[name];
    if (given === undefined) continue;
    const value = valueOf(definition, given);
    if (!value.ok) return failed('out', `the state "${definition.name}" ${value.problem}`);
    states[definition.name] = { v: versionOf(definition), value: value.value };
  }
  if (utf8BytesOver(JSON.stringify(states), MAX_STATE_BYTES)) {
    return failed('out', `the states are larger than ${MAX_STATE_BYTES} bytes together`);
  }
  return { ok: true, value: states };
}

/**
 * Puts states back into the class. Its tables are written on the way, so the caller undoes them if there is a problem.
 * @returns The class's `this.state`.
 */
export function putBack(carry: AnyCarry, states: States, data: ClassData): Carried<unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, definition] of kindsOf(carry)) {
    const read = readState({ name, state: definition }, states[definition.name]);
    if (!read.ok) return failed('back', `the state "${definition.name}" cannot be read: ${read.cause}`);
    values[name] = read.value;
  }
  const ran = attempt(() => carry.back(values, data) as unknown);
  if (!ran.ok) return failed('back', ran.problem);
  if (ran.value !== undefined && throughJson(ran.value) === undefined) {
    return failed('back', 'JSON cannot carry the state that it gave for the class');
  }
  return ran;
}

const kindsOf = ({ states }: AnyCarry): readonly (readonly [string, StateDefinition])[] =>
  Object.entries(states as Kinds);

function valueOf({ schema }: StateDefinition, given: unknown): Carried<Json> {
  const parsed = parseNow(schema, given);
  if (!parsed.ok) return { ok: false, problem: `is refused by its schema: ${issuesText(parsed.issues)}` };
  const value = throughJson(parsed.value);
  return value === undefined ? { ok: false, problem: 'cannot be carried by JSON' } : { ok: true, value };
}

function attempt<T>(run: () => T): Carried<T> {
  try {
    const value = run();
    if (!(value instanceof Promise)) return { ok: true, value };
    value.catch(() => undefined); // it is refused, whatever becomes of it
    return { ok: false, problem: 'it gave a promise, and must answer at once' };
  } catch (cause) {
    return { ok: false, problem: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause) };
  }
}

const WAY = { out: 'from the class to the catalogue (out)', back: 'from the catalogue to the class (back)' } as const;

const failed = (way: keyof typeof WAY, problem: string): { readonly ok: false; readonly problem: string } => ({
  ok: false,
  problem: `The mapping ${WAY[way]} failed: ${problem}`,
});
