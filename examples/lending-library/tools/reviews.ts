/** Reviews of books: another server's API, called with the caller's own token. */
import { z } from 'zod';
import { defineQuestion, defineTool, reply, type ToolContext } from 'hybrid-mcp/define';
import type { Reviews } from '../services.ts';
import { isbn } from './books.ts';

type Ctx = ToolContext<{ readonly reviews: Reviews }>;

export const reviewsOf = defineTool({
  name: 'reviews-of',
  title: 'Read reviews',
  description: 'Gives what readers have written about a book.',
  input: z.object({ isbn }),
  output: z.object({ reviews: z.array(z.object({ by: z.string(), text: z.string() })) }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  run: async ({ isbn: book }, { services }: Ctx) => reply.structured({ reviews: await services.reviews.of(book) }),
});

const publish = defineQuestion({ message: 'Publish it?', schema: z.object({ publish: z.boolean() }) });

export const writeReview = defineTool({
  name: 'write-review',
  title: 'Write a review',
  description: 'Publishes a review under the name of the signed-in reader, who is shown the text and asked before.',
  scopes: ['reviews:write'],
  input: z.object({ isbn, text: z.string().min(1).max(1000) }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  run: async ({ isbn: book, text }, ctx: Ctx) => {
    const answer = await ctx.ask('publish', { ...publish, message: `Publish "${text}"?` });
    if (answer.action !== 'accept' || !answer.content.publish) return reply.text('Nothing was published.');
    const written = await ctx.services.reviews.write(book, text);
    return written ? reply.text('It was published.') : reply.error('You may not write reviews. Ask at the desk.');
  },
});
