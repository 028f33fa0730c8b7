import { z } from 'zod';
import { defineTool, reply } from 'hybrid-mcp/define';

export const wordCount = defineTool({
  name: 'wordCount',
  title: 'Count words',
  description: 'Counts the words of a text. At most 100,000 characters; for whole documents use "search" first.',
  input: z.object({ text: z.string().max(100_000).describe('The text to count') }),
  output: z.object({ words: z.number().int().describe('Runs of characters between white space') }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: ({ text }) => {
    if (text.trim() === '') return reply.error('The text is empty. Send at least one word.');
    return reply.structured({ words: text.trim().split(/\s+/).length });
  },
});
