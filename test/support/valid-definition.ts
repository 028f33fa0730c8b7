/** One valid definition of each kind, for tests that change one thing in it and look at what the catalogue says. */
import { z } from 'zod';
import {
  type CatalogueDefinition,
  createCatalogue,
  definePrompt,
  defineState,
  defineStatefulTool,
  defineTool,
  reply,
} from 'hybrid-mcp/define';

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

/** What a change may say: more than the types allow, since definitions may come from plain JavaScript. */
type Change = Readonly<Record<string, unknown>>;

export const tool = (change: Change = {}) =>
  defineTool({
    name: 'look',
    title: 'Look',
    description: 'Looks.',
    input: z.object({ at: z.string() }),
    annotations,
    run: () => reply.text('seen'),
    ...change,
  });

export const counter = defineState({
  name: 'counter',
  schema: z.object({ value: z.number().int() }),
  initial: { value: 0 },
});

export const statefulTool = (change: Change = {}) =>
  defineStatefulTool({
    name: 'count',
    title: 'Count',
    description: 'Counts.',
    input: z.object({}),
    annotations,
    state: counter,
    reduce: (state: { value: number }) => ({ state, reply: reply.text('counted') }),
    ...change,
  } as Parameters<typeof defineStatefulTool>[0]);

export const prompt = (change: Change = {}) =>
  definePrompt({
    name: 'greet',
    title: 'Greet',
    description: 'Greets.',
    args: z.object({ who: z.string() }),
    messages: () => [],
    ...change,
  });

export const resource = (change: Change = {}) => ({
  uri: 'test://static/text',
  name: 'text',
  title: 'Text',
  description: 'A text.',
  read: () => [],
  ...change,
});

export const template = (change: Change = {}) => ({
  uriTemplate: 'test://items/{id}',
  name: 'items',
  title: 'Items',
  description: 'Items by id.',
  read: () => [],
  ...change,
});

const definition: CatalogueDefinition = {
  info: { name: 'valid', title: 'Valid', version: '1.0.0' },
  instructions: 'Use it.',
  tools: [tool(), statefulTool()],
  prompts: [prompt()],
  resources: [resource()],
  templates: [template()],
};

export const build = (change: Partial<CatalogueDefinition> = {}) => createCatalogue({ ...definition, ...change });

/** The whole text of the refusal, or what was built. */
export function refusal(change: Partial<CatalogueDefinition>): string {
  try {
    return `built: ${[...build(change).tools.keys()].join(', ')}`;
  } catch (error) {
    return error instanceof Error && error.name === 'CatalogueError'
      ? error.message
      : `not a refusal: ${String(error)}`;
  }
}
