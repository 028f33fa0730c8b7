/**
 * What a change of a JSON Schema means for who keeps to it. For input the server may only accept more, for output it may
 * only promise more; so one walk says whether the candidate accepts less or more, and the direction says which of the
 * two breaks. What the walk does not understand counts as breaking: the safe side. Pure.
 */
import { isPlainObject, type Json } from '../../shared/json.ts';
import { same, type Change, type ChangeClass } from './listing.ts';

type Direction = 'input' | 'output';
type Effect = 'accepts less' | 'accepts more' | 'unknown' | 'text' | 'note';

/** Keywords that a model reads and that no validator acts on. */
const TEXT = new Set(['description', 'title', 'examples', 'enumNames']);
const NOTES = new Set(['$schema', '$id', '$comment', 'deprecated', 'readOnly', 'writeOnly', 'contentMediaType']);
/** A larger number accepts more for the first, less for the second. */
const UPPER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']);
const LOWER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']);
const NARROWING = new Set([
  'pattern',
  'format',
  'multipleOf',
  'const',
  'not',
  'uniqueItems',
  'propertyNames',
  'contains',
]);
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const ONE = new Set(['items', 'additionalProperties', 'if', 'then', 'else']);

export function schemaChanges(control: unknown, candidate: unknown, direction: Direction, path: string): Change[] {
  if (same(control, candidate)) return [];
  if (!isPlainObject(control) || !isPlainObject(candidate))
    return [change(path, wholeEffect(control, candidate), direction, control, candidate)];
  const keys = new Set([...Object.keys(control), ...Object.keys(candidate)]);
  return [...keys].flatMap((key) => {
    const [left, right] = [control[key], candidate[key]];
    if (same(left, right)) return [];
    const at = `${path}.${key}`;
    if (key === 'properties' && isPlainObject(left) && isPlainObject(right))
      return propertyChanges(left, right, control, candidate, direction, at);
    if (MAPS.has(key) && isPlainObject(left) && isPlainObject(right)) return mapChanges(left, right, direction, at);
    if (LISTS.has(key) && Array.isArray(left) && Array.isArray(right) && left.length === right.length)
      return left.flatMap((each: unknown, index) => schemaChanges(each, right[index], direction, `${at}.${index}`));
    if (ONE.has(key) && isPlainObject(left) && isPlainObject(right)) return schemaChanges(left, right, direction, at);
    return [change(at, effectOf(key, left, right), direction, left, right)];
  });
}

function propertyChanges(
  left: Record<string, unknown>,
  right: Record<string, unknown>,
  control: Record<string, unknown>,
  candidate: Record<string, unknown>,
  direction: Direction,
  path: string,
): Change[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name) => {
    const at = `${path}.${name}`;
    if (name in left && name in right) return schemaChanges(left[name], right[name], direction, at);
    if (direction === 'output')
      // A reader misses a field that is gone; a field that came is one more.
      return [change(at, name in left ? 'accepts more' : 'accepts less', direction, left[name], right[name])];
    const closed = (name in left ? candidate : control)['additionalProperties'] === false;
    const gone: Effect = closed ? 'accepts less' : 'unknown';
    return [change(at, name in left ? gone : 'accepts more', direction, left[name], right[name])];
  });
}

function mapChanges(left: Record<string, unknown>, right: Record<string, unknown>, direction: Direction, path: string) {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name) =>
    schemaChanges(left[name], right[name], direction, `${path}.${name}`),
  );
}

function wholeEffect(control: unknown, candidate: unknown): Effect {
  if (control === false || candidate === true) return 'accepts more';
  if (control === true || candidate === false) return 'accepts less';
  return 'unknown';
}

function effectOf(key: string, left: unknown, right: unknown): Effect {
  if (TEXT.has(key)) return 'text';
  if (NOTES.has(key)) return 'note';
  if (UPPER.has(key) && isEndless(left) && isEndless(right)) return 'note';
  if (LOWER.has(key) && isEndless(negative(left)) && isEndless(negative(right))) return 'note';
  if (UPPER.has(key)) return bound(left, right, Number.POSITIVE_INFINITY);
  if (LOWER.has(key)) return bound(negative(left), negative(right), Number.POSITIVE_INFINITY);
  if (key === 'required') return setEffect(listOf(right), listOf(left));
  if (key === 'type' || key === 'enum') {
    if (left === undefined) return 'accepts less';
    return right === undefined ? 'accepts more' : setEffect(listOf(left), listOf(right));
  }
  if (key === 'anyOf' && Array.isArray(left) && Array.isArray(right)) return setEffect(left, right);
  if (key === 'additionalProperties') return wholeEffect(left ?? true, right ?? true);
  if (NARROWING.has(key) && left === undefined) return 'accepts less';
  if (NARROWING.has(key) && right === undefined) return 'accepts more';
  return 'unknown';
}

/** No bound, or one that no whole number of JSON reaches: generators of schemas write it where there is none. */
const isEndless = (value: unknown): boolean =>
  value === undefined || (typeof value === 'number' && value >= Number.MAX_SAFE_INTEGER);

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
const negative = (value: unknown): unknown => (typeof value === 'number' ? -value : value);

function bound(left: unknown, right: unknown, none: number): Effect {
  const [from, to] = [left ?? none, right ?? none];
  if (typeof from !== 'number' || typeof to !== 'number') return 'unknown';
  return to > from ? 'accepts more' : 'accepts less';
}

function setEffect(left: readonly unknown[], right: readonly unknown[]): Effect {
  const has = (set: readonly unknown[], one: unknown): boolean => set.some((each) => same(each, one));
  if (left.every((each) => has(right, each))) return right.length === left.length ? 'note' : 'accepts more';
  return right.every((each) => has(left, each)) ? 'accepts less' : 'unknown';
}

function change(path: string, effect: Effect, direction: Direction, left: unknown, right: unknown): Change {
  const [kind, why] = classOf(effect, direction);
  return { class: kind, path, control: left as Json | undefined, candidate: right as Json | undefined, why };
}

function classOf(effect: Effect, direction: Direction): readonly [ChangeClass, string] {
  switch (effect) {
    case 'text':
      return ['non-breaking', 'the model reads another text'];
    case 'note':
      return ['informational', 'neither models nor validators act on it'];
    case 'unknown':
      return ['breaking', 'it may refuse what was accepted, or give what was not promised'];
    case 'accepts less':
      return direction === 'input'
        ? ['breaking', 'the candidate accepts less than the control']
        : ['non-breaking', 'the candidate promises more than the control'];
    case 'accepts more':
      return direction === 'input'
        ? ['non-breaking', 'the candidate accepts more than the control']
        : ['breaking', 'the candidate promises less than the control'];
  }
}
