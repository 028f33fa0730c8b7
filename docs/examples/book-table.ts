import { z } from 'zod';
import { defineQuestion, defineTool, reply } from 'hybrid-mcp/define';

const when = defineQuestion({
  message: 'Which evening, and for how many?',
  schema: z.object({
    day: z.enum(['friday', 'saturday']).describe('Which evening'),
    guests: z.number().int().min(1).max(8).describe('How many people'),
  }),
});

export const bookTable = defineTool({
  name: 'bookTable',
  title: 'Book a table',
  description: 'Books a table for Friday or Saturday. Asks the user for the evening and the number of guests.',
  input: z.object({}),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  run: async (_input, ctx) => {
    const answer = await ctx.ask('when', when);
    if (answer.action !== 'accept') return reply.text('No table was booked.');
    return reply.text(`Booked for ${answer.content.guests} on ${answer.content.day}.`);
  },
});
