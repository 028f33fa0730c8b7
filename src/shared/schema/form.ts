/**
 * The form of a question: a flat object of texts, numbers, yes or no, and choices, which is all that a client can draw
 * (spec 2025-11-25 and 2026-07-28, client/elicitation, "Requested Schema"). SDK v2's client throws at any other, and a
 * client of SDK v1 refuses it, so the tool could never go on.
 */
import { CatalogueError } from '../catalogue/error.ts';
import { isPlainObject, type JsonObject } from '../json.ts';
import { toObjectJsonSchema, type Place } from './convert.ts';

const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

type Field = Record<string, unknown>;

/**
 * The form as a client gets it.
 * @throws CatalogueError naming the field and the remedy.
 */
export function toForm(schema: unknown, place: Place): JsonObject {
  const { $schema: _dialect, additionalProperties: open, ...form } = toObjectJsonSchema(schema, 'input', place);
  const refuse = (problem: string, remedy: string): never => {
    throw new CatalogueError(place.kind, place.name, `has a ${place.part} ${problem}`, remedy);
  };
  if (form['properties'] === undefined && isPlainObject(open)) {
    refuse('with fields that have no names', 'Name each field: z.object({ … }) in place of a record.');
  }
  const fields = isPlainObject(form['properties']) ? form['properties'] : {};
  const drawn = Object.entries(fields).map(([name, field]) => {
    const known = isPlainObject(field) ? withConst(field) : {};
    const remedy = remedyFor(known) ?? remedyForWords(known);
    if (remedy !== undefined) refuse(`with the field "${name}", which no client can draw`, remedy);
    return [name, known] as const;
  });
  return { ...form, properties: Object.fromEntries(drawn) } as JsonObject;
}

/** A single value is a choice of one. */
function withConst({ const: only, ...field }: Field): Field {
  const items = isPlainObject(field['items']) ? { items: withConst(field['items']) } : {};
  return { ...field, ...items, ...(only !== undefined && { enum: [only] }) };
}

/** What to change in a field that is none of the protocol's; undefined for one that is. */
function remedyFor(field: Field): string | undefined {
  const { type, format, items } = field;
  switch (type) {
    case 'string':
      if (field['enum'] !== undefined && !areTexts(field['enum'])) return CHOICES;
      if (field['oneOf'] !== undefined && !areTitled(field['oneOf'])) return CHOICES;
      if (format !== undefined && !FORMATS.includes(format))
        return `The format ${JSON.stringify(format)} is unknown to clients: use z.string(), and check the answer in the tool. Known formats: ${FORMATS.join(', ')}.`;
      return undefined;
    case 'number':
    case 'integer':
      return field['enum'] === undefined ? undefined : CHOICES;
    case 'boolean':
      return field['enum'] === undefined ? undefined : CHOICES;
    case 'array':
      return isPlainObject(items) && (areTexts(items['enum']) || areTitled(items['anyOf'])) ? undefined : LISTS;
    case 'object':
      return 'A form is flat: ask for the members of the object as fields of their own, or in a second question.';
    default:
      return 'A field is a string, a number, an integer, a boolean, a choice of strings or a list of such choices: for one that may be left out use .optional(), not null or a union.';
  }
}

/** Both SDKs' clients refuse the whole question for a limit that JSON cannot write, or a word that is none. */
function remedyForWords(field: Field): string | undefined {
  const word = ['title', 'description'].find((name) => field[name] !== undefined && typeof field[name] !== 'string');
  if (word !== undefined) return `Its "${word}" has to be a text.`;
  const limit = LIMITS.find((name) => field[name] !== undefined && !Number.isFinite(field[name]));
  if (limit !== undefined)
    return `Its "${limit}" has to be a finite number: leave it out where there is no such limit.`;
  const { type, default: given } = field;
  const fits = type === 'array' ? areTexts(given) : typeof given === (type === 'integer' ? 'number' : type);
  return given === undefined || fits ? undefined : 'Its default has to be a value that the field can have.';
}

const LIMITS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'] as const;
const CHOICES = 'Choices are strings: use z.enum([…]), and turn the chosen one into the value in the tool.';
const LISTS = 'A list is one of choices: use z.array(z.enum([…])), or ask for a text and split it in the tool.';

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

const areTitled = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((each) => isPlainObject(each) && typeof each['const'] === 'string' && typeof each['title'] === 'string');
