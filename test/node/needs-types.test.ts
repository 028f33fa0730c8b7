/** What a catalogue needs is held against what a Worker gives when its sources are compiled, and not when a call comes. */
import { it } from 'vitest';
import { z } from 'zod';
import type * as hybridMcp from 'hybrid-mcp';
import {
  createCatalogue,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineState,
  defineStatefulTool,
  defineTool,
  reply,
  type CallContext,
  type Caller,
  type Catalogue,
  type ReducerContext,
  type ToolContext,
} from 'hybrid-mcp/define';

const shown = {
  name: 'one',
  title: 'One',
  description: 'One.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};
const input = z.object({ a: z.number() });

const needsNothing = defineTool({ ...shown, input, run: ({ a }) => reply.text(String(a)) });
const needsDatabase = defineTool({
  ...shown,
  name: 'two',
  input,
  run: async ({ a }, { services }: ToolContext<{ db: { nameOf(id: number): Promise<string> } }>) =>
    reply.text(await services.db.nameOf(a)),
});
const readsToken = defineTool({
  ...shown,
  name: 'three',
  input,
  run: (_input, { services, caller }: ToolContext<{ region: string }, { token: string }>) =>
    reply.text(`${services.region} ${caller.properties?.token ?? ''}`),
});
const reducerNeedsLimit = defineStatefulTool({
  ...shown,
  name: 'four',
  input,
  state: defineState({ name: 'sum', schema: z.object({ sum: z.number() }), initial: { sum: 0 } }),
  reduce: ({ sum }, { a }, { services }: ReducerContext<{ limit: number }>) => ({
    state: { sum: Math.min(sum + a, services.limit) },
    reply: reply.text('Added.'),
  }),
});
const staffOnly = defineTool({
  ...shown,
  name: 'eight',
  input,
  visible: (caller: Caller<{ role: 'staff' | 'guest' }>) => caller.properties?.role === 'staff',
  run: () => reply.text('Done.'),
});
const promptNeedsGreeting = definePrompt({
  name: 'five',
  title: 'Five',
  description: 'Five.',
  args: z.object({ who: z.string() }),
  messages: ({ who }, { services }: ToolContext<{ greeting: string }>) => [
    { role: 'user', content: { type: 'text', text: `${services.greeting} ${who}` } },
  ],
});
const resourceNeedsFiles = defineResource({
  uri: 'test://six',
  name: 'six',
  title: 'Six',
  description: 'Six.',
  read: ({ services }: CallContext<{ files: ReadonlyMap<string, string> }>) => [
    { uri: 'test://six', text: services.files.get('six') ?? '' },
  ],
});
const templateNeedsNotes = defineResourceTemplate({
  uriTemplate: 'test://seven/{id}',
  name: 'seven',
  title: 'Seven',
  description: 'Seven.',
  list: ({ services }: CallContext<{ notes: readonly string[] }>) =>
    services.notes.map((name) => ({ uri: `test://seven/${name}`, name })),
  read: ({ id = '' }, uri, { caller }: CallContext<{ notes: readonly string[] }>) => [
    { uri, text: `${id} ${caller.subject ?? ''}` },
  ],
});

/** Its types only: the package itself needs the platform. */
declare const createHybrid: typeof hybridMcp.createHybrid;

const info = { name: 'types', title: 'Types', version: '1.0.0' };
const bare = createCatalogue({ info, instructions: '', tools: [needsNothing] });
const needing = createCatalogue({
  info,
  instructions: '',
  tools: [needsNothing, needsDatabase, readsToken, reducerNeedsLimit],
  prompts: [promptNeedsGreeting],
  resources: [resourceNeedsFiles],
  templates: [templateNeedsNotes],
});

const staffed = createCatalogue({ info, instructions: '', tools: [needsNothing, staffOnly] });

const properties = z.object({ token: z.string() });
interface Bindings {
  readonly REGION: string;
}
const given = {
  db: { nameOf: (id: number) => Promise.resolve(`name ${id}`) },
  limit: 4,
  greeting: 'Hello',
  files: new Map<string, string>(),
  notes: [],
};

/** Compiled and never called. */
export const workers = {
  bare: () => createHybrid({ catalogue: bare }),
  complete: () =>
    createHybrid({
      catalogue: needing,
      properties,
      services: ({ REGION }: Bindings, caller) => ({ ...given, region: `${REGION} ${caller.properties?.token ?? ''}` }),
    }),
  more: () => createHybrid({ catalogue: bare, services: (_env, caller) => ({ unused: caller.properties?.['any'] }) }),
  withoutServices: () =>
    // @ts-expect-error the tools need services
    createHybrid({ catalogue: needing, properties }),
  withoutOne: () =>
    createHybrid({
      catalogue: needing,
      properties,
      // @ts-expect-error the region is missing
      services: () => given,
    }),
  withAnother: () =>
    createHybrid({
      catalogue: needing,
      properties,
      // @ts-expect-error a limit is a number
      services: () => ({ ...given, region: '', limit: 'four' }),
    }),
  withoutProperties: () =>
    // @ts-expect-error a tool reads the token of a sign-in whose properties nothing checks
    createHybrid({ catalogue: needing, services: () => ({ ...given, region: '' }) }),
  withRoles: () => createHybrid({ catalogue: staffed, properties: z.object({ role: z.enum(['staff', 'guest']) }) }),
  withoutRoles: () =>
    // @ts-expect-error the predicate of a tool reads the role of a sign-in whose properties nothing checks
    createHybrid({ catalogue: staffed }),
  withOtherProperties: () =>
    createHybrid({
      catalogue: needing,
      // @ts-expect-error there is no token
      properties: z.object({ key: z.string() }),
      services: () => ({ ...given, region: '' }),
    }),
};

/** A catalogue that needs something is not one that needs nothing. */
export const catalogues: readonly Catalogue[] = [
  bare,
  // @ts-expect-error it needs services
  needing,
];

it('holds what a catalogue needs against what a Worker gives', ({ expect }) => {
  expect(Object.keys(workers)).toHaveLength(10);
  expect([...needing.tools.keys()]).toEqual(['one', 'two', 'three', 'four']);
});
