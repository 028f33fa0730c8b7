/**
 * Sequences of calls that nobody has written: tools that keep something, and those that look at it, in two sessions that
 * take turns. What a right answer is nobody says; the control and the candidate get the same. A sequence is a scenario,
 * so one that differs can be kept in a file. Pure.
 */
import { objectIn, textOf } from '../../../src/parity/surface/listing.ts';
import { isPlainObject, type Json, type JsonObject } from '../../../src/shared/json.ts';
import { onlyReads } from './safety.ts';
import type { Scenario, Step } from './scenario.ts';

/** A tool that may be called, with valid arguments for it. */
export interface Player {
  readonly tool: JsonObject;
  readonly inputs: readonly JsonObject[];
}

const LONGEST = 10;
const SESSIONS = ['a', 'b'] as const;

export function makeSequences(players: readonly Player[], count: number, seed: number): readonly Scenario[] {
  const writers = players.filter(({ tool, inputs }) => !onlyReads(tool) && inputs.length > 0);
  const readers = lookingAt(
    writers,
    players.filter(({ tool, inputs }) => onlyReads(tool) && inputs.length > 0),
  );
  if (writers.length === 0) return [];
  const passed = passedOn([...writers, ...readers]);
  return Array.from({ length: count }, (_each, at): Scenario => {
    const chance = chances(seed + at * 7919);
    const length = 3 + chance.below(LONGEST - 2);
    const steps = Array.from({ length }, (): Step => {
      const from = readers.length > 0 && chance.below(5) < 2 ? readers : writers;
      return stepOf(chance.of(from), chance, passed);
    });
    return { name: `sequence#${at + 1}`, steps };
  });
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

function stepOf({ tool, inputs }: Player, chance: Chances, passed: ReadonlySet<string>): Step {
  const { properties, required } = objectIn(tool['inputSchema']);
  const must = new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
  const args: Record<string, Json> = { ...chance.of(inputs) };
  for (const name of passed) {
    if (!isPlainObject(properties) || !(name in properties)) continue;
    const draw = chance.below(5);
    if (draw < 2) args[name] = `\${${name}}`;
    else if (draw < 4 && !must.has(name)) delete args[name];
  }
  const given = Object.keys(objectIn(objectIn(tool['outputSchema'])['properties'])).filter((name) => passed.has(name));
  return {
    session: chance.of(SESSIONS),
    tool: textOf(tool['name']),
    arguments: args,
    ...(given.length > 0 && {
      capture: Object.fromEntries(given.map((name) => [name, `result.structuredContent.${name}`])),
    }),
  };
}

interface Chances {
  /** A whole number from 0. */
  readonly below: (end: number) => number;
  readonly of: <Value>(list: readonly Value[]) => Value;
}

/** Mulberry32: the same draws for the same seed. */
function chances(seed: number): Chances {
  let state = seed | 0;
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
  return { below, of: (list) => list[below(list.length)] as (typeof list)[number] };
}
