/**
 * A form for a client of a version without lists of choices and titled choices (before 2025-11-25): a list becomes a text
 * that names the choices, and the answer is read back as a list. Pure.
 */
import { isPlainObject, type JsonObject } from '../json.ts';
import type { RawAnswer } from './ports.ts';

type Field = Readonly<Record<string, unknown>>;

export interface OlderForm {
  readonly form: JsonObject;
  /** The content of an answer as the newest version would have it. */
  readonly read: (content: RawAnswer) => RawAnswer;
}

export function olderForm(form: JsonObject): OlderForm {
  const fields = Object.entries(isPlainObject(form['properties']) ? form['properties'] : {}) as [string, Field][];
  const lists = new Set(fields.filter(([, { type }]) => type === 'array').map(([name]) => name));
  const properties = Object.fromEntries(
    fields.map(([name, field]) => [name, lists.has(name) ? asText(field) : asChoice(field)]),
  );
  return {
    form: { ...form, properties } as JsonObject,
    read: (content) =>
      Object.fromEntries(
        Object.entries(content).map(([name, value]) => [name, lists.has(name) ? asList(value) : value]),
      ),
  };
}

function asText({ title, description, items, default: chosen }: Field): Field {
  const { values } = choicesOf(isPlainObject(items) ? (items['enum'] ?? items['anyOf']) : undefined);
  const how = `Any of: ${values.join(', ')}. Divide several by commas.`;
  return {
    type: 'string',
    ...(title !== undefined && { title }),
    description: typeof description === 'string' ? `${description} ${how}` : how,
    ...(Array.isArray(chosen) && { default: chosen.join(', ') }),
  };
}

function asChoice({ oneOf, ...field }: Field): Field {
  if (oneOf === undefined) return field;
  const { values, titles } = choicesOf(oneOf);
  return { ...field, enum: values, enumNames: titles };
}

/** An answer that is a list already comes from a client that knows more than its version. */
const asList = (value: unknown): unknown =>
  typeof value !== 'string'
    ? value
    : value
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '');

function choicesOf(choices: unknown): { readonly values: readonly string[]; readonly titles: readonly string[] } {
  const all = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const value = (each: unknown): string => String(isPlainObject(each) ? each['const'] : each);
  const title = (each: unknown): string => String(isPlainObject(each) ? each['title'] : each);
  return { values: all.map(value), titles: all.map(title) };
}
