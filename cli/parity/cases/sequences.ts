/**
 * Sequences of calls that nobody has written: tools that keep something, and those that look at it, in two sessions that
 * take turns. What a right answer is nobody says; the control and the candidate get the same. A sequence is a scenario,
 * so one that differs can be kept in a file. Most of them go through the orders in which tools can follow each other,
 * the others are left to chance. Pure.
 */
import { objectIn, textOf } from '../../../src/parity/surface/listing.ts';
import { isPlainObject, type Json, type JsonObject } from '../../../src/shared/json.ts';
import { chances, type Chances } from './chances.ts';
import { rowsOfOrders } from './orders.ts';
import { onlyReads } from './safety.ts';
import type { Scenario, Step } from './scenario.ts';

/** A tool that may be called, with valid arguments for it. */
export interface Player {
  readonly tool: JsonObject;
  readonly inputs: readonly JsonObject[];
  /** Those that the control has answered with a result. */
  readonly succeeded?: readonly JsonObject[];
}

const LONGEST = 10;
/** Two of these make a sequence. */
const LONGEST_ROW = 6;
const SESSIONS = ['a', 'b'] as const;
/** Of the sequences, those that go through the orders of tools. */
const SHARE_OF_ORDERS = 2 / 3;

export function makeSequences(players: readonly Player[], count: number, seed: number): readonly Scenario[] {
  const writers = players.filter(({ tool, inputs }) => !onlyReads(tool) && inputs.length > 0);
  const readers = lookingAt(
    writers,
    players.filter(({ tool, inputs }) => onlyReads(tool) && inputs.length > 0),
  );
  if (writers.length === 0) return [];
  const passed = passedOn([...writers, ...readers]);
  const orders = inOrder(writers, readers, passed, chances(seed));
  const most = Math.ceil(count * SHARE_OF_ORDERS);
  return Array.from({ length: count }, (_each, at): Scenario => {
    const name = `sequence#${at + 1}`;
    const next = at < most ? orders.next() : undefined;
    if (next !== undefined && next.done !== true) return { name, steps: next.value };
    const chance = chances(seed + at * 7919);
    const length = 3 + chance.below(LONGEST - 2);
    const steps = Array.from({ length }, (): Step => {
      const from = readers.length > 0 && chance.below(5) < 2 ? readers : writers;
      const player = chance.of(from);
      return stepOf(player, chance.of(SESSIONS), argumentsOf(player, chance, passed), passed);
    });
    return { name, steps };
  });
}

/**
 * Every order of two tools, then every order of three: first on what each session has of its own, then on what is passed
 * on, such as a handle. Both sessions play a row of tools, and take turns by chance.
 */
function* inOrder(
  writers: readonly Player[],
  readers: readonly Player[],
  passed: ReadonlySet<string>,
  chance: Chances,
): Generator<readonly Step[]> {
  const players = [...writers, ...readers];
  const isWriter = (player: Player | undefined): boolean => player !== undefined && writers.includes(player);
  // What only looks leaves nothing behind for what comes after it.
  const isWorthPlaying = (order: readonly Player[]): boolean =>
    (order.length === 2 || isWriter(order[0])) &&
    order.every((player, at) => at === 0 || isWriter(player) || isWriter(order[at - 1]));
  for (const length of [2, 3])
    for (const passing of passed.size > 0 ? [false, true] : [false]) {
      const rows = rowsOfOrders(players, length, LONGEST_ROW, isWorthPlaying, chance);
      for (let row = rows.next(); row.done !== true;) {
        const other = rows.next();
        yield steps([row.value, other.done === true ? [] : other.value], passing, passed, chance);
        row = rows.next();
      }
    }
}

function steps(
  rows: readonly (readonly Player[])[],
  passing: boolean,
  passed: ReadonlySet<string>,
  chance: Chances,
): readonly Step[] {
  const left = rows.map((row) => [...row]);
  const known = new Set<string>();
  const made: Step[] = [];
  for (;;) {
    const open = left.flatMap((row, at) => (row.length > 0 ? [at] : []));
    if (open.length === 0) return made;
    const turn = chance.of(open);
    const player = left[turn]?.shift();
    if (player === undefined) return made;
    // What succeeds leaves something behind for the next; what is refused does not.
    const { succeeded = [], inputs } = player;
    const args = { ...chance.of(succeeded.length > 0 ? succeeded : inputs) };
    for (const name of namesOf(player, 'inputSchema', passed))
      if (isRequired(player, name) || (passing && known.has(name))) args[name] = `\${${name}}`;
      else delete args[name];
    for (const name of namesOf(player, 'outputSchema', passed)) known.add(name);
    made.push(stepOf(player, SESSIONS[turn] ?? 'a', args, passed));
  }
}

/** Readers that have a word of a writer in their names; all of them where none has. */
function lookingAt(writers: readonly Player[], readers: readonly Player[]): readonly Player[] {
  const wordsOf = ({ tool }: Player): readonly string[] =>
    (textOf(tool['name']).match(/[A-Z]?[a-z]{3,}/g) ?? []).map((word) => word.toLowerCase());
  const words = new Set(writers.flatMap(wordsOf));
  const near = readers.filter((reader) => wordsOf(reader).some((word) => words.has(word)));
  return near.length > 0 ? near : readers;
}

/** Names of what one tool gives out and another takes, such as a handle. */
function passedOn(players: readonly Player[]): ReadonlySet<string> {
  const named = (key: string): Set<string> =>
    new Set(players.flatMap(({ tool }) => Object.keys(objectIn(objectIn(tool[key])['properties']))));
  const [given, taken] = [named('outputSchema'), named('inputSchema')];
  return new Set([...given].filter((name) => taken.has(name) && /^\w+$/.test(name)));
}

/** Of the names that are passed on, those in a schema of a tool. */
function namesOf(
  { tool }: Player,
  schema: 'inputSchema' | 'outputSchema',
  passed: ReadonlySet<string>,
): readonly string[] {
  const { properties } = objectIn(tool[schema]);
  return isPlainObject(properties) ? [...passed].filter((name) => name in properties) : [];
}

function isRequired({ tool }: Player, name: string): boolean {
  const { required } = objectIn(tool['inputSchema']);
  return Array.isArray(required) && (required as readonly Json[]).includes(name);
}

function argumentsOf(player: Player, chance: Chances, passed: ReadonlySet<string>): JsonObject {
  const args: Record<string, Json> = { ...chance.of(player.inputs) };
  for (const name of namesOf(player, 'inputSchema', passed)) {
    const draw = chance.below(5);
    if (draw < 2) args[name] = `\${${name}}`;
    else if (draw < 4 && !isRequired(player, name)) delete args[name];
  }
  return args;
}

function stepOf(player: Player, session: string, args: JsonObject, passed: ReadonlySet<string>): Step {
  const given = namesOf(player, 'outputSchema', passed);
  return {
    session,
    tool: textOf(player.tool['name']),
    arguments: args,
    ...(given.length > 0 && {
      capture: Object.fromEntries(given.map((name) => [name, `result.structuredContent.${name}`])),
    }),
  };
}
