/**
 * Makes the input of a failing call small: tries simpler inputs and keeps each that still fails, until none does or the
 * budget is spent. Works on any JSON, so recorded calls shrink like generated ones. Pure: asking is an argument.
 */
import { isPlainObject, type Json } from '../shared/json.ts';

export interface Shrunk {
  readonly input: Json;
  /** How many inputs were tried. */
  readonly tried: number;
  /** False when the budget ended the search. */
  readonly minimal: boolean;
}

/**
 * @param budget How many inputs may be asked.
 * @param isWorthAsking What is passed over without asking.
 */
export async function shrink(
  input: Json,
  stillFails: (candidate: Json) => Promise<boolean>,
  budget: number,
  isWorthAsking: (candidate: Json) => boolean | Promise<boolean> = () => true,
): Promise<Shrunk> {
  let best = input;
  let tried = 0;
  const seen = new Set([JSON.stringify(input)]);
  for (let improved = true; improved;) {
    improved = false;
    for (const candidate of simpler(best)) {
      const text = JSON.stringify(candidate);
      if (seen.has(text)) continue;
      seen.add(text);
      if (!(await isWorthAsking(candidate))) continue;
      if (tried >= budget) return { input: best, tried, minimal: false };
      tried += 1;
      if (await stillFails(candidate)) {
        best = candidate;
        improved = true;
        break;
      }
    }
  }
  return { input: best, tried, minimal: true };
}

/** Simpler values, the greatest steps first. Every step lowers size or magnitude, so a chain of steps ends. */
export function* simpler(value: Json): Generator<Json> {
  if (typeof value === 'string') yield* simplerText(value);
  else if (typeof value === 'number') yield* simplerNumber(value);
  else if (value === true) yield false;
  else if (Array.isArray(value)) yield* simplerList(value as readonly Json[]);
  else if (isPlainObject(value)) yield* simplerObject(value);
}

function* simplerText(text: string): Generator<Json> {
  if (text === '') return;
  yield '';
  const letters = Array.from(text);
  for (let part = Math.ceil(letters.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
    // Of a long text only the ends are tried at every size: the middle would cost a call for each letter.
    if (part < letters.length) yield letters.slice(0, letters.length - part).join('');
    if (part < letters.length) yield letters.slice(part).join('');
  }
  const plain = 'a'.repeat(letters.length);
  if (text !== plain && letters.length <= 64) yield plain;
}

function* simplerNumber(value: number): Generator<Json> {
  if (value === 0) return;
  yield 0;
  if (value < 0) yield -value;
  if (!Number.isInteger(value)) yield Math.trunc(value);
  const step = Math.trunc(value / 2);
  if (step !== value) yield step;
  if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) yield value - Math.sign(value);
}

function* simplerList(list: readonly Json[]): Generator<Json> {
  if (list.length > 1) {
    yield [];
    yield list.slice(0, Math.ceil(list.length / 2));
    yield list.slice(Math.floor(list.length / 2));
  }
  for (const at of list.keys()) yield list.toSpliced(at, 1);
  for (const [at, each] of list.entries()) {
    for (const smaller of simpler(each)) yield list.with(at, smaller);
  }
}

function* simplerObject(object: Readonly<Record<string, Json>>): Generator<Json> {
  const keys = Object.keys(object);
  if (keys.length > 1) yield {};
  for (const key of keys) yield Object.fromEntries(Object.entries(object).filter(([each]) => each !== key));
  for (const key of keys) {
    for (const smaller of simpler(object[key] ?? null)) {
      yield Object.fromEntries(Object.entries(object).map(([each, value]) => [each, each === key ? smaller : value]));
    }
  }
}
