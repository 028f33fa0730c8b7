/** The forms of questions: what is taken fits both SDKs' clients, and what does not fit is refused with the remedy. */
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { specTypeSchemas } from '@modelcontextprotocol/client';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, it } from 'vitest';
import { z } from 'zod';
import { createCatalogue } from '../../src/shared/catalogue/catalogue.ts';
import { defineQuestion } from '../../src/shared/define/questions.ts';
import { reply } from '../../src/shared/define/reply.ts';
import { defineTool } from '../../src/shared/define/tool.ts';
import { isPlainObject } from '../../src/shared/json.ts';
import type { AskPort } from '../../src/shared/pipeline/ports.ts';
import { answer } from '../../src/shared/protocol/answer.ts';
import type { Schema } from '../../src/shared/schema/standard.ts';
import { fakePorts } from '../support/ports.ts';

/** A tool that asks with this form, and answers with what it was told. */
function asking(schema: Schema, port: AskPort, version?: string) {
  const tool = defineTool({
    name: 'ask',
    title: 'Ask',
    description: 'Asks.',
    input: z.object({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: async (_input, ctx) => reply.text(JSON.stringify(await ctx.ask('q', { message: 'Well?', schema }))),
  });
  const catalogue = createCatalogue({
    info: { name: 'x', title: 'X', version: '1' },
    instructions: 'X.',
    tools: [tool],
  });
  const ports = { ...fakePorts(catalogue), ask: port, ...(version !== undefined && { version }) };
  return { ports, asked: answer(catalogue, 'tools/call', { name: 'ask' }, ports) };
}

const client = new Set(['elicitation'] as const);

/** The question as a client gets it. */
async function shown(schema: Schema, version?: string): Promise<Record<string, unknown>> {
  const { asked } = asking(schema, { kind: 'rounds', client, answers: new Map() }, version);
  const outcome = await asked;
  if (outcome.kind !== 'questions') throw new TypeError(`Nothing was asked: ${JSON.stringify(outcome)}`);
  const params: unknown = outcome.questions[0]?.params;
  return isPlainObject(params) ? params : {};
}

const formOf = async (schema: Schema, version?: string): Promise<unknown> =>
  (await shown(schema, version))['requestedSchema'];
const fieldOf = async (field: z.ZodType, version?: string): Promise<unknown> =>
  ((await formOf(z.object({ f: field }), version)) as { properties: { f: unknown } }).properties.f;

describe('a form that clients can draw', () => {
  it.for([
    ['a text', z.string(), { type: 'string' }],
    ['a text with limits', z.string().min(1).max(9), { type: 'string', minLength: 1, maxLength: 9 }],
    ['an address of a mailbox', z.email(), { type: 'string', format: 'email' }],
    ['a URI', z.url(), { type: 'string', format: 'uri' }],
    ['a date', z.iso.date(), { type: 'string', format: 'date' }],
    ['a time', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['a number', z.number().min(0).max(1), { type: 'number', minimum: 0, maximum: 1 }],
    ['an integer', z.int().min(1).max(8), { type: 'integer', minimum: 1, maximum: 8 }],
    ['yes or no', z.boolean().default(true), { type: 'boolean', default: true }],
    ['a choice', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['a choice of literals', z.literal(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['a choice of one', z.literal('a'), { type: 'string', enum: ['a'] }],
    [
      'several choices',
      z.array(z.enum(['a', 'b'])).min(1),
      { type: 'array', minItems: 1, items: { type: 'string', enum: ['a', 'b'] } },
    ],
    ['several choices of one', z.array(z.literal('a')), { type: 'array', items: { type: 'string', enum: ['a'] } }],
    ['a field that may be left out', z.string().optional(), { type: 'string' }],
    ['a coerced number', z.coerce.number(), { type: 'number' }],
    [
      'a titled choice',
      z.string().meta({ oneOf: [{ const: 'a', title: 'A' }] }),
      { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
    ],
  ] as const)('%s', async ([, field, drawn], { expect }) => {
    const schema = z.object({ f: field });
    expect(defineQuestion({ message: 'Well?', schema }).schema).toBe(schema);
    const { pattern: _checkedByTheTool, ...form } = (await fieldOf(field)) as Record<string, unknown>;
    const { pattern: _none, ...wanted } = drawn as Record<string, unknown>;
    expect(form).toEqual(wanted);
    const request = { method: 'elicitation/create', params: await shown(schema) };
    expect(ElicitRequestSchema.safeParse(request).success).toBe(true);
    const v2 = specTypeSchemas.ElicitRequest['~standard'].validate(request);
    expect(v2.issues).toBeUndefined();
  });

  it('may be empty, and may be a Valibot object', async ({ expect }) => {
    expect(await formOf(z.object({}))).toEqual({ type: 'object', properties: {} });
    const schema = toStandardJsonSchema(v.object({ day: v.picklist(['fri', 'sat']) }));
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { day: { type: 'string', enum: ['fri', 'sat'] } },
      required: ['day'],
    });
  });
});

const FLAT = 'A form is flat: ask for the members of the object as fields of their own, or in a second question.';
const CHOICES = 'Choices are strings: use z.enum([…]), and turn the chosen one into the value in the tool.';
const LISTS = 'A list is one of choices: use z.array(z.enum([…])), or ask for a text and split it in the tool.';
const KINDS =
  'A field is a string, a number, an integer, a boolean, a choice of strings or a list of such choices: for one that may be left out use .optional(), not null or a union.';
const FORMAT = (format: string) =>
  `The format "${format}" is unknown to clients: use z.string(), and check the answer in the tool. Known formats: email, uri, date, date-time.`;

const DEFAULT = 'Its default has to be a value that the field can have.';
const LIMIT = (name: string) => `Its "${name}" has to be a finite number: leave it out where there is no such limit.`;

const REFUSED: readonly (readonly [string, z.ZodType, string])[] = [
  ['an object', z.object({ street: z.string() }), FLAT],
  ['a record', z.record(z.string(), z.string()), FLAT],
  ['a list of numbers', z.array(z.number()), LISTS],
  ['a list of texts', z.array(z.string()), LISTS],
  ['a list of objects', z.array(z.object({})), LISTS],
  ['a list of lists', z.array(z.array(z.enum(['a']))), LISTS],
  ['a tuple', z.tuple([z.string()]), LISTS],
  ['null or a text', z.string().nullable(), KINDS],
  ['a union', z.union([z.string(), z.number()]), KINDS],
  ['anything', z.any(), KINDS],
  ['null', z.null(), KINDS],
  ['a choice of numbers', z.literal([1, 2]), CHOICES],
  ['one number', z.literal(1), CHOICES],
  ['true alone', z.literal(true), CHOICES],
  ['a UUID', z.uuid(), FORMAT('uuid')],
  ['a duration', z.iso.duration(), FORMAT('duration')],
  ['an IP address', z.ipv4(), FORMAT('ipv4')],
  ['base64', z.base64(), FORMAT('base64')],
  ['a default of another type', z.string().meta({ default: 5 }), DEFAULT],
  ['a default that is no list', z.array(z.enum(['a'])).meta({ default: 'a' }), DEFAULT],
  ['a limit of no end', z.number().min(-Infinity), LIMIT('minimum')],
  ['a limit that is no number', z.array(z.enum(['a'])).meta({ minItems: 'x' }), LIMIT('minItems')],
  ['a title that is no text', z.string().meta({ title: 5 as never }), 'Its "title" has to be a text.'],
  [
    'a description that is no text',
    z.string().meta({ description: 5 as never }),
    'Its "description" has to be a text.',
  ],
];

describe('a form that no client can draw', () => {
  it.for(REFUSED)('is refused when its question is defined: %s', ([, field, remedy], { expect }) => {
    expect(() => defineQuestion({ message: 'Well?', schema: z.object({ f: field }) })).toThrow(
      `The question "Well?" has a form with the field "f", which no client can draw. ${remedy}`,
    );
    // Not one of them would get through a client of SDK v1, or it would be shown as something else.
    const drawable = ['one number', 'a choice of numbers', 'true alone'];
    const request = {
      method: 'elicitation/create',
      // As JSON carries it: it has no number without an end.
      params: {
        message: 'Well?',
        requestedSchema: JSON.parse(JSON.stringify(z.toJSONSchema(z.object({ f: field })))) as unknown,
      },
    };
    const [what] = REFUSED.find(([, each]) => each === field) ?? ['none'];
    expect(ElicitRequestSchema.safeParse(request).success).toBe(drawable.includes(what));
  });

  it.for([
    ['a list at its root', z.array(z.string()), /has a form schema that is not a plain object at its root/],
    [
      'a record at its root',
      z.record(z.string(), z.string()),
      /has a form with fields that have no names\. Name each field/,
    ],
    [
      'a date that JSON cannot carry',
      z.object({ f: z.date() }),
      /has a form schema that has no JSON Schema .* a date is a string/,
    ],
  ] as const)('is refused as well with %s', ([, schema, text], { expect }) => {
    expect(() => defineQuestion({ message: 'Well?', schema })).toThrow(text);
  });

  it.for([
    ['where the client is asked at once', { kind: 'push', client, push: () => Promise.resolve({ action: 'cancel' }) }],
    ['where the call is made again', { kind: 'rounds', client, answers: new Map() }],
    ['where nobody can be asked', { kind: 'none', otherwiseAt: '/legacy/mcp' }],
  ] as const satisfies [string, AskPort][])(
    'fails the call if it was not defined before, and tells the operator why: %s',
    async ([, port], { expect }) => {
      const { ports, asked } = asking(z.object({ where: z.object({ street: z.string() }) }), port);
      expect(await asked).toEqual({
        kind: 'result',
        verdict: 'tool_failed',
        result: {
          content: [{ type: 'text', text: `The tool "ask" failed. The cause was reported to the server's operator.` }],
          isError: true,
        },
      });
      expect(ports.reports.map(({ fault, cause }) => [fault, String(cause)])).toEqual([
        [
          'tool_failed',
          `CatalogueError: The tool "ask" has a "q" question with the field "where", which no client can draw. ${FLAT}`,
        ],
      ]);
    },
  );
});

describe('a form for a client of an older version', () => {
  const schema = z.object({
    tags: z.array(z.enum(['red', 'blue', 'green'])).describe('Which colours?'),
    size: z.string().meta({ oneOf: [{ const: 's', title: 'Small' }] }),
    note: z.string().optional(),
  });

  it('has a text in place of a list of choices, and old names in place of titles', async ({ expect }) => {
    expect(await formOf(schema, '2025-06-18')).toEqual({
      type: 'object',
      properties: {
        tags: {
          type: 'string',
          description: 'Which colours? Any of: red, blue, green. Divide several by commas.',
        },
        size: { type: 'string', enum: ['s'], enumNames: ['Small'] },
        note: { type: 'string' },
      },
      required: ['tags', 'size'],
    });
    expect(await formOf(schema, '2025-11-25')).toEqual(await formOf(schema));
  });

  it.for([
    ['red, green', '["red","green"]'],
    ['', '[]'],
    [['blue'], '["blue"]'],
  ] as const)('takes %j as the list', async ([tags, list], { expect }) => {
    const push = () => Promise.resolve({ action: 'accept', content: { tags, size: 's' } });
    const { asked } = asking(schema, { kind: 'push', client, push }, '2025-06-18');
    const text = `{"action":"accept","content":{"tags":${list},"size":"s"}}`;
    expect(await asked).toEqual({ kind: 'result', verdict: 'ok', result: { content: [{ type: 'text', text }] } });
  });

  it('still checks the answer', async ({ expect }) => {
    const push = () => Promise.resolve({ action: 'accept', content: { tags: 'red, pink', size: 's' } });
    const { asked } = asking(schema, { kind: 'push', client, push }, '2025-06-18');
    expect(JSON.stringify(await asked)).toContain(
      'The answer to the question \\"q\\" of the tool \\"ask\\" is not valid',
    );
  });
});
