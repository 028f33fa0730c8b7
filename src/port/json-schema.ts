/** Plain JSON Schema as a schema that a registration takes. */
import { fromJSONSchema } from 'zod';
import type { JsonObject } from '../shared/json.ts';
import type { Schema } from '../shared/schema/standard.ts';
import { asStandard } from './standard.ts';

/**
 * Makes a schema of plain JSON Schema. It is listed as it is written, and checks what it can say in Zod.
 *
 * @example
 * ```ts
 * const inputSchema = fromJsonSchema<{ text: string }>({
 *   type: 'object',
 *   properties: { text: { type: 'string' } },
 *   required: ['text'],
 * });
 * const tools = registrations((server) =>
 *   server.registerTool('echo', { inputSchema }, ({ text }) => ({ content: [{ type: 'text', text }] })),
 * );
 * ```
 */
export function fromJsonSchema<T = Record<string, unknown>>(schema: JsonObject): Schema<T, T> {
  const validator = fromJSONSchema(schema);
  return asStandard('json-schema', validator['~standard'].validate, () => schema) as Schema<T, T>;
}
