/** Two tools of the class as a catalogue has them. */
import { createCatalogue, defineState, defineStatefulTool, defineTool, reply } from 'hybrid-mcp/define';
import { z } from 'zod';

const counter = defineState({ name: 'counter', schema: z.object({ value: z.int() }), initial: { value: 0 } });
const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

export const catalogue = createCatalogue({
  info: { name: 'ported', title: 'Ported', version: '2.0.0' },
  instructions: 'For tests.',
  tools: [
    defineTool({
      name: 'add',
      title: 'Add',
      description: 'Adds two numbers',
      input: z.object({ a: z.number(), b: z.number() }),
      annotations: { ...hints, readOnlyHint: true, idempotentHint: true },
      run: ({ a, b }) => reply.text(`ported ${a + b}`),
    }),
    defineStatefulTool({
      name: 'increment',
      title: 'Increment',
      description: 'Counts',
      input: z.object({}),
      annotations: hints,
      state: counter,
      reduce: ({ value }) => ({ state: { value: value + 1 }, reply: reply.text(`ported ${value + 1}`) }),
    }),
  ],
});
