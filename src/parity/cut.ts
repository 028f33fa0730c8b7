/** A value at a size that a report can hold: a server may answer with 32 MB, and a run has many differences. Pure. */
import { isPlainObject, type Json } from '../shared/json.ts';

const MOST_CHARACTERS = 100_000;
const MOST_MEMBERS = 2_000;

export function cut<Value extends Json>(value: Value): Value {
  return walk(value) as Value;
}

function walk(value: Json): Json {
  if (typeof value === 'string')
    return value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}… (${value.length} characters)` : value;
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const kept = list.slice(0, MOST_MEMBERS).map(walk);
    return list.length > MOST_MEMBERS ? [...kept, `… (${list.length} members)`] : kept;
  }
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value as Record<string, Json>);
  const kept = entries
    .slice(0, MOST_MEMBERS)
    .map(([key, each]) => [key.slice(0, MOST_CHARACTERS), walk(each)] as const);
  const more = entries.length > MOST_MEMBERS ? [['…', `${entries.length} members`] as const] : [];
  return Object.fromEntries([...kept, ...more]);
}
