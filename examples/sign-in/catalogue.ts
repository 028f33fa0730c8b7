/** What the server does for those who have signed in. */
import { createCatalogue, defineState, defineStatefulTool, defineTool, reply } from 'hybrid-mcp/define';
import { z } from 'zod';

export const SCOPES = { read: 'desk:read', write: 'desk:write' } as const;

/** One for each user, on every lane and at every URL. */
const notes = defineState({
  name: 'notes',
  schema: z.object({ count: z.int() }),
  initial: { count: 0 },
  of: 'subject',
});
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false } as const;

export const catalogue = createCatalogue({
  info: { name: 'sign-in', title: 'A server with a sign-in', version: '1.0.0' },
  instructions: 'Says who is signed in, and counts for each of them.',
  tools: [
    defineTool({
      name: 'who-am-i',
      title: 'Who am I',
      description: 'Says who is signed in.',
      input: z.object({}),
      annotations: READS,
      run: (_input, { subject }) => reply.text(subject ?? 'nobody'),
    }),
    defineStatefulTool({
      name: 'count',
      title: 'Count',
      description: 'Counts for whoever is signed in.',
      input: z.object({ by: z.int() }),
      annotations: WRITES,
      // Who has not allowed it yet is asked by their client, and the call goes on.
      scopes: [SCOPES.write],
      state: notes,
      reduce: ({ count }, { by }) => ({ state: { count: count + by }, reply: reply.text(String(count + by)) }),
    }),
  ],
});
