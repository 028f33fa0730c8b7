/** The desk: opening hours in a store of keys and values, cards by a secret, and what only staff know of. */
import { z } from 'zod';
import { defineTool, reply, type Caller, type ToolContext } from 'hybrid-mcp/define';
import type { CardOf, Hours, SignIn } from '../services.ts';

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
type WithHours = ToolContext<{ readonly hours: Hours }, SignIn>;

export const openingHours = defineTool({
  name: 'opening-hours',
  title: 'Opening hours',
  description: 'Says when the library is open.',
  input: z.object({}),
  annotations: READS,
  run: async (_input, { services }: WithHours) => reply.text(await services.hours.today()),
});

export const myCard = defineTool({
  name: 'my-card',
  title: 'My card',
  description: 'Gives the number of the signed-in reader’s card.',
  input: z.object({}),
  annotations: READS,
  run: async (_input, { caller, services }: ToolContext<{ readonly cardOf: CardOf }>) =>
    caller.subject === undefined
      ? reply.error('Sign in to have a card.')
      : reply.text(await services.cardOf(caller.subject)),
});

export const isStaff = (caller: Caller<SignIn>): boolean => caller.properties?.role === 'staff';

export const changeHours = defineTool({
  name: 'change-hours',
  title: 'Change the opening hours',
  description: 'Says to everybody when the library is open from now on. For staff.',
  visible: isStaff,
  scopes: ['desk'],
  input: z.object({ text: z.string().min(1).max(200) }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async ({ text }, { services }: WithHours) => {
    await services.hours.change(text);
    return reply.text('The opening hours were changed.');
  },
});
