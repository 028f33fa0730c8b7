/** What a change of a listing is worth: breaking, non-breaking or informational. */
import { describe, it } from 'vitest';
import { brokenPromises } from '../../../src/parity/own-listing.ts';
import { compareSurface } from '../../../src/parity/surface/compare-surface.ts';
import type { Surface } from '../../../src/parity/surface/listing.ts';
import { schemaChanges } from '../../../src/parity/surface/schema-change.ts';
import type { JsonObject } from '../../../src/shared/json.ts';

const surface = (over: Partial<Surface> = {}): Surface => ({
  instructions: 'Use it.',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  ...over,
});
const tool = (over: JsonObject = {}): JsonObject => ({
  name: 't',
  description: 'd',
  inputSchema: { type: 'object' },
  ...over,
});
const found = (left: Partial<Surface>, right: Partial<Surface>): string[] =>
  compareSurface(surface(left), surface(right)).map((each) => `${each.class} ${each.where} ${each.path}`.trim());
const tools = (left: JsonObject, right: JsonObject): string[] => found({ tools: [left] }, { tools: [right] });

describe('a bound that no whole number of JSON reaches', () => {
  const bounded = (over: JsonObject): JsonObject => ({ type: 'integer', ...over });
  const classes = (left: JsonObject, right: JsonObject): string[] =>
    schemaChanges(left, right, 'input', 'x').map((each) => each.class);

  it('is none, and one that is reached is', ({ expect }) => {
    const endless = { maximum: 9007199254740991, minimum: -9007199254740991 };
    expect(classes(bounded({}), bounded(endless))).toEqual(['informational', 'informational']);
    expect(classes(bounded(endless), bounded({}))).toEqual(['informational', 'informational']);
    expect(classes(bounded({}), bounded({ maximum: 9007199254740990 }))).toEqual(['breaking']);
    expect(classes(bounded({ maximum: 5 }), bounded({ maximum: 9007199254740991 }))).toEqual(['non-breaking']);
  });
});

describe('two surfaces', () => {
  it('that are the same have no change', ({ expect }) => {
    expect(
      found({ tools: [tool()] }, { tools: [{ inputSchema: { type: 'object' }, description: 'd', name: 't' }] }),
    ).toEqual([]);
  });

  it('are told apart by tools, their order and the server', ({ expect }) => {
    const [a, b] = [tool({ name: 'a' }), tool({ name: 'b' })];
    expect(found({ tools: [a] }, { tools: [] })).toEqual(['breaking tool a']);
    expect(found({ tools: [a] }, { tools: [a, b] })).toEqual(['non-breaking tool b']);
    expect(found({ tools: [a, b] }, { tools: [b, a] })).toEqual(['non-breaking tools order']);
    expect(found({}, { instructions: 'Do not.' })).toEqual(['non-breaking server instructions']);
    expect(found({}, { capabilities: {} })).toEqual(['breaking server capabilities.tools']);
    expect(found({}, { serverInfo: { name: 's', version: '2' } })).toEqual(['informational server serverInfo.version']);
  });

  it('are told apart by what a definition says', ({ expect }) => {
    expect(tools(tool(), tool({ description: 'e' }))).toEqual(['non-breaking tool t description']);
    expect(tools(tool(), tool({ title: 'T' }))).toEqual(['informational tool t title']);
    expect(tools(tool({ annotations: { readOnlyHint: true } }), tool())).toEqual([
      'non-breaking tool t annotations.readOnlyHint',
    ]);
    expect(tools(tool({ annotations: { destructiveHint: true } }), tool())).toEqual([]);
    expect(tools(tool({ outputSchema: { type: 'object' } }), tool())).toEqual(['breaking tool t outputSchema']);
    expect(
      found({ prompts: [{ name: 'p', arguments: [] }] }, { prompts: [{ name: 'p', arguments: [{ name: 'x' }] }] }),
    ).toEqual(['breaking prompt p arguments']);
  });
});

describe('a schema that', () => {
  const object = (over: JsonObject): JsonObject => ({ type: 'object', ...over });
  const property = (left: JsonObject, right: JsonObject): [JsonObject, JsonObject] => [
    object({ properties: { x: left } }),
    object({ properties: { x: right } }),
  ];
  const classes = (left: JsonObject, right: JsonObject, direction: 'input' | 'output'): string[] =>
    schemaChanges(left, right, direction, 'schema').map((each) => each.class);

  it.for([
    ['has a new required property', object({ required: [] }), object({ required: ['x'] })],
    ['has a lower maximum', ...property({ maximum: 5 }, { maximum: 4 })],
    ['has a higher minimum', ...property({ minimum: 1 }, { minimum: 2 })],
    ['has a new limit', ...property({}, { maxLength: 5 })],
    ['lost an enum member', ...property({ enum: ['a', 'b'] }, { enum: ['a'] })],
    ['has a new pattern', ...property({ type: 'string' }, { type: 'string', pattern: '^a' })],
    ['has fewer types', ...property({ type: ['string', 'null'] }, { type: 'string' })],
    ['was closed', object({}), object({ additionalProperties: false })],
  ] as const)('%s breaks input and not output', ([, left, right], { expect }) => {
    expect(classes(left, right, 'input')).toEqual(['breaking']);
    expect(classes(left, right, 'output')).toEqual(['non-breaking']);
    expect(classes(right, left, 'input')).toEqual(['non-breaking']);
    expect(classes(right, left, 'output')).toEqual(['breaking']);
  });

  it('changed its type or its default breaks both ways', ({ expect }) => {
    expect(classes(...property({ type: 'string' }, { type: 'number' }), 'input')).toEqual(['breaking']);
    expect(classes(...property({ default: 1 }, { default: 2 }), 'input')).toEqual(['breaking']);
  });

  it('changed a text is read otherwise, and one that changed its dialect is not', ({ expect }) => {
    expect(classes(...property({ description: 'a' }, { description: 'b' }), 'input')).toEqual(['non-breaking']);
    expect(classes(object({ $schema: 'a' }), object({ $schema: 'b' }), 'input')).toEqual(['informational']);
  });
});

describe('a server against its own listing', () => {
  const promises = {
    input: (value: unknown) => (JSON.stringify(value) === '{"ok":true}' ? undefined : 'it is not ok'),
    output: (value: unknown) => (JSON.stringify(value) === '{"n":1}' ? undefined : 'n must be 1'),
  };
  const broken = async (args: JsonObject, result: JsonObject): Promise<string[]> =>
    (await brokenPromises(args, { kind: 'result', result }, promises)).map((each) => each.broken);

  it('keeps what it promises', async ({ expect }) => {
    expect(await broken({ ok: true }, { structuredContent: { n: 1 } })).toEqual([]);
    expect(
      await broken({ ok: false }, { isError: true, content: [{ type: 'text', text: 'Invalid arguments' }] }),
    ).toEqual([]);
  });

  it('is found out', async ({ expect }) => {
    expect(await broken({ ok: true }, { structuredContent: { n: 2 } })).toEqual(['output_schema']);
    expect(await broken({ ok: true }, { content: [] })).toEqual(['no_structured_content']);
    expect(await broken({ ok: false }, { structuredContent: { n: 1 } })).toEqual(['accepts_invalid']);
    expect(
      await broken({ ok: true }, { isError: true, content: [{ type: 'text', text: 'Invalid arguments' }] }),
    ).toEqual(['refuses_valid']);
  });
});
