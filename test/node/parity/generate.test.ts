/** Inputs from JSON Schemas: valid when they say so, edges often, the same for a seed, enough of them, never endless. */
import { describe, it } from 'vitest';
import { z } from 'zod';
import { hintsIn, hintsOfSurface } from '../../../cli/parity/generate/hints.ts';
import { Knowledge } from '../../../cli/parity/generate/knowledge.ts';
import { inputsOf, probesOf, seedFor, type Input } from '../../../cli/parity/generate/inputs.ts';
import type { Schema } from '../../../cli/parity/generate/schema.ts';
import { compileSchema } from '../../../cli/parity/validate.ts';
import { deskCatalogue } from '../../../examples/desk/catalogue.ts';
import { isPlainObject, type Json } from '../../../src/shared/json.ts';

function made(schema: Schema, count = 300, seed = 1, hints: readonly string[] = []) {
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw new Error(compiled.why);
  const isValid = (value: Json): boolean => compiled.validate(value) === undefined;
  return { result: inputsOf(schema, isValid, { seed, count, hints }), isValid };
}
function inputs(schema: Schema, count = 300, seed = 1, hints: readonly string[] = []): readonly Input[] {
  const { result, isValid } = made(schema, count, seed, hints);
  if (!result.ok) throw new Error(result.why);
  const wrong = result.inputs.filter(({ kind, value }) => kind === 'valid' && !isValid(value));
  if (wrong.length > 0) throw new Error(`called valid: ${JSON.stringify(wrong[0]?.value)}`);
  return result.inputs;
}
const object = (properties: Record<string, unknown>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});
const valuesOf = (schema: unknown, kind: Input['kind'] = 'valid'): Json[] =>
  inputs(object({ x: schema })).flatMap((each) =>
    each.kind === kind && isPlainObject(each.value) && 'x' in each.value ? [each.value['x']] : [],
  );

const NODE = {
  type: 'object',
  properties: {
    value: { type: 'integer' },
    next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
    kids: { type: 'array', items: { $ref: '#/$defs/node' } },
  },
  required: ['value', 'next'],
};
const ZOD = z.toJSONSchema(
  z.object({
    pair: z.tuple([z.number(), z.string()]),
    kind: z.discriminatedUnion('type', [
      z.object({ type: z.literal('a'), n: z.int().min(1).max(9) }),
      z.object({ type: z.literal('b'), s: z.email() }),
    ]),
    when: z.iso.datetime().optional(),
    map: z.record(z.string(), z.boolean()),
  }),
);

describe('three hundred inputs', () => {
  it.for([
    ['numbers', object({ a: { type: 'number' }, b: { type: 'integer', minimum: 1, maximum: 10 } })],
    ['no arguments at all', { type: 'object', properties: {} }],
    [
      'a closed object',
      object(
        { q: { type: 'string', minLength: 1, maxLength: 5 }, e: { enum: ['a', 1, null] } },
        { additionalProperties: false },
      ),
    ],
    ['a recursion', object({ node: { $ref: '#/$defs/node' } }, { $defs: { node: NODE } })],
    [
      'tuples',
      object({
        t: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }], items: false, minItems: 2 },
      }),
    ],
    [
      'a draft-07 tuple',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        ...object({ t: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], minItems: 2 } }),
      },
    ],
    [
      'allOf',
      object({
        x: {
          allOf: [
            { type: 'number', minimum: 0 },
            { maximum: 5, multipleOf: 0.5 },
          ],
        },
      }),
    ],
    [
      'oneOf',
      object({ x: { oneOf: [object({ k: { const: 'a' } }), object({ k: { const: 'b' }, z: { type: 'null' } })] } }),
    ],
    [
      'if and then',
      JSON.parse(
        '{"type":"object","properties":{"k":{"enum":["a","b"]}},"required":["k"],"if":{"properties":{"k":{"const":"a"}}},"then":{"properties":{"n":{"type":"number"}},"required":["n"]}}',
      ) as Schema,
    ],
    ['a pattern', object({ p: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' } })],
    [
      'unique items',
      object({ u: { type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 2, maxItems: 5 } }),
    ],
    [
      'pattern properties',
      object({
        m: { type: 'object', patternProperties: { '^x-[a-z]+$': { type: 'boolean' } }, additionalProperties: false },
      }),
    ],
    ['what Zod 4 says', ZOD as Schema],
  ] as const)('come from %s, distinct, half of them valid', ([, schema], { expect }) => {
    const list = inputs(schema);
    expect(list.length).toBe(300);
    expect(new Set(list.map(({ value }) => JSON.stringify(value))).size).toBe(300);
    const count = (kind: Input['kind']): number => list.filter((each) => each.kind === kind).length;
    expect(count('hostile')).toBeGreaterThan(15);
    expect(count('valid') + count('near-valid')).toBeGreaterThan(150);
    expect(count('valid')).toBeGreaterThan(0);
  });

  it('come from every tool of the shipped catalogue', ({ expect }) => {
    expect(deskCatalogue.listed.tools.length).toBeGreaterThan(0);
    for (const { name, inputSchema } of deskCatalogue.listed.tools)
      expect([name, inputs(inputSchema as Schema).length]).toEqual([name, 300]);
  });

  it.for([
    'date-time',
    'date',
    'time',
    'duration',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'uri',
    'uuid',
    'json-pointer',
    'regex',
  ])('are valid for the format %s', (format, { expect }) => {
    expect(valuesOf({ type: 'string', format }).length).toBeGreaterThan(50);
  });
});

describe('generated values', () => {
  it('hit both edges of a limit and just miss them', ({ expect }) => {
    const schema = { type: 'integer', minimum: 3, maximum: 80 };
    const valid = new Set(valuesOf(schema));
    expect([valid.has(3), valid.has(80)]).toEqual([true, true]);
    const near = new Set(valuesOf(schema, 'near-valid'));
    expect([near.has(2), near.has(81)]).toEqual([true, true]);
  });

  it('hold each bound and each member of an enumeration, however few there are', ({ expect }) => {
    const schema = object({
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      kind: { enum: ['docs', 'blog', 'api'] },
    });
    for (let seed = 1; seed <= 20; seed += 1) {
      const valid = inputs(schema, 20, seed).flatMap(({ kind, value }) => (kind === 'valid' ? [value] : []));
      const of = (key: string): unknown[] => valid.map((value) => (isPlainObject(value) ? value[key] : undefined));
      expect(of('limit')).toEqual(expect.arrayContaining([1, 100]));
      expect(of('kind')).toEqual(expect.arrayContaining(['docs', 'blog', 'api']));
    }
  });

  it('come from defaults, examples and what descriptions name', ({ expect }) => {
    const values = valuesOf({
      type: 'string',
      default: 'plain',
      examples: ['from-example'],
      description: 'An id such as p-007.',
    });
    for (const each of ['plain', 'from-example', 'p-007']) expect(values).toContain(each);
  });

  it('are the same for a seed and others for another', ({ expect }) => {
    const schema = object({ a: { type: 'number' }, s: { type: 'string' } });
    expect(inputs(schema, 50, 7)).toEqual(inputs(schema, 50, 7));
    expect(inputs(schema, 50, 7)).not.toEqual(inputs(schema, 50, 8));
    expect(seedFor(1, 'a')).not.toBe(seedFor(1, 'b'));
  });

  it('hold refusals even when there are few of them', ({ expect }) => {
    const schema = object({ a: { type: 'number' }, b: { type: 'number' } });
    for (let seed = 0; seed < 8; seed += 1) {
      const list = inputs(schema, 10, seed);
      expect(list.filter(({ kind }) => kind === 'near-valid').map(({ value }) => value)).toContainEqual({});
      expect(list.filter(({ kind }) => kind === 'near-valid').length).toBe(3);
    }
  });

  it('say why there are none', ({ expect }) => {
    const endless = object({ next: { $ref: '#' } });
    expect(made(endless).result).toEqual({ ok: false, why: 'the schema describes endless values only' });
    expect(made(object({ x: { enum: ['a'], type: 'string', not: { const: 'a' } } })).result.ok).toBe(false);
    expect(made(object({ x: false })).result).toEqual({ ok: false, why: 'nothing fits the schema false' });
  });
});

describe('values by what a name or a description says', () => {
  it.for<[number, string, unknown, RegExp]>([
    [40, 'startDate', undefined, /^\d{4}-\d\d-\d\d/],
    [40, 'when', 'In the form YYYY-MM-DD HH:mm:ss.', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/],
    [40, 'at', 'An ISO 8601 date-time.', /^\d{4}-\d\d-\d\d/],
    [40, 'cron', undefined, /^\S+ \S+ \S+ \S+ \S+$/],
    [40, 'expression', 'A cron line.', /^\S+ \S+ \S+ \S+ \S+$/],
    [40, 'backgroundColor', undefined, /^#[0-9a-f]{6}$|^rgb|^hsl|^red$|^teal$/],
    [5, 'file_path', undefined, /^[\w./-]+$/],
    [40, 'url', undefined, /^https?:\/\//],
    [40, 'uuid', undefined, /^[0-9a-f]{8}-[0-9a-f]{4}-/],
    [5, 'locale', undefined, /^[a-z]{2}(-[A-Z]{2})?$/],
    [3, 'email', undefined, /^[^@\s]+@example/],
    [5, 'timeZone', undefined, /^UTC$|^[A-Z][a-z]+\/[A-Z]/],
    [5, 'currency', undefined, /^[A-Z]{3}$/],
    [2, 'order', 'Either asc or desc.', /^(asc|desc)$/],
    [3, 'encoding', 'The encoding (hex/base64/utf8).', /^(hex|base64|utf8)$/],
    [12, 'id', 'Rooms from r-01 to r-12.', /^r-(0[1-9]|1[0-2])$/],
  ])('make at least %i of %s, "%s"', ([least, name, description, form], { expect }) => {
    const property = { type: 'string', minLength: 1, ...(description !== undefined && { description }) };
    const values = inputs(object({ [name]: property })).flatMap(({ kind, value }) =>
      kind === 'valid' && isPlainObject(value) ? [String(value[name])] : [],
    );
    // Among distinct inputs, and however few of these there are.
    expect(new Set(values.filter((value) => form.test(value))).size).toBeGreaterThanOrEqual(least);
    if (name === 'id') expect(values).toEqual(expect.arrayContaining(['r-01', 'r-07', 'r-12']));
  });
});

describe('what earlier answers taught', () => {
  const known = new Knowledge();
  known.saw({ structuredContent: { documents: [{ id: 'd-81c', title: 'One' }, { id: 'd-72f' }], total: 2 } });
  known.saw({ content: [{ type: 'text', text: '{"orders":{"o-99":{"state":"open"}}}' }] });
  known.saw({ content: [{ type: 'text', text: '[FILE] a.txt\n[DIR] sub\nOwner: ada' }] }, { path: '/srv/data' });

  it.for<[string, string, readonly (string | number)[]]>([
    ['documentId', 'get', ['d-81c', 'd-72f']],
    ['id', 'readDocument', ['d-81c', 'd-72f']],
    ['orderId', 'get', ['o-99']],
    ['path', 'read_file', ['/srv/data/a.txt']],
    ['path', 'list_directory', ['/srv/data/sub']],
    ['owner', 'get', ['ada']],
  ])('is given to %s of %s', ([property, tool, values], { expect }) => {
    expect(known.valuesFor(property, tool).slice(0, values.length)).toEqual(values);
  });

  it('is asked value by value, and what succeeded is varied', ({ expect }) => {
    const schema = object({ documentId: { type: 'string' }, depth: { type: 'integer', minimum: 1, maximum: 9 } });
    const compiled = compileSchema(schema);
    if (!compiled.ok) throw new Error(compiled.why);
    const isValid = (value: Json): boolean => compiled.validate(value) === undefined;
    const seeds = [{ documentId: 'only-here', depth: 2 }];
    const result = inputsOf(schema, isValid, { seed: 3, count: 60, ...known.drawOf('get', schema), seeds });
    if (!result.ok) throw new Error(result.why);
    const valid = result.inputs.flatMap(({ kind, value }) => (kind === 'valid' ? [JSON.stringify(value)] : []));
    expect(valid).toContain('{"documentId":"only-here","depth":2}');
    for (const id of ['d-81c', 'd-72f']) expect(valid.some((each) => each.includes(id))).toBe(true);
    expect(valid.filter((each) => each.includes('only-here')).length).toBeGreaterThan(5);
  });
});

describe('an id that two kinds of things have', () => {
  const schema = object(
    { id: { type: 'string', description: 'Id of the person: p- and three digits, from p-001 to p-008.' } },
    { required: ['id'] },
  );
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw new Error(compiled.why);
  const isValid = (value: Json): boolean => compiled.validate(value) === undefined;
  const documents = Array.from({ length: 40 }, (_each, at) => ({ id: `chapter-${at}` }));
  const isPerson = (value: Json): boolean => isPlainObject(value) && /^p-00[1-8]$/.test(String(value['id']));

  it('is tried as its own description says, too', ({ expect }) => {
    const known = new Knowledge();
    known.saw({ structuredContent: { documents } });
    const draw = { seed: 1, count: 5, ...known.drawOf('lookup', schema) };
    expect(probesOf(schema, isValid, draw, 0).filter(isPerson).length).toBeGreaterThanOrEqual(2);
    const made = inputsOf(schema, isValid, { ...draw, count: 20 });
    expect(made.ok && made.inputs.filter(({ value }) => isPerson(value)).length).toBeGreaterThanOrEqual(5);
  });

  it('that a tool has refused comes after one that it has not', ({ expect }) => {
    const known = new Knowledge();
    known.saw({ structuredContent: { documents } });
    for (const { id } of documents.slice(0, 30)) known.failed('read', { id });
    known.succeeded('read', { id: 'chapter-35' });
    expect(known.valuesFor('id', 'read').slice(0, 3)).toEqual(['chapter-35', 'chapter-30', 'chapter-31']);
    expect(known.valuesFor('id', 'another').slice(0, 2)).toEqual(['chapter-0', 'chapter-1']);
  });
});

describe('hints', () => {
  it('are ids, quoted texts, examples and URLs', ({ expect }) => {
    expect(hintsIn('From p-001 to p-008, for example session ids; see "the guide" or https://example.com/a.')).toEqual(
      expect.arrayContaining(['p-001', 'p-008', 'session ids', 'the guide', 'https://example.com/a']),
    );
    expect(hintsOfSurface({ resources: [{ uri: 'docs://desk/session-ids' }] })).toEqual([
      'session-ids',
      'docs://desk/session-ids',
    ]);
  });
});

describe('a listed schema', () => {
  it('that is none is a value with a reason', ({ expect }) => {
    expect(compileSchema({ type: 'objekt' })).toMatchObject({ ok: false, why: expect.stringContaining('data/type') });
    expect(compileSchema({ $ref: '#/$defs/nowhere' })).toMatchObject({
      ok: false,
      why: expect.stringContaining('nowhere'),
    });
    expect(compileSchema(undefined)).toMatchObject({ ok: false });
  });
});
