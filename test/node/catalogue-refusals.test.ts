/** What a tool's schemas may not be: each refusal names the tool and the remedy. One deviation a test. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { refusal, statefulTool, tool } from '../support/valid-definition.ts';

const input = (schema: unknown): string => refusal({ tools: [tool({ input: schema })] });
const output = (schema: unknown): string => refusal({ tools: [tool({ output: schema })] });

describe('schemas of tools', () => {
  it('the valid definition is built', ({ expect }) => {
    expect(refusal({})).toBe('built: look, count');
  });

  it.for([
    ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a discriminated union', z.discriminatedUnion('op', [z.object({ op: z.literal('add') })])],
    ['a string', z.string()],
    ['an array', z.array(z.string())],
    ['a tuple', z.tuple([z.string()])],
    ['anything', z.unknown()],
    ['a nullable object', z.object({}).nullable()],
  ] as const)('an input that is %s at its root is refused', ([, schema], { expect }) => {
    expect(input(schema)).toBe(
      'The tool "look" has an input schema that is not a plain object at its root. The lanes list a union, array or primitive root differently: wrap it in an object, for example { value: … }.',
    );
  });

  it.for([
    ['an array', z.array(z.string())],
    ['a number', z.number()],
    ['a loose union', z.union([z.object({}), z.string()])],
  ] as const)('an output that is %s at its root is refused', ([, schema], { expect }) => {
    expect(output(schema)).toBe(
      'The tool "look" has an output schema that is not a plain object at its root. The lanes list a union, array or primitive root differently: wrap it in an object, for example { value: … }.',
    );
  });

  it('a Zod 3 object is refused', ({ expect }) => {
    expect(input(z3.object({ at: z3.string() }))).toBe(
      'The tool "look" has an input schema that was made by Zod 3. Import from "zod" at version 4.2 or later; "zod/v3" has no JSON Schema.',
    );
  });

  it('a schema of zod/mini is refused', ({ expect }) => {
    expect(input(mini.object({ at: mini.string() }))).toBe(
      'The tool "look" has an input schema that was made by zod/mini. Import from "zod"; "zod/mini" cannot say its JSON Schema.',
    );
  });

  it.for([
    ['a member', (part: unknown) => ({ at: part })],
    ['a member of a member', (part: unknown) => ({ at: z.object({ deep: part as z.ZodType }) })],
    ['a list', (part: unknown) => ({ at: z.array(part as z.ZodType) })],
    ['what may be left out', (part: unknown) => ({ at: z.optional(part as z.ZodType) })],
    ['a choice', (part: unknown) => ({ at: z.union([z.string(), part as z.ZodType]) })],
  ] as const)('a part of another Zod is named as such: %s', ([, shape], { expect }) => {
    const schema = (part: unknown) => z.object(shape(part));
    expect(input(schema(z3.string()))).toBe(
      'The tool "look" has an input schema that has a part made by Zod 3. Import from "zod" at version 4.2 or later; "zod/v3" has no JSON Schema.',
    );
    expect(input(schema(mini.string()))).toBe(
      'The tool "look" has an input schema that has a part made by zod/mini. Import from "zod"; "zod/mini" cannot say its JSON Schema.',
    );
  });

  it.for([
    ['at', z.object({ at: z.file() })],
    ['at', z.object({ at: z.file().mime('image/png').optional() })],
    ['at.items', z.object({ at: z.array(z.file()) })],
    ['at.anyOf.1', z.object({ at: z.union([z.string(), z.file()]) })],
    ['at.additionalProperties', z.object({ at: z.record(z.string(), z.file()) })],
  ] as const)('a file is refused, which JSON carries none of: %s', ([at, schema], { expect }) => {
    const rest = `takes a file at ${at}, and JSON carries none. Take the content as text, for example z.base64(), or the URL of the file.`;
    expect(input(schema)).toBe(`The tool "look" has an input schema that ${rest}`);
    expect(output(schema)).toBe(`The tool "look" has an output schema that ${rest}`);
  });

  it('base64 text is fine', ({ expect }) => {
    expect(input(z.object({ at: z.base64() }))).toBe('built: look');
  });

  it('a bare shape is refused', ({ expect }) => {
    expect(input({ at: z.string() })).toBe(
      'The tool "look" has an input schema that is a bare shape or no Standard Schema. Wrap the shape: z.object({ … }). Any library that implements standardschema.dev with JSON Schema works.',
    );
  });

  it('a bare shape of Zod 3 is refused', ({ expect }) => {
    expect(input({ at: z3.string() })).toBe(
      'The tool "look" has an input schema that is a bare shape or no Standard Schema. Wrap the shape: z.object({ … }). Any library that implements standardschema.dev with JSON Schema works.',
    );
  });

  it('no schema at all is refused', ({ expect }) => {
    expect(input(undefined)).toBe(
      'The tool "look" has an input schema that is not a schema. Pass a Zod object, or a Valibot object through toStandardJsonSchema.',
    );
  });

  it('a Valibot schema without its adapter is refused', ({ expect }) => {
    expect(input(v.object({ at: v.string() }))).toBe(
      'The tool "look" has an input schema that cannot say its JSON Schema (vendor "valibot"). Wrap it: toStandardJsonSchema(schema) from "@valibot/to-json-schema".',
    );
  });

  it('a schema of a Zod that cannot say its JSON Schema is refused', ({ expect }) => {
    const schema = z.object({ at: z.string().describe('Where') });
    const { jsonSchema: _missing, ...standard } = schema['~standard'];
    expect(input({ _zod: schema._zod, _def: schema.def, '~standard': standard })).toBe(
      'The tool "look" has an input schema that cannot say its JSON Schema (vendor "zod"). Use zod 4.2 or later, or the JSON Schema adapter of your schema library.',
    );
  });

  it.for([
    ['a date', z.object({ at: z.date() }), 'Date cannot be represented in JSON Schema'],
    ['a bigint', z.object({ at: z.bigint() }), 'BigInt cannot be represented in JSON Schema'],
    ['a map', z.object({ at: z.map(z.string(), z.string()) }), 'Map cannot be represented in JSON Schema'],
    ['a symbol', z.object({ at: z.symbol() }), 'Symbols cannot be represented in JSON Schema'],
    [
      'a date of Valibot',
      toStandardJsonSchema(v.object({ at: v.date() })),
      'The "date" schema cannot be converted to JSON Schema.',
    ],
  ] as const)('%s in the input is refused', ([, schema, why], { expect }) => {
    expect(input(schema)).toBe(
      `The tool "look" has an input schema that has no JSON Schema (${why}). Use types that JSON can carry: a date is a string, a bigint is a string.`,
    );
  });

  it('a transform in the output is refused, because nothing says what it gives', ({ expect }) => {
    expect(output(z.object({ at: z.string().transform(Number) }))).toBe(
      'The tool "look" has an output schema that has no JSON Schema (Transforms cannot be represented in JSON Schema). Use types that JSON can carry: a date is a string, a bigint is a string.',
    );
  });

  it('a transform in the input is fine: the listing says what it takes', ({ expect }) => {
    expect(input(z.object({ at: z.string().transform(Number) }))).toBe('built: look');
  });

  it('x-mcp-header is refused, however deep', ({ expect }) => {
    expect(input(z.object({ where: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) }))).toBe(
      'The tool "look" has an input schema that declares x-mcp-header at where.region. Only 2026-07-28 servers enforce it, so calls would fail on one lane alone: remove the key.',
    );
  });

  it('x-mcp-header in an array member is refused', ({ expect }) => {
    expect(input(z.object({ at: z.tuple([z.string().meta({ 'x-mcp-header': 'At' })]) }))).toBe(
      'The tool "look" has an input schema that declares x-mcp-header at at.prefixItems.0. Only 2026-07-28 servers enforce it, so calls would fail on one lane alone: remove the key.',
    );
  });

  it('a property that is only called x-mcp-header is fine', ({ expect }) => {
    expect(input(z.object({ 'x-mcp-header': z.string() }))).toBe('built: look');
  });

  it('a default that JSON cannot carry is refused', ({ expect }) => {
    expect(input(toStandardJsonSchema(v.object({ at: v.optional(v.any(), 1n) })))).toBe(
      'The tool "look" cannot be listed, because JSON cannot carry it. Use plain JSON values in _meta, icons, annotations and schema defaults.',
    );
  });

  it('a handle of its own is refused in a stateful tool', ({ expect }) => {
    expect(refusal({ tools: [statefulTool({ input: z.object({ handle: z.string() }) })] })).toBe(
      'The tool "count" has a "handle" of its own. The catalogue gives it one: rename yours, or say handle: false in its state.',
    );
    expect(refusal({ tools: [statefulTool({ output: z.object({ handle: z.string() }) })] })).toBe(
      'The tool "count" has a "handle" of its own. The catalogue gives it one: rename yours, or say handle: false in its state.',
    );
  });

  it('a disabled tool is checked as well', ({ expect }) => {
    expect(refusal({ tools: [tool({ input: z.string(), enabled: false })] })).toContain('is not a plain object');
  });
});
