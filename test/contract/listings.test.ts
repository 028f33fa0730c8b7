/** What each lane lists: literal entries, the same on every lane, and results that keep to what their own lane listed. */
import { Validator, type Schema } from '@cfworker/json-schema';
import { describe, it } from 'vitest';
import { LANE_NAMES, type LaneName } from '../support/wire.ts';
import { ask, initialize } from './fixture-lanes.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
type Entry = Record<string, unknown> & { name: string; inputSchema: Schema; outputSchema?: Schema };

const listOf = async (lane: LaneName): Promise<Entry[]> => {
  const { tools } = (await ask(lane, 'tools/list')) as { tools: Entry[] };
  return tools;
};
const entryOf = async (lane: LaneName, name: string): Promise<Entry | undefined> =>
  (await listOf(lane)).find((entry) => entry.name === name);

describe.each(LANE_NAMES)('tools/list on %s', (lane) => {
  it('a tuple, a shared definition, a default, icons and metadata are listed', async ({ expect }) => {
    const point = {
      type: 'object',
      properties: { x: { type: 'number' }, y: { type: 'number' } },
      required: ['x', 'y'],
    };
    expect(await entryOf(lane, 'shapes')).toEqual({
      name: 'shapes',
      title: 'Shapes',
      description: 'Takes a tuple, a shared definition and a default.',
      inputSchema: {
        $schema: DIALECT,
        type: 'object',
        properties: {
          pair: {
            type: 'array',
            prefixItems: [{ type: 'number' }, { type: 'string' }],
            items: false,
            minItems: 2,
            maxItems: 2,
            description: 'Two values',
          },
          from: { $ref: '#/$defs/Point' },
          to: { $ref: '#/$defs/Point' },
          times: { default: 2, description: 'How often', type: 'integer', minimum: 1, maximum: 9 },
        },
        required: ['pair'],
        $defs: { Point: point },
      },
      outputSchema: {
        $schema: DIALECT,
        type: 'object',
        properties: {
          text: { type: 'string' },
          times: { type: 'number' },
          extra: { default: 'none', type: 'string' },
        },
        required: ['text', 'times', 'extra'],
        additionalProperties: false,
      },
      annotations: { title: 'Shapes', ...reads },
      icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }],
      _meta: { 'example.com/kind': 'shape' },
    });
  });

  it('a Valibot schema is listed with its descriptions', async ({ expect }) => {
    expect(await entryOf(lane, 'valibot')).toEqual({
      name: 'valibot',
      title: 'Valibot',
      description: 'Has a Valibot schema.',
      inputSchema: {
        $schema: DIALECT,
        type: 'object',
        properties: { word: { type: 'string', minLength: 2, description: 'A word' } },
        required: ['word'],
      },
      annotations: { title: 'Valibot', ...reads },
    });
  });

  it('a recursive schema is listed with $defs', async ({ expect }) => {
    expect((await entryOf(lane, 'tree'))?.inputSchema).toEqual({
      $schema: DIALECT,
      type: 'object',
      properties: { root: { $ref: '#/$defs/__schema0' } },
      required: ['root'],
      $defs: {
        __schema0: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/__schema0' } },
          },
          required: ['name'],
        },
      },
    });
  });

  it('every schema says the one dialect and uses no word of an older one', async ({ expect }) => {
    const schemas = (await listOf(lane)).flatMap(({ inputSchema, outputSchema }) =>
      outputSchema === undefined ? [inputSchema] : [inputSchema, outputSchema],
    );
    expect(schemas.length).toBeGreaterThan(30);
    expect([...new Set(schemas.map((schema) => schema.$schema))]).toEqual([DIALECT]);
    const text = JSON.stringify(schemas);
    expect(text).not.toMatch(/"(definitions|additionalItems|dependencies)":/);
    expect(text).not.toMatch(/"items":\[/);
  });

  it('no entry has a key beside those of the catalogue', async ({ expect }) => {
    expect([...new Set((await listOf(lane)).flatMap((entry) => Object.keys(entry)))].sort()).toEqual([
      '_meta',
      'annotations',
      'description',
      'icons',
      'inputSchema',
      'name',
      'outputSchema',
      'title',
    ]);
  });

  it.for([
    ['shapes', { pair: [1, 'ab'] }],
    ['extra-output', {}],
    ['count', { by: 3 }],
    ['tree', { root: { name: 'a', foreign: 1, children: [{ name: 'b' }] } }],
  ] as const)('the result of %s keeps to the output schema that this lane lists', async ([name, args], { expect }) => {
    const schema = (await entryOf(lane, name))?.outputSchema;
    const result = (await ask(lane, 'tools/call', { name, arguments: args })) as { structuredContent: unknown };
    expect(schema).toBeDefined();
    expect(new Validator(schema ?? {}, '2020-12', false).validate(result.structuredContent).errors).toEqual([]);
  });
});

describe('lists of all lanes', () => {
  it.for([
    ['tools/list', 'tools'],
    ['prompts/list', 'prompts'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ] as const)('%s is the same text, to the order of keys', async ([method, key], { expect }) => {
    const [first = '', ...others] = await Promise.all(
      LANE_NAMES.map(async (lane) => JSON.stringify(((await ask(lane, method)) as Record<string, unknown>)[key])),
    );
    expect(first.length).toBeGreaterThan(100);
    expect(others).toEqual(LANE_NAMES.slice(1).map(() => first));
  });

  it.for(LANE_NAMES)('only modern puts the envelope of its protocol around a list: %s', async (lane, { expect }) => {
    const { tools: _tools, ...rest } = (await ask(lane, 'tools/list')) as Record<string, unknown>;
    const envelope = {
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: {
        'io.modelcontextprotocol/serverInfo': { name: 'fixture', title: 'Fixture', version: '1.0.0' },
      },
    };
    expect(rest).toEqual(lane === 'modern' ? envelope : {});
  });

  it.for<LaneName>(LANE_NAMES)('no lane declares that its lists change: %s', async (lane, { expect }) => {
    const capabilities = {
      tools: { listChanged: false },
      prompts: { listChanged: false },
      resources: { listChanged: false, subscribe: false },
      completions: {},
      logging: {},
    };
    if (lane === 'modern') expect(await ask(lane, 'server/discover')).toMatchObject({ capabilities });
    else {
      const declared = await initialize(lane === 'legacy' ? '/legacy/mcp' : '/mcp');
      expect(declared['capabilities']).toEqual(capabilities);
    }
  });
});
