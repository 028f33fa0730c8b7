/** Makes a Standard Schema of a validator and its JSON Schema, for what a registration gives in another form. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Schema } from '../shared/schema/standard.ts';

export type Target = 'draft-2020-12' | 'draft-07';

/** Reads schemas of Zod 3, which a Worker has only if it imports this from `hybrid-mcp/port/zod3`. */
export interface ZodThree {
  /** @param shape Fields that are all schemas of Zod 3. */
  object(shape: Readonly<Record<string, unknown>>): Schema;
  /** @param schema A schema of Zod 3. */
  schema(schema: unknown): Schema;
}

/** @param convert Gives the JSON Schema of one direction. */
export function asStandard(
  vendor: string,
  validate: StandardSchemaV1.Props['validate'],
  convert: (direction: 'input' | 'output', target: Target) => object,
): Schema {
  const side =
    (direction: 'input' | 'output') =>
    ({ target }: { readonly target: string }): Record<string, unknown> => ({
      ...convert(direction, target === 'draft-07' ? 'draft-07' : 'draft-2020-12'),
    });
  return {
    '~standard': { version: 1, vendor, validate, jsonSchema: { input: side('input'), output: side('output') } },
  };
}
