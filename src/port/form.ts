/** The form of a question that a handler writes as JSON Schema, as a schema that reads the answer. Pure. */
import { isPlainObject, type JsonObject } from '../shared/json.ts';
import type { Schema } from '../shared/schema/standard.ts';
import { asStandard } from './standard.ts';

/** By text, so that a question that is asked in every call is converted once per isolate. */
const known = new Map<string, Schema<Record<string, unknown>>>();
const MOST_KNOWN = 200;

/** @param requested A flat object of primitives: whether a client can draw it is checked where it is asked. */
export function formSchema(requested: JsonObject): Schema<Record<string, unknown>> {
  const text = JSON.stringify(requested);
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const made = asStandard(
    'json-schema',
    (value) => {
      const issues = issuesOf(requested, value);
      return issues.length > 0 ? { issues } : { value };
    },
    () => requested,
  ) as Schema<Record<string, unknown>>;
  known.set(text, made);
  return made;
}

interface Issue {
  readonly message: string;
  readonly path?: readonly string[];
}

function issuesOf(form: JsonObject, value: unknown): readonly Issue[] {
  if (!isPlainObject(value)) return [{ message: 'The answer is not an object' }];
  const fields = isPlainObject(form['properties']) ? form['properties'] : {};
  const required: readonly unknown[] = Array.isArray(form['required']) ? form['required'] : [];
  return Object.entries(fields).flatMap(([name, field]) => {
    const given = value[name];
    if (given === undefined) return required.includes(name) ? [{ path: [name], message: 'is missing' }] : [];
    const expected = isPlainObject(field) ? problemOf(field, given) : undefined;
    return expected === undefined ? [] : [{ path: [name], message: expected }];
  });
}

function problemOf(field: Record<string, unknown>, value: unknown): string | undefined {
  const { type } = field;
  const choices = field['enum'];
  if (Array.isArray(choices) && !choices.includes(value)) return 'is none of the choices';
  if (type === 'integer') return Number.isInteger(value) ? undefined : 'must be an integer';
  if (type === 'array') return Array.isArray(value) ? undefined : 'must be a list';
  return typeof value === type ? undefined : `must be a ${String(type)}`;
}
