/** Work on schemas of strangers ends: in time, within its memory, and with a reason that names the schema. */
import { afterEach, describe, it } from 'vitest';
import { isPlain } from '../../../cli/parity/schemas/plain.ts';
import { SchemaWork, type SchemaPlace } from '../../../cli/parity/schemas/schema-work.ts';
import type { Surface } from '../../../src/parity/surface/listing.ts';
import type { JsonObject } from '../../../src/shared/json.ts';

const SURFACE: Surface = {
  instructions: undefined,
  capabilities: {},
  serverInfo: {},
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
};
const PLACE: SchemaPlace = { target: 'candidate', tool: 'echo', schema: 'outputSchema' };
/** Every level doubles the ways to read a value, so that twenty-five are thirty million. */
const DOUBLING: JsonObject = {
  type: 'object',
  $ref: '#/$defs/l0',
  $defs: Object.fromEntries(
    Array.from({ length: 26 }, (_each, level) => [
      `l${level}`,
      level === 25
        ? { required: ['never'] }
        : { anyOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
    ]),
  ),
};

let work: SchemaWork | undefined;
afterEach(() => work?.close());
const start = (): { costly: (readonly [SchemaPlace, string])[]; work: SchemaWork } => {
  const costly: (readonly [SchemaPlace, string])[] = [];
  const made = new SchemaWork((place, why) => costly.push([place, why]), {
    compileMs: 1_000,
    validateMs: 500,
    generateMs: 2_000,
  });
  work = made;
  return { costly, work: made };
};

// Starting a thread takes a while on a busy machine.
describe('a schema', { timeout: 20_000 }, () => {
  it.for([
    ['a record', { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] }, true],
    ['a union', { anyOf: [{ type: 'string', maxLength: 9 }, { type: 'null' }] }, true],
    ['a date', { type: 'string', format: 'date' }, true],
    ['a pattern', { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }, false],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }, false],
    ['itself', { $ref: '#' }, false],
    ['a huge text', { type: 'string', minLength: 2e9 }, false],
    ['members that must all differ', { type: 'array', uniqueItems: true }, false],
    ['a format that is a long expression', { type: 'string', format: 'email' }, false],
    ['what nobody knows', { type: 'string', 'x-check': true }, false],
  ] as const)('of %s is worked on here: %s', ([, schema, plain], { expect }) => {
    expect(isPlain(schema)).toBe(plain);
  });

  it('that is plain, and one that is not, are checked alike', async ({ expect }) => {
    const { work } = start();
    const plain = await work.compile(PLACE, { type: 'object', required: ['a'] });
    const other = await work.compile(PLACE, { type: 'object', required: ['a'], propertyNames: {} });
    expect([plain.ok, other.ok]).toEqual([true, true]);
    for (const each of [plain, other]) {
      if (!each.ok) continue;
      expect(await each.validate({ a: 1 })).toBeUndefined();
      expect(await each.validate({})).toBe("it must have required property 'a'");
    }
    expect(await work.compile(PLACE, { type: 'objekt' })).toMatchObject({ ok: false, cost: false });
  });

  it('with a pattern that backtracks is given up when its time is up, and told of once', async ({ expect }) => {
    const { costly, work } = start();
    const compiled = await work.compile(PLACE, { type: 'string', pattern: '^(a+)+$' });
    expect(compiled.ok).toBe(true);
    if (!compiled.ok) return;
    const value = `${'a'.repeat(40)}!`;
    expect(await compiled.validate(value)).toBeUndefined();
    expect(await compiled.validate(value)).toBeUndefined();
    expect(costly).toEqual([[PLACE, 'working on its schema took longer than 0.5 s']]);
    // The next schema gets a thread of its own.
    const next = await work.compile({ ...PLACE, tool: 'next' }, { type: 'string', pattern: '^a$' });
    expect(next.ok && (await next.validate('b'))).toBe('it must match pattern "^a$"');
  });

  it.for([
    ['branches that double', DOUBLING, /took longer than 1 s/],
    ['itself', { $ref: '#' }, /call stack/],
  ] as const)('with %s is given up before anything is asked', async ([, schema, why], { expect }) => {
    const { work } = start();
    expect(await work.compile(PLACE, schema)).toEqual({ ok: false, cost: true, why: expect.stringMatching(why) });
  });

  it.for([
    ['a pattern that backtracks', { properties: { a: { type: 'string', pattern: '^(a+)+$', minLength: 30 } } }],
    [
      'a text of two thousand million letters',
      { properties: { a: { type: 'string', minLength: 2e9 } }, required: ['a'] },
    ],
    ['branches that double', DOUBLING],
    ['itself', { $ref: '#' }],
  ] as const)('with %s makes inputs or says why not, in its time', async ([, schema], { expect }) => {
    const { work } = start();
    const startedAt = performance.now();
    const made = await work.generate({ name: 'echo', inputSchema: schema }, SURFACE, { seed: 1, count: 20 });
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    if (made.ok) expect(made.cases.length).toBeGreaterThan(0);
    else expect(made.why).toMatch(/took|memory|stack|call|endless|fits|Invalid|length/i);
    const fine = { name: 'fine', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } };
    expect(await work.generate(fine, SURFACE, { seed: 1, count: 20 })).toMatchObject({ ok: true });
  });
});
