/** How many valid inputs a tool has, where its schema names each of them. Pure. */
import { isPlainObject } from '../../../src/shared/json.ts';

/** From here on counting helps nobody. */
const MANY = 1_000;

/** Undefined where there are many. Properties that the schema does not name are not counted. */
export function countInputs(schema: unknown): number | undefined {
  const count = inputs(schema);
  return count !== undefined && count <= MANY ? count : undefined;
}

function inputs(schema: unknown): number | undefined {
  if (!isPlainObject(schema)) return undefined;
  if (['$ref', 'anyOf', 'oneOf', 'allOf', 'if', 'not', 'patternProperties'].some((key) => key in schema))
    return undefined;
  if (isPlainObject(schema['additionalProperties'])) return undefined;
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const properties = isPlainObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  let product = 1;
  for (const [name, property] of properties) {
    const values = valuesOf(property);
    if (values === undefined) return undefined;
    product *= required.has(name) ? values : values + 1;
  }
  return product;
}

function valuesOf(schema: unknown): number | undefined {
  if (!isPlainObject(schema)) return undefined;
  if ('const' in schema) return 1;
  if (Array.isArray(schema['enum'])) return schema['enum'].length;
  if (schema['type'] === 'boolean') return 2;
  return schema['type'] === 'null' ? 1 : undefined;
}
