/**
 * Reads the schemas of a registration, in every form that the two SDKs take: a raw shape of Zod 4 or Zod 3 schemas, a Zod
 * object, or any Standard Schema that can say its JSON Schema. What the catalogue cannot list is refused here, which is
 * at the registration's own line.
 */
import { object, toJSONSchema, type ZodType } from 'zod';
import { CatalogueError, type DefinitionKind } from '../shared/catalogue/error.ts';
import { isPlainObject, type JsonObject } from '../shared/json.ts';
import { toObjectJsonSchema } from '../shared/schema/convert.ts';
import type { Schema } from '../shared/schema/standard.ts';
import { asStandard, type ZodThree } from './standard.ts';

/** A schema as a registration gives it, read. */
export interface ReadSchema {
  readonly schema: Schema;
  /** As it is listed. Converted when it is first asked for. */
  readonly json: () => JsonObject;
  /** The fields of an object by name, each as it was given. */
  readonly shape: Readonly<Record<string, unknown>>;
}

/** Whose schema it is, for the text of a refusal. */
export interface SchemaPlace {
  readonly kind: DefinitionKind;
  readonly name: string;
  readonly part: 'input' | 'output' | 'argument';
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isZodFour = (value: unknown): boolean => isObject(value) && '_zod' in value;
const isZodThree = (value: unknown): boolean =>
  isObject(value) && !('_zod' in value) && '_def' in value && typeof value['safeParse'] === 'function';

/** A plain object of schemas, as SDK v1 tells it from annotations: an empty one counts. */
export const isRawShape = (value: unknown): value is Record<string, unknown> =>
  isPlainObject(value) &&
  !('~standard' in value) &&
  !isZodFour(value) &&
  !isZodThree(value) &&
  (Object.keys(value).length === 0 || Object.values(value).some((each) => isZodFour(each) || isZodThree(each)));

/** @throws CatalogueError naming the definition and the remedy. */
export function readSchema(given: unknown, place: SchemaPlace, zodThree: ZodThree | undefined): ReadSchema {
  const schema = standardOf(given, place, zodThree);
  const direction = place.part === 'output' ? 'output' : 'input';
  let json: JsonObject | undefined;
  return {
    schema,
    json: () => (json ??= toObjectJsonSchema(schema, direction, place)),
    shape: isRawShape(given) ? given : shapeOf(given),
  };
}

function standardOf(given: unknown, place: SchemaPlace, zodThree: ZodThree | undefined): Schema {
  const refuse = (problem: string, remedy: string): never => {
    throw new CatalogueError(place.kind, place.name, `has an ${place.part} schema that ${problem}`, remedy);
  };
  const ofThree = (): ZodThree =>
    zodThree ??
    refuse(
      'was made by Zod 3',
      'Pass { zod3 } from "hybrid-mcp/port/zod3" as an option of registrations(), or import from "zod" at version 4.2 or later.',
    );
  if (isRawShape(given)) {
    const fields = Object.entries(given);
    const strange = fields.find(([, field]) => !isZodFour(field) && !isZodThree(field));
    if (strange !== undefined) {
      refuse(
        `has the field "${strange[0]}", which is no Zod schema`,
        'Give each field a schema, as in { a: z.number() }.',
      );
    }
    if (fields.every(([, field]) => isZodFour(field))) return fromZodFour(object(given as Record<string, ZodType>));
    if (fields.every(([, field]) => isZodThree(field))) return ofThree().object(given);
    return refuse('mixes fields of Zod 3 and Zod 4', 'Make all fields with one of the two.');
  }
  if (isZodFour(given)) return fromZodFour(given as ZodType);
  if (isZodThree(given)) return ofThree().schema(given);
  if (isPlainObject(given) && !('~standard' in given)) {
    return refuse(
      'is plain JSON Schema',
      'Wrap it: fromJsonSchema(schema) from "hybrid-mcp/port" or "@modelcontextprotocol/server".',
    );
  }
  return given as Schema;
}

/** Also for zod/mini, whose schemas cannot say their JSON Schema by themselves. */
const fromZodFour = (schema: ZodType): Schema =>
  asStandard('zod', schema['~standard'].validate, (io, target) => toJSONSchema(schema, { target, io }));

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(schema)) return {};
  const four = schema['_zod'];
  const given = isObject(four) && isObject(four['def']) ? four['def']['shape'] : schema['shape'];
  const shape: unknown = typeof given === 'function' ? (given as () => unknown)() : given;
  return isObject(shape) ? shape : {};
}
