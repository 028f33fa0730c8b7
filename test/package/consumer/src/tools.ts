import { z } from 'zod';
import { createCatalogue, defineState, defineStatefulTool, defineTool, reply } from 'hybrid-mcp/define';

const counter = defineState({ name: 'counter', schema: z.object({ value: z.int() }), initial: { value: 0 } });

export const catalogue = createCatalogue({
  info: { name: 'my-server', title: 'My server', version: '1.0.0' },
  instructions: 'Adds and counts.',
  tools: [
    defineTool({
      name: 'add',
      title: 'Add',
      description: 'Adds two numbers.',
      input: z.object({ a: z.number(), b: z.number() }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      run: ({ a, b }) => reply.text(String(a + b)),
    }),
    defineStatefulTool({
      name: 'count',
      title: 'Count',
      description: 'Adds to a counter.',
      input: z.object({ by: z.int() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      state: counter,
      reduce: ({ value }, { by }) => ({ state: { value: value + by }, reply: reply.text(String(value + by)) }),
    }),
  ],
});
