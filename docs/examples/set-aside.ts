import { z } from 'zod';
import { defineQuestion, defineState, defineStatefulTool, reply } from 'hybrid-mcp/define';

const basket = defineState({
  name: 'basket',
  schema: z.object({ books: z.array(z.string()) }),
  initial: { books: [] },
  of: 'subject',
});
const sure = defineQuestion({ message: 'Set it aside?', schema: z.object({ sure: z.boolean() }) });

export const setAside = defineStatefulTool({
  name: 'setAside',
  title: 'Set a book aside',
  description: 'Sets a book aside for the user, who is asked before. Needs the ISBN.',
  input: z.object({ isbn: z.string().describe('13 digits') }),
  output: z.object({ books: z.array(z.string()).describe('All that is set aside, by title') }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  state: basket,
  run: async ({ isbn }, ctx, state) => {
    const found = await ctx.fetch(`https://books.example.com/isbn/${isbn}`);
    if (!found.ok) return reply.error('There is no such book. Check the ISBN.');
    const title = await found.text();
    const answer = await ctx.ask('sure', { ...sure, message: `Set "${title}" aside?` });
    if (answer.action !== 'accept' || !answer.content.sure) return reply.structured(state.read());
    const after = state.update(({ books }) => ({ books: books.includes(title) ? books : [...books, title] }));
    return reply.structured(after);
  },
});
