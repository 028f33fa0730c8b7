/** What a client does with a server, one tool for each: a call, a failure, state, a question. */
import { z } from 'zod';
import {
  createCatalogue,
  defineState,
  defineStatefulTool,
  defineTool,
  reply,
  type ToolAnnotations,
} from 'hybrid-mcp/define';

const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const writes: ToolAnnotations = { ...reads, readOnlyHint: false, idempotentHint: false };
const counter = defineState({ name: 'counter', schema: z.object({ value: z.int() }), initial: { value: 0 } });

export const triedCatalogue = createCatalogue({
  info: { name: 'tried', title: 'Tried', version: '1.0.0' },
  instructions: 'Adds, refuses, counts and asks.',
  tools: [
    defineTool({
      name: 'add',
      title: 'Add',
      description: 'Adds two numbers.',
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      annotations: reads,
      run: ({ a, b }) => reply.structured({ sum: a + b }),
    }),
    defineTool({
      name: 'refuse',
      title: 'Refuse',
      description: 'Always fails.',
      input: z.object({}),
      annotations: reads,
      run: () => reply.error('There is nothing here.'),
    }),
    defineStatefulTool({
      name: 'count',
      title: 'Count',
      description: 'Adds to a counter.',
      input: z.object({ by: z.int().min(1) }),
      output: z.object({ value: z.int() }),
      annotations: writes,
      state: counter,
      reduce: ({ value }, { by }) => ({ state: { value: value + by }, reply: reply.structured({ value: value + by }) }),
    }),
    defineTool({
      name: 'confirm',
      title: 'Confirm',
      description: 'Asks the user.',
      input: z.object({}),
      annotations: reads,
      run: async (_input, ctx) => {
        const answer = await ctx.ask('sure', { message: 'Are you sure?', schema: z.object({ sure: z.boolean() }) });
        const isSure = answer.action === 'accept' && answer.content.sure;
        return reply.text(isSure ? 'confirmed' : `not confirmed: ${answer.action}`);
      },
    }),
  ],
});
