import { z } from 'zod';
import { defineTool, reply, type ToolContext } from 'hybrid-mcp/define';

/** What the tool needs of its deployment, in its own words. */
interface Orders {
  readonly statusOf: (order: string) => Promise<string | undefined>;
}

export const orderStatus = defineTool({
  name: 'orderStatus',
  title: 'Look up an order',
  description: 'Says how far an order of the signed-in customer is.',
  input: z.object({ order: z.string().min(1).max(40).describe('The number of the order') }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async ({ order }, { caller, services }: ToolContext<{ readonly orders: Orders }>) => {
    if (caller.subject === undefined) return reply.error('Sign in to see your orders.');
    const status = await services.orders.statusOf(order);
    return status === undefined ? reply.error(`There is no order ${order}.`) : reply.text(status);
  },
});
