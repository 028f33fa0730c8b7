/**
 * JSON inside text: many servers put the same object into a text block that they put into `structuredContent`. Where
 * both sides of a pair hold JSON, its meaning is compared and its spacing is not. Where only one does, texts are. Pure.
 */
import { isPlainObject, type Json } from '../shared/json.ts';
import { deeperThan, MOST_LEVELS } from './depth.ts';
import type { Observation } from './observe.ts';

/** The pair with every `text` that is a JSON object or list on both sides replaced by what it says. */
export function readJsonTexts(control: Observation, candidate: Observation): readonly [Observation, Observation] {
  if (control.kind !== candidate.kind) return [control, candidate];
  const [left, right] = both({ ...control }, { ...candidate });
  return [left as Observation, right as Observation];
}

function both(left: unknown, right: unknown, key = ''): readonly [unknown, unknown] {
  if (key === 'text' && typeof left === 'string' && typeof right === 'string') {
    // Equal texts are equal whatever they say, and reading them costs more than all the rest of a comparison.
    if (left === right) return [left, right];
    const [readLeft, readRight] = [structureIn(left), structureIn(right)];
    return readLeft === undefined || readRight === undefined ? [left, right] : [readLeft, readRight];
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    const pairs = left.map((each: unknown, at) =>
      at < right.length ? both(each, right[at]) : ([each, each] as const),
    );
    return [pairs.map(([mine]) => mine), right.map((each: unknown, at) => pairs[at]?.[1] ?? each)];
  }
  if (isPlainObject(left) && isPlainObject(right)) {
    const [mine, yours] = [{ ...left }, { ...right }];
    for (const name of Object.keys(left)) {
      if (Object.hasOwn(right, name)) [mine[name], yours[name]] = both(left[name], right[name], name);
    }
    return [mine, yours];
  }
  return [left, right];
}

/** The object or list that a text holds. A lone number or string is a text like any other. */
function structureIn(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || deeperThan(text, MOST_LEVELS)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
