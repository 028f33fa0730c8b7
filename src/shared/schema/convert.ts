/**
 * Turns a schema into the JSON Schema that every lane lists, and refuses what cannot mean the same on every lane.
 * Runs when a catalogue is built, never in a request.
 */
import { CatalogueError, type DefinitionKind } from '../catalogue/error.ts';
import { isPlainObject, type JsonObject } from '../json.ts';
import { otherZod, otherZodWithin, type OtherZod } from './other-zod.ts';
import type { Schema } from './standard.ts';

/** The dialect that the 2026-07-28 protocol lists by default; legacy clients that validate accept it too. */
export const JSON_SCHEMA_DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Whose schema it is, for the error text. */
export interface Place {
  readonly kind: DefinitionKind;
  readonly name: string;
  /** Which schema of the definition, for the error text: `input`, `output`, `argument`, `state`. */
  readonly part: string;
}

/**
 * The schema's JSON Schema, dialect 2020-12, with an object at its root.
 * @throws CatalogueError when the schema cannot be listed the same way on every lane.
 */
export function toObjectJsonSchema(schema: unknown, direction: 'input' | 'output', place: Place): JsonObject {
  const refuse = (problem: string, remedy: string, cause?: unknown): never => {
    const article = /^[aeiou]/.test(place.part) ? 'an' : 'a';
    const text = `has ${article} ${place.part} schema that ${problem}`;
    throw new CatalogueError(place.kind, place.name, text, remedy, { cause });
  };
  const convert = converterOf(schema, direction, refuse);
  let json: Record<string, unknown>;
  try {
    json = convert({ target: 'draft-2020-12' });
  } catch (cause) {
    const other = otherZodWithin(schema as object);
    if (other !== undefined) return refuse(`has a part made by ${other}`, REMEDY[other], cause);
    const why = cause instanceof Error ? cause.message : String(cause);
    return refuse(
      `has no JSON Schema (${why})`,
      'Use types that JSON can carry: a date is a string, a bigint is a string.',
      cause,
    );
  }
  if (json['type'] !== 'object' || 'anyOf' in json || 'oneOf' in json || 'allOf' in json) {
    refuse(
      'is not a plain object at its root',
      'The lanes list a union, array or primitive root differently: wrap it in an object, for example { value: … }.',
    );
  }
  const file = findKey(json, 'contentEncoding', (value) => value === 'binary');
  if (file !== undefined) {
    refuse(
      `takes a file at ${file}, and JSON carries none`,
      'Take the content as text, for example z.base64(), or the URL of the file.',
    );
  }
  const header = findKey(json, 'x-mcp-header');
  if (header !== undefined) {
    refuse(
      `declares x-mcp-header at ${header}`,
      'Only 2026-07-28 servers enforce it, so calls would fail on one lane alone: remove the key.',
    );
  }
  // `$schema` first and `type` second on every lane and for every library, so that listings read the same.
  const { $schema: _dialect, type: _type, ...rest } = json;
  return { $schema: JSON_SCHEMA_DIALECT, type: 'object', ...rest };
}

const REMEDY: Readonly<Record<OtherZod, string>> = {
  'Zod 3': 'Import from "zod" at version 4.2 or later; "zod/v3" has no JSON Schema.',
  'zod/mini': 'Import from "zod"; "zod/mini" cannot say its JSON Schema.',
};

type Refuse = (problem: string, remedy: string, cause?: unknown) => never;
type Convert = Schema['~standard']['jsonSchema']['input'];

function converterOf(schema: unknown, direction: 'input' | 'output', refuse: Refuse): Convert {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) {
    return refuse('is not a schema', 'Pass a Zod object, or a Valibot object through toStandardJsonSchema.');
  }
  const other = otherZod(schema);
  if (other !== undefined) return refuse(`was made by ${other}`, REMEDY[other]);
  const standard = (schema as Partial<Schema>)['~standard'];
  if (standard === undefined) {
    return refuse(
      'is a bare shape or no Standard Schema',
      'Wrap the shape: z.object({ … }). Any library that implements standardschema.dev with JSON Schema works.',
    );
  }
  const converter = (standard as Partial<Schema['~standard']>).jsonSchema?.[direction];
  if (converter === undefined) {
    const remedy =
      standard.vendor === 'valibot'
        ? 'Wrap it: toStandardJsonSchema(schema) from "@valibot/to-json-schema".'
        : 'Use zod 4.2 or later, or the JSON Schema adapter of your schema library.';
    return refuse(`cannot say its JSON Schema (vendor "${standard.vendor}")`, remedy);
  }
  return converter;
}

/** Keywords whose members are named by the author, and keywords that hold data: `key` there is no keyword. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const DATA = new Set(['default', 'const', 'enum', 'examples']);

/**
 * The path of the first schema that has `key` as a keyword, with a value that passes, or undefined. JSON Schema is a tree,
 * so this ends.
 */
function findKey(
  node: unknown,
  key: string,
  passes: (value: unknown) => boolean = () => true,
  path = 'the root',
): string | undefined {
  const firstOf = (members: readonly (readonly [string, unknown])[]): string | undefined => {
    for (const [name, child] of members) {
      const found = findKey(child, key, passes, path === 'the root' ? name : `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  if (Array.isArray(node)) return firstOf(node.map((child, index) => [String(index), child]));
  if (!isPlainObject(node)) return undefined;
  if (Object.hasOwn(node, key) && passes(node[key])) return path;
  for (const [keyword, value] of Object.entries(node)) {
    if (DATA.has(keyword)) continue;
    const members = NAMED.has(keyword) && isPlainObject(value) ? Object.entries(value) : [[keyword, value] as const];
    const found = firstOf(members);
    if (found !== undefined) return found;
  }
  return undefined;
}
