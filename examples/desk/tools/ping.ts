/** The tool `ping`. */
import { z } from 'zod';
import { defineTool, reply } from 'hybrid-mcp/define';

export const ping = defineTool({
  name: 'ping',
  title: 'Check that the server answers',
  description: [
    'Answers at once with the current time of the server. Use it to check the connection or to learn the time; it',
    'says nothing about any other service.',
  ].join(' '),
  input: z.object({}),
  output: z.object({
    pong: z.literal(true).describe('Always true: the server ran the tool.'),
    at: z.string().describe('Time of the server, ISO 8601 in UTC, for example 2026-01-31T12:00:00.000Z.'),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: (_input, ctx) => reply.structured({ pong: true, at: new Date(ctx.now()).toISOString() }),
});
