/** The catalogue of books, and what is lent: a database. */
import { z } from 'zod';
import { defineTool, reply, type ToolContext } from 'hybrid-mcp/define';
import type { Books, Loans } from '../services.ts';

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

export const isbn = z
  .string()
  .regex(/^\d{13}$/)
  .describe('13 digits, without hyphens');
const DAYS = 21;
const DAY_MS = 24 * 60 * 60 * 1000;

export const findBooks = defineTool({
  name: 'find-books',
  title: 'Find books',
  description: 'Finds books by words of their title or author. At most 20; use more words if there are too many.',
  input: z.object({ words: z.string().min(2).max(100) }),
  output: z.object({
    books: z.array(z.object({ isbn: z.string(), title: z.string(), author: z.string(), copies: z.number() })),
  }),
  annotations: READS,
  run: async ({ words }, { services }: ToolContext<{ readonly books: Books }>) =>
    reply.structured({ books: await services.books.find(words) }),
});

export const borrowBook = defineTool({
  name: 'borrow-book',
  title: 'Borrow a book',
  description: 'Lends a book to the signed-in reader for three weeks. To borrow it again changes nothing.',
  scopes: ['loans:write'],
  input: z.object({ isbn }),
  output: z.object({ until: z.string().describe('The day by which it has to be back') }),
  annotations: WRITES,
  run: async ({ isbn: wanted }, ctx: ToolContext<{ readonly loans: Loans }>) => {
    const { caller, services } = ctx;
    if (caller.subject === undefined) return reply.error('Sign in to borrow a book.');
    const day = new Date(ctx.now() + DAYS * DAY_MS).toISOString().slice(0, 10);
    const until = await services.loans.borrow(caller.subject, wanted, day);
    if (until === undefined) return reply.error('No copy is left. Set the book aside to be told when one is back.');
    return reply.structured({ until });
  },
});

export const myLoans = defineTool({
  name: 'my-loans',
  title: 'My loans',
  description: 'Lists what the signed-in reader has borrowed, by the day on which it has to be back.',
  input: z.object({}),
  output: z.object({ loans: z.array(z.object({ isbn: z.string(), title: z.string(), until: z.string() })) }),
  annotations: READS,
  run: async (_input, { caller, services }: ToolContext<{ readonly loans: Loans }>) =>
    reply.structured({ loans: caller.subject === undefined ? [] : await services.loans.of(caller.subject) }),
});
