/**
 * The package `hybrid-mcp/port/zod3`: lets `registrations()` read schemas of Zod 3, as SDK v1 reads them. Import it only if
 * a registration has such schemas: it brings Zod 3 and its converter into the bundle.
 */
import { z, type ZodTypeAny } from 'zod/v3';
import { zodToJsonSchema } from 'zod-to-json-schema';
import { asStandard, type ZodThree } from './standard.ts';

/**
 * Reads schemas of Zod 3.
 *
 * @example
 * ```ts
 * const tools = registrations((server: Recorder) => server.tool('ping', () => ({ content: [] })), { zod3 });
 * ```
 */
export const zod3: ZodThree = {
  object: (shape) => zod3.schema(z.object(shape as Record<string, ZodTypeAny>)),
  schema: (given) => {
    const schema = given as ZodTypeAny;
    return asStandard('zod', schema['~standard'].validate, (direction) =>
      withoutTupleItems(
        zodToJsonSchema(schema, { strictUnions: true, pipeStrategy: direction, target: 'jsonSchema7' }),
      ),
    );
  },
};

/** The converter writes draft-07; what it writes differs from 2020-12 in the form of a tuple only. */
function withoutTupleItems(node: unknown): Record<string, unknown> {
  return moved(node) as Record<string, unknown>;
}

function moved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(moved);
  if (typeof node !== 'object' || node === null) return node;
  const members: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === 'default' || key === 'const' ? value : moved(value)]),
  );
  if (!Array.isArray(members['items'])) return members;
  const { items: prefixItems, additionalItems = false, ...rest } = members;
  return { ...rest, prefixItems, items: additionalItems };
}
