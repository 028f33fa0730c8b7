/** What the parts of a catalogue may not be, as plain JavaScript may give them. One deviation from the valid definition a test. */
import { describe, it } from 'vitest';
import { z } from 'zod';
import { registrations } from 'hybrid-mcp/port';
import { createCatalogue, defineQuestion } from 'hybrid-mcp/define';
import { counter, refusal, statefulTool, tool } from '../support/valid-definition.ts';

const changed = (change: object): string => refusal(change);
const thrown = (make: () => unknown): string => {
  try {
    make();
    return 'made';
  } catch (error) {
    return String(error);
  }
};

describe('the parts of a catalogue', () => {
  it.for([undefined, null, [], 'tools'])('are not %j', (definition, { expect }) => {
    expect(thrown(() => createCatalogue(definition as never))).toBe(
      'CatalogueError: The catalogue "definition" is missing. Give an object with info, instructions and tools.',
    );
  });

  it.for([
    [
      { promts: [] },
      'definition',
      'has the key "promts". Known keys: info, instructions, tools, prompts, resources, templates, registrations, limits, scopesMissing.',
    ],
    [{ info: undefined }, 'info', 'is no object. Give the name, the title and the version of the server.'],
    [{ info: 'valid' }, 'info', 'is no object. Give the name, the title and the version of the server.'],
    [{ info: { name: 'valid', title: 'Valid' } }, 'info', 'has no version. Clients show it: write one.'],
    [{ info: { name: '', title: 'Valid', version: '1' } }, 'info', 'has no name. Clients show it: write one.'],
    [
      { info: { name: 'valid', title: 'Valid', version: '1', site: 'x' } },
      'info',
      'has the key "site". Known keys: name, title, version, websiteUrl, icons.',
    ],
    [{ instructions: undefined }, 'instructions', 'is no text. Give what a model reads first, or "".'],
    [{ tools: undefined }, 'tools', 'is no list. Give a list of what defineTool(…) or defineStatefulTool(…) makes.'],
    [
      { tools: { look: tool() } },
      'tools',
      'is no list. Give a list of what defineTool(…) or defineStatefulTool(…) makes.',
    ],
    [
      { tools: [tool(), () => tool()] },
      'tools',
      'has a member that is no definition, number 2. Give what defineTool(…) or defineStatefulTool(…) makes.',
    ],
    [{ prompts: [null] }, 'prompts', 'has a member that is no definition, number 1. Give what definePrompt(…) makes.'],
    [{ resources: 'all' }, 'resources', 'is no list. Give a list of what defineResource(…) makes.'],
    [
      { templates: [7] },
      'templates',
      'has a member that is no definition, number 1. Give what defineResourceTemplate(…) makes.',
    ],
    [
      { registrations: registrations(() => undefined) },
      'registrations',
      'is no list. Give a list of what registrations(…) of "hybrid-mcp/port" makes.',
    ],
    [
      { registrations: [() => undefined] },
      'registrations',
      'has a member that is no definition, number 1. Give what registrations(…) of "hybrid-mcp/port" makes.',
    ],
    [
      { registrations: [{}] },
      'registrations',
      'has a member that is none. Give registrations(register, { env }): the function alone does not say its environment.',
    ],
    [{ limits: 5 }, 'limits', 'is no object. Known limits: deadlineMs, maxResultBytes.'],
    [{ limits: { deadline: 5 } }, 'limits', 'has the key "deadline". Known keys: deadlineMs, maxResultBytes.'],
    [
      { limits: { deadlineMs: '5s' } },
      'limits',
      'has the deadline "5s", which is no number. Use a number of milliseconds from 1 to 2147483647.',
    ],
    [
      { limits: { maxResultBytes: '4 MB' } },
      'limits',
      'has a result size of 4 MB bytes. Use a number of bytes from 1.',
    ],
    [{ scopesMissing: 'shown' }, 'scopesMissing', 'is "shown". Use "challenge" or "hide", or leave it out.'],
  ] as const)('are refused as %j', ([change, part, text], { expect }) => {
    expect(changed(change)).toBe(`The catalogue "${part}" ${text}`);
  });

  it('registrations of what is no function are refused where they are made', ({ expect }) => {
    expect(thrown(() => registrations({} as never))).toBe(
      'CatalogueError: The catalogue "registrations" were given no function. Give the function that registers tools, prompts and resources on a server.',
    );
  });
});

describe('a definition', () => {
  it.for([
    [
      { name: 'bare', run: () => undefined },
      'bare',
      'was not made by a helper. Make it by defineTool({ … }), or with a state by defineStatefulTool({ … }).',
    ],
    [
      {},
      '(unnamed)',
      'was not made by a helper. Make it by defineTool({ … }), or with a state by defineStatefulTool({ … }).',
    ],
    [tool({ reduce: () => undefined }), 'look', 'has a state or a reducer. Make it by defineStatefulTool({ … }).'],
    [tool({ state: counter }), 'look', 'has a state or a reducer. Make it by defineStatefulTool({ … }).'],
    [
      statefulTool({ run: () => undefined }),
      'count',
      'has both "reduce" and "run". Keep "reduce" if it answers at once, or "run" if it waits.',
    ],
    [
      statefulTool({ state: undefined }),
      'count',
      'has no state. Give it one, made by defineState({ … }), or make the tool by defineTool({ … }).',
    ],
    [statefulTool({ state: 'counter' }), 'count', 'has a state that is none. Give it one, made by defineState({ … }).'],
    [
      tool({ deadlineMs: '5s' }),
      'look',
      'has the deadline "5s", which is no number. Use a number of milliseconds from 1 to 2147483647.',
    ],
    [
      tool({ annotations: { readOnlyHint: true, destructiveHint: true, idempotentHint: true, openWorldHint: true } }),
      'look',
      'says both readOnlyHint and destructiveHint. Clients disagree on which counts: a tool that destroys does not only read.',
    ],
  ] as const)('%# is refused by its tool', ([given, name, text], { expect }) => {
    expect(changed({ tools: [given] })).toBe(`The tool "${name}" ${text}`);
  });

  it.for([
    [{ hanlde: false }, 'has the key "hanlde". Known keys: name, schema, initial, version, migrate, of, handle.'],
    [{ version: '2' }, 'has the version "2". Use a whole number from 1.'],
    [{ version: 0 }, 'has the version 0. Use a whole number from 1.'],
    [{ migrate: 'up' }, 'has a "migrate" that is no function. Give one, or leave it out.'],
  ] as const)('of a state that says %j is refused', ([change, text], { expect }) => {
    expect(changed({ tools: [statefulTool({ state: { ...counter, ...change } })] })).toBe(
      `The state "counter" ${text}`,
    );
  });

  it.for([undefined, '', ' '])('of a question with the message %j is refused', (message, { expect }) => {
    expect(thrown(() => defineQuestion({ message, schema: z.object({ a: z.string() }) } as never))).toBe(
      `CatalogueError: The question "${message ?? '(unnamed)'}" has no message. The user reads it above the form: write one.`,
    );
  });
});
