/** What an error says: never more than a bounded part of what was sent; and what its cause was, to the operator. */
import { describe, it } from 'vitest';
import { z } from 'zod';
import { createCatalogue } from '../../src/shared/catalogue/catalogue.ts';
import { definePrompt } from '../../src/shared/define/prompt.ts';
import { reply } from '../../src/shared/define/reply.ts';
import { defineTool } from '../../src/shared/define/tool.ts';
import { answer, type CatalogueMethod } from '../../src/shared/protocol/answer.ts';
import { fakePorts } from '../support/ports.ts';
import { resource, statefulTool, template } from '../support/valid-definition.ts';

const base = { title: 'X', description: 'X.' };
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const thrower = z.string().transform((text): string => {
  if (text === 'fine') return text;
  throw new RangeError(`no such port: ${text}`);
});

const catalogue = createCatalogue({
  info: { name: 'x', title: 'X', version: '1' },
  instructions: 'X.',
  tools: [
    defineTool({
      ...base,
      name: 'strict',
      annotations,
      input: z.strictObject({ at: z.record(z.string(), z.number()).optional() }),
      run: () => reply.text('done'),
    }),
    defineTool({
      ...base,
      name: 'throws',
      annotations,
      input: z.object({ at: thrower }),
      run: () => reply.text('done'),
    }),
    defineTool({
      ...base,
      name: 'throwsAfter',
      annotations,
      input: z.object({}),
      output: z.object({ at: thrower.pipe(z.string()) }),
      run: () => reply.structured({ at: 'x' }),
    }),
    defineTool({
      ...base,
      name: 'asks',
      annotations,
      input: z.object({}),
      run: async (_input, ctx) => {
        await ctx.ask('q', { message: 'Well?', schema: z.object({ at: thrower }) });
        return reply.text('done');
      },
    }),
    statefulTool({ input: z.object({ at: thrower }) }),
  ],
  prompts: [definePrompt({ ...base, name: 'throws', args: z.object({ at: thrower }), messages: () => [] })],
  resources: [resource()],
  templates: [template()],
});

function ask(method: CatalogueMethod, params: unknown) {
  const ports = fakePorts(catalogue);
  const push = () => Promise.resolve({ action: 'accept', content: { at: 'x' } });
  const port = { kind: 'push', client: new Set(['elicitation'] as const), push } as const;
  return { ports, answered: answer(catalogue, method, params, { ...ports, ask: port }) };
}

const LONG = 'y'.repeat(3_000_000);

describe('an error about a name of 3 MB', () => {
  const ROWS: readonly (readonly [string, CatalogueMethod, unknown, string])[] = [
    ['a tool', 'tools/call', { name: LONG }, 'Unknown tool: yyy'],
    ['a prompt', 'prompts/get', { name: LONG }, 'Unknown prompt: yyy'],
    ['a member', 'tools/call', { name: 'strict', arguments: { [LONG]: 1 } }, 'Unrecognized key: \\"yyy'],
    ['a key', 'tools/call', { name: 'strict', arguments: { at: { [LONG]: 'x' } } }, 'at.yyy'],
    ['a URI', 'resources/read', { uri: `test://items/${LONG}` }, '\\"uri\\" is longer than 8192 characters'],
    ['no URI', 'resources/read', { uri: LONG }, '\\"uri\\" is longer than 8192 characters'],
    ['to subscribe', 'resources/subscribe', { uri: `test://${LONG}` }, '\\"uri\\" is longer than 8192 characters'],
    ['a handle', 'tools/call', { name: 'count', arguments: { at: 'fine', handle: LONG } }, 'names no state'],
    [
      'a prompt to complete',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: LONG }, argument: { name: 'a', value: '' } },
      'Unknown prompt: yyy',
    ],
    [
      'a template to complete',
      'completion/complete',
      { ref: { type: 'ref/resource', uri: LONG }, argument: { name: 'a', value: '' } },
      'Unknown resource template: yyy',
    ],
  ];
  it.for(ROWS)('is short: %s', async ([, method, params, text], { expect }) => {
    const answered = JSON.stringify(await ask(method, params).answered);
    expect(answered).toContain(text);
    expect(answered.length).toBeLessThan(5_000);
  });

  it('quotes a name that a catalogue can have whole', async ({ expect }) => {
    const name = 'y'.repeat(128);
    expect(await ask('tools/call', { name }).answered).toMatchObject({
      kind: 'error',
      error: { code: -32602, message: `Unknown tool: ${name}` },
    });
  });

  it('does not cut a character in half', async ({ expect }) => {
    const { answered } = ask('tools/call', { name: `y${'🙂'.repeat(1000)}` });
    expect(JSON.stringify(await answered)).toMatch(/^[^\\]*"Unknown tool: y🙂+\ufffd?…"/u);
  });
});

describe('a transform that throws', () => {
  const ROWS: readonly (readonly [string, CatalogueMethod, Record<string, unknown>, string, string])[] = [
    ['of a tool', 'tools/call', { name: 'throws', arguments: { at: 'x' } }, 'invalid_arguments', 'Invalid arguments'],
    [
      'of a stateful tool',
      'tools/call',
      { name: 'count', arguments: { at: 'x' } },
      'invalid_arguments',
      'Invalid arguments',
    ],
    [
      'of a prompt',
      'prompts/get',
      { name: 'throws', arguments: { at: 'x' } },
      'invalid_arguments',
      'Invalid arguments',
    ],
    [
      'of an answer',
      'tools/call',
      { name: 'asks' },
      'invalid_answer',
      'is not valid: The value could not be validated',
    ],
  ];
  it.for(ROWS)('%s tells the operator why, and nobody else', async ([, method, params, fault, text], { expect }) => {
    const { ports, answered } = ask(method, params);
    const sent = JSON.stringify(await answered);
    expect(sent).toContain(text);
    expect(sent).not.toContain('no such port');
    expect(ports.reports.map((report) => [report.fault, report.tool, String(report.cause)])).toEqual([
      [fault, params['name'], 'RangeError: no such port: x'],
    ]);
  });

  it('of an output schema is the cause of the fault', async ({ expect }) => {
    const { ports, answered } = ask('tools/call', { name: 'throwsAfter' });
    expect(JSON.stringify(await answered)).toContain('gave a result that cannot be sent');
    expect(ports.reports.map(({ fault, cause }) => [fault, String((cause as Error).cause)])).toEqual([
      ['invalid_result', 'RangeError: no such port: x'],
    ]);
  });

  it('is not reported where the arguments are only wrong', async ({ expect }) => {
    const { ports, answered } = ask('tools/call', { name: 'throws', arguments: {} });
    expect(JSON.stringify(await answered)).toContain('Invalid arguments');
    expect(ports.reports).toEqual([]);
  });
});
