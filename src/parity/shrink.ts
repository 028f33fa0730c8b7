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
  // After a step the search goes on from where it is: what came before has just been tried, and is tried again at the end.
  let from = 0;
  for (;;) {
    let at = -1;
    let improved = false;
    for (const candidate of simpler(best)) {
      at += 1;
      if (at < from) continue;
      const text = JSON.stringify(candidate);
      if (seen.has(text)) continue;
      seen.add(text);
      if (!(await isWorthAsking(candidate))) continue;
      if (tried >= budget) return { input: best, tried, minimal: false };
      tried += 1;
      if (!(await stillFails(candidate))) continue;
      best = candidate;
      improved = true;
      break;
    }
    if (!improved && from === 0) return { input: best, tried, minimal: true };
    from = improved ? at : 0;
  }
}

/**
 * Simpler values, the greatest steps first. Every step lowers size or magnitude, or makes a whole number of a fraction, so
 * a chain of steps ends.
 */
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

/** A whole number is simpler than a fraction, so a fraction may become greater. */
function* simplerNumber(value: number): Generator<Json> {
  if (value === 0) return;
  yield 0;
  if (value < 0) yield -value;
  if (value !== Math.sign(value)) yield Math.sign(value);
  if (!Number.isInteger(value)) yield Math.trunc(value);
  // Roots bring a great number down in a few steps, halves find the edge.
  if (Math.abs(value) >= 16) yield Math.sign(value) * Math.trunc(Math.sqrt(Math.abs(value)));
  const step = Math.trunc(value / 2);
  if (step !== value) yield step;
  if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) yield value - Math.sign(value);
}

function* simplerList(list: readonly Json[]): Generator<Json> {
  if (list.length > 1) yield [];
  for (let part = Math.ceil(list.length / 2); part > 1; part = Math.ceil(part / 2))
    for (let at = 0; at < list.length; at += part) yield list.toSpliced(at, part);
  for (const at of list.keys()) yield list.toSpliced(at, 1);
  yield* inTurn(list.map((each, at) => [each, (smaller: Json): Json => list.with(at, smaller)]));
}

function* simplerObject(object: Readonly<Record<string, Json>>): Generator<Json> {
  const keys = Object.keys(object);
  if (keys.length > 1) yield {};
  for (const key of keys) yield Object.fromEntries(Object.entries(object).filter(([each]) => each !== key));
  yield* inTurn(
    keys.map((key) => [
      object[key] ?? null,
      (smaller: Json): Json =>
        Object.fromEntries(Object.entries(object).map(([each, value]) => [each, each === key ? smaller : value])),
    ]),
  );
}

/** The greatest step of each part first: one part that takes many steps must not use up what the others need. */
function* inTurn(parts: readonly (readonly [Json, (smaller: Json) => Json])[]): Generator<Json> {
  let open = parts.map(([value, put]) => ({ steps: simpler(value), put }));
  while (open.length > 0) {
    const rest: typeof open = [];
    for (const part of open) {
      const next = part.steps.next();
      if (next.done === true) continue;
      rest.push(part);
      yield part.put(next.value);
    }
    open = rest;
  }
}
