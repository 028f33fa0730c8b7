/** What a reader has had set aside: a state of the subject, the same in every session and on every lane. */
import { z } from 'zod';
import { defineQuestion, defineState, defineStatefulTool, reply, type ToolContext } from 'hybrid-mcp/define';
import type { Books } from '../services.ts';
import { isbn } from './books.ts';

const shelf = defineState({
  name: 'shelf',
  schema: z.object({ titles: z.array(z.string()) }),
  initial: { titles: [] },
  of: 'subject',
});
const titles = z.array(z.string()).describe('All that is set aside, oldest first');
const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const sure = defineQuestion({ message: 'Set it aside?', schema: z.object({ sure: z.boolean() }) });

export const setAside = defineStatefulTool({
  name: 'set-aside',
  title: 'Set a book aside',
  description: 'Has a book set aside at the desk for the signed-in reader, who is asked before.',
  input: z.object({ isbn }),
  output: z.object({ titles }),
  annotations: WRITES,
  state: shelf,
  run: async ({ isbn: wanted }, ctx: ToolContext<{ readonly books: Books }>, state) => {
    const book = await ctx.services.books.get(wanted);
    if (book === undefined) return reply.error('There is no such book. Use "find-books" first.');
    const answer = await ctx.ask('sure', { ...sure, message: `Set "${book.title}" aside?` });
    if (answer.action !== 'accept' || !answer.content.sure) return reply.structured(state.read());
    const add = (before: readonly string[]) => (before.includes(book.title) ? [...before] : [...before, book.title]);
    return reply.structured(state.update((now) => ({ titles: add(now.titles) })));
  },
});

export const myShelf = defineStatefulTool({
  name: 'my-shelf',
  title: 'My shelf',
  description: 'Says what is set aside for the signed-in reader, and clears it if asked to.',
  input: z.object({ clear: z.boolean().default(false).describe('True if nothing is to be set aside any more') }),
  output: z.object({ titles }),
  annotations: WRITES,
  state: shelf,
  reduce: (state, { clear }) => {
    const next = clear ? { titles: [] } : state;
    return { state: next, reply: reply.structured(next) };
  },
});
