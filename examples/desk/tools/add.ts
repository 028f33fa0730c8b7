/** The tool `add`. */
import { z } from 'zod';
import { defineTool, reply } from 'hybrid-mcp/define';

export const add = defineTool({
  name: 'add',
  title: 'Add two numbers',
  description: [
    'Adds two numbers and returns their sum. Numbers are 64-bit floating point: 0.1 + 0.2 gives',
    '0.30000000000000004, and integers are exact up to 9007199254740991. To count across calls use',
    'incrementCounter.',
  ].join(' '),
  input: z.object({
    a: z.number().describe('The first number, for example 2.5.'),
    b: z.number().describe('The second number, for example -4.'),
  }),
  output: z.object({ sum: z.number().describe('a + b.') }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: ({ a, b }) => {
    const sum = a + b;
    // JSON has no infinity.
    if (!Number.isFinite(sum))
      return reply.error(
        'The sum is beyond 1.7976931348623157e308, the largest number there is here. Add smaller numbers.',
      );
    return reply.structured({ sum });
  },
});
