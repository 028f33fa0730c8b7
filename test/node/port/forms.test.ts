/** The forms in which a registration says things: overloads, schemas, handles; and what it cannot say. */
import { describe, it } from 'vitest';
import * as v from 'valibot';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { registrations, type Recorder, type RegistrationContext } from '../../../src/port/index.ts';
import { createCatalogue, type Catalogue } from '../../../src/shared/catalogue/catalogue.ts';
import { callerOf, subjectIn } from '../../../src/shared/caller.ts';
import type { Registrations } from '../../../src/shared/define/registrations.ts';
import type { Report } from '../../../src/shared/pipeline/report.ts';
import { zod3 } from '../../../src/port/zod3.ts';
import { asked } from '../../support/port/ask.ts';
import { compiled, ofHelper, ofNeither, ofVersionTwo } from '../../support/port/call-sites.ts';

const info = { name: 'forms', title: 'Forms', version: '1.0.0' };
const of = (...all: readonly Registrations[]): Catalogue =>
  createCatalogue({ info, instructions: '', tools: [], registrations: all });
const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: String(value) }] });

interface ListedTool {
  readonly name: string;
  readonly [member: string]: unknown;
}
const toolsOf = async (catalogue: Catalogue): Promise<readonly ListedTool[]> =>
  ((await asked(catalogue, 'tools/list')) as { tools: ListedTool[] }).tools;
const call = (catalogue: Catalogue, name: string, args?: object): Promise<unknown> =>
  asked(catalogue, 'tools/call', { name, ...(args !== undefined && { arguments: args }) });

/** The first error of a registration, with the line of the stack that is the registration's own. */
async function refusalOf(register: (server: Recorder, context: RegistrationContext) => unknown, options = {}) {
  try {
    await registrations(register, options).entriesFor(callerOf(undefined, { subjectOf: subjectIn('sub') }));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { message: error.message, isHere: error.stack?.includes('forms.test.ts') === true };
  }
  return undefined;
}

describe('a registration', () => {
  it('says a tool in every overload of SDK v1', async ({ expect }) => {
    const tools = await toolsOf(of(ofHelper));
    const brief = tools.map(({ name, description, annotations, inputSchema }) => ({
      name,
      description,
      annotations,
      fields: Object.keys((inputSchema as { properties: object }).properties),
    }));
    expect(brief).toEqual([
      { name: 'ping', description: undefined, annotations: undefined, fields: [] },
      { name: 'described', description: 'Says so.', annotations: undefined, fields: [] },
      { name: 'shaped', description: undefined, annotations: undefined, fields: ['a', 'b'] },
      { name: 'hinted', description: undefined, annotations: { readOnlyHint: true }, fields: [] },
      { name: 'both', description: 'Both.', annotations: { title: 'Both', readOnlyHint: true }, fields: ['a'] },
      { name: 'bare', description: undefined, annotations: { destructiveHint: false }, fields: ['a'] },
      { name: 'hinted-text', description: 'Hinted.', annotations: { idempotentHint: true }, fields: [] },
      { name: 'env', description: 'https://api.example.com', annotations: undefined, fields: [] },
    ]);
    expect(await call(of(ofHelper), 'shaped', { a: 1 })).toEqual(text('1 - false'));
    expect(await call(of(ofHelper), 'both', { a: 4 })).toEqual(text('4'));
    expect(await call(of(ofHelper), 'ping')).toEqual(text('pong'));
  });

  it('says a tool of SDK v2 with Zod, Valibot and JSON Schema', async ({ expect }) => {
    const catalogue = of(ofVersionTwo);
    expect((await toolsOf(catalogue)).map(({ name, inputSchema }) => [name, inputSchema])).toEqual(
      ['zod', 'valibot', 'json'].map((name) => [
        name,
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: { a: { type: 'number' } },
          required: ['a'],
        },
      ]),
    );
    expect(await call(catalogue, 'valibot', { a: 2 })).toEqual({ ...text('4'), structuredContent: { twice: 4 } });
    expect(await call(catalogue, 'json', { a: 2 })).toEqual(text('2'));
    expect(await call(catalogue, 'json', { a: 'x' })).toMatchObject({ isError: true });
  });

  it('says a tool with schemas of Zod 3, whole and as a shape', async ({ expect }) => {
    const catalogue = of(
      registrations(
        (server) => {
          server.registerTool('three', { inputSchema: { a: z3.number() } }, ({ a }) => text(a));
          server.registerTool('whole', { inputSchema: z3.object({ a: z3.string().optional() }) }, ({ a }) => text(a));
          server.registerTool('pair', { inputSchema: { at: z3.tuple([z3.number(), z3.number()]) } }, ({ at }) =>
            text(at),
          );
        },
        { zod3 },
      ),
    );
    const [three, whole, pair] = await toolsOf(catalogue);
    expect(three?.['inputSchema']).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    });
    expect(whole?.['inputSchema']).toMatchObject({ type: 'object' });
    expect(whole?.['inputSchema']).not.toHaveProperty('required');
    expect((pair?.['inputSchema'] as { properties: object } | undefined)?.properties).toEqual({
      at: {
        type: 'array',
        minItems: 2,
        maxItems: 2,
        prefixItems: [{ type: 'number' }, { type: 'number' }],
        items: false,
      },
    });
    expect(await call(catalogue, 'three', { a: 3 })).toEqual(text('3'));
    expect(await call(catalogue, 'three', { a: 'x' })).toMatchObject({ isError: true });
    expect((await toolsOf(of(ofNeither))).map(({ name }) => name)).toEqual(['three', 'whole', 'four', 'two', 'wrong']);
  });

  it('is typed as its server is, and its context', ({ expect }) => {
    expect(compiled.length).toBe(6);
  });

  it('says a tool with zod/mini', async ({ expect }) => {
    const catalogue = of(
      registrations((server) => {
        server.registerTool('mini', { inputSchema: { a: mini.optional(mini.number()) } }, ({ a }) => text(a));
      }),
    );
    expect((await toolsOf(catalogue))[0]?.['inputSchema']).toMatchObject({ properties: { a: { type: 'number' } } });
    expect(await call(catalogue, 'mini', {})).toEqual(text('undefined'));
  });

  it('changes what it has registered by its handles', async ({ expect }) => {
    const catalogue = of(
      registrations((server) => {
        const kept = server.tool('kept', () => text('old'));
        kept.update({
          description: 'New.',
          paramsSchema: { a: z.number() },
          callback: () => text('new'),
          name: 'renamed',
        });
        server.tool('gone', () => text('gone')).remove();
        server.tool('off', () => text('off')).disable();
        const back = server.tool('back', () => text('back'));
        back.disable();
        back.enable();
        server.resource('file', 'file:///a', () => ({ contents: [] })).update({ uri: 'file:///b' });
        server.prompt('hush', () => ({ messages: [] })).disable();
      }),
    );
    expect((await toolsOf(catalogue)).map(({ name, description }) => [name, description])).toEqual([
      ['renamed', 'New.'],
      ['back', undefined],
    ]);
    expect(await call(catalogue, 'renamed', { a: 1 })).toEqual(text('new'));
    expect(await call(catalogue, 'off')).toEqual({ code: -32602, message: 'Unknown tool: off' });
    expect(await asked(catalogue, 'resources/list')).toEqual({ resources: [{ uri: 'file:///b', name: 'file' }] });
    expect(await asked(catalogue, 'prompts/get', { name: 'hush' })).toEqual({
      code: -32602,
      message: 'Unknown prompt: hush',
    });
  });

  it.for([
    [
      'a date',
      (server: Recorder) => server.tool('t', { at: z.date() }, () => text(1)),
      /tool "t" has an input schema that has no JSON Schema/,
    ],
    [
      'a union at the root',
      (server: Recorder) =>
        server.registerTool('t', { inputSchema: z.union([z.object({}), z.string()]) }, () => text(1)),
      /is not a plain object at its root.*wrap it in an object/,
    ],
    [
      'Zod 3 without its reader',
      (server: Recorder) => server.tool('t', { a: z3.number() }, () => text(1)),
      /made by Zod 3\. Pass \{ zod3 \} from "hybrid-mcp\/port\/zod3"/,
    ],
    [
      'both Zods at once',
      (server: Recorder) => server.tool('t', { a: z3.number(), b: z.number() }, () => text(1)),
      /mixes fields of Zod 3 and Zod 4/,
    ],
    [
      'Valibot without its converter',
      (server: Recorder) => server.registerTool('t', { inputSchema: v.object({}) }, () => text(1)),
      /toStandardJsonSchema/,
    ],
    [
      'plain JSON Schema',
      (server: Recorder) => server.registerTool('t', { inputSchema: { type: 'object' } as never }, () => text(1)),
      /is plain JSON Schema\. Wrap it: fromJsonSchema/,
    ],
    [
      'a nested object in place of a shape',
      (server: Recorder) => server.tool('t', { a: { type: 'number' } } as never, () => text(1)),
      /neither a shape of schemas nor annotations/,
    ],
    [
      'a name twice',
      (server: Recorder) => (server.tool('t', () => text(1)), server.tool('t', () => text(1))),
      /"t" is already registered/,
    ],
    ['no handler', (server: Recorder) => server.tool('t', undefined as never), /"t" has no handler/],
    [
      'a task',
      (server: Recorder) => server.registerTool('t', { execution: {} } as never, () => text(1)),
      /has the key "execution"/,
    ],
    [
      'a request handler of its own',
      (server: Recorder) => (server.server as unknown as { setRequestHandler(): void }).setRequestHandler(),
      /server\.server\.setRequestHandler is not carried/,
    ],
    [
      'tasks',
      (server: Recorder) => (server as unknown as { experimental: unknown }).experimental,
      /server\.experimental is not carried/,
    ],
    [
      'a connection',
      (server: Recorder) => (server as unknown as { connect(): void }).connect(),
      /server\.connect is not carried/,
    ],
    ['a question to nobody', (server: Recorder) => server.server.elicitInput({}), /outside of a handler/],
    [
      'a URI that is none',
      (server: Recorder) => server.resource('r', 'readme', () => ({ contents: [] })),
      /"readme", which is none/,
    ],
  ] as const)('is refused at its own line for %s', async ([, register, message], { expect }) => {
    const refusal = await refusalOf(register);
    expect(refusal?.message).toMatch(message);
    expect(refusal?.isHere).toBe(true);
  });

  it.for([
    [
      'what no catalogue carries',
      (server: Recorder) => (server.server as unknown as { oninitialized(): void }).oninitialized(),
    ],
    ['a question to nobody', (server: Recorder) => server.server.elicitInput({})],
    ['a date', (server: Recorder) => server.tool('t', { at: z.date() }, () => text(1))],
  ] as const)(
    'that uses %s is a fault of the server, and no refusal of its caller',
    async ([, register], { expect }) => {
      const reports: Report[] = [];
      expect(await asked(of(registrations(register)), 'tools/list', {}, { reports })).toEqual({
        code: -32603,
        message: 'The server could not answer tools/list. The cause was reported to its operator.',
      });
      expect(reports.map(({ fault }) => fault)).toEqual(['internal']);
    },
  );

  it('is refused if it registers or changes something in a handler', async ({ expect }) => {
    const reports: Report[] = [];
    const catalogue = of(
      registrations((server) => {
        const handle = server.tool('first', () => {
          handle.disable();
          return text('never');
        });
        server.tool('second', () => {
          server.tool('third', () => text('never'));
          return text('never');
        });
        server.tool('fourth', () => {
          server.sendToolListChanged();
          return text('never');
        });
      }),
    );
    for (const name of ['first', 'second', 'fourth']) await asked(catalogue, 'tools/call', { name }, { reports });
    expect(reports.map(({ cause }) => String(cause).split('. ')[0])).toEqual([
      'CatalogueError: The tool "first" was changed after the registration had ended',
      'CatalogueError: The tool "third" was registered after the registration had ended',
      'RegistrationError: A list cannot change in a handler: no lane could tell every client',
    ]);
  });

  it('cannot have the name of a definition, or of another registration', async ({ expect }) => {
    const reports: Report[] = [];
    const one = (): Registrations => registrations((server) => server.tool('same', () => text(1)));
    const answer = await asked(of(one(), one()), 'tools/list', {}, { reports });
    expect(answer).toEqual({
      code: -32603,
      message: 'The server could not answer tools/list. The cause was reported to its operator.',
    });
    expect(String(reports[0]?.cause)).toContain('The tool "same" is in the catalogue twice');
  });
});
