import { z } from 'zod';
import { defineTool, reply, type Caller, type ToolContext } from 'hybrid-mcp/define';

/** What the tool reads of the sign-in, and what it needs of its deployment. */
interface SignIn {
  readonly role: 'staff' | 'customer';
}
interface Orders {
  readonly refund: (order: string, by: string) => Promise<boolean>;
}

export const refundOrder = defineTool({
  name: 'refundOrder',
  title: 'Refund an order',
  description: 'Pays an order back to its customer. For staff.',
  visible: (caller: Caller<SignIn>) => caller.properties?.role === 'staff',
  scopes: ['orders:read', 'orders:refund'],
  input: z.object({ order: z.string().min(1).max(40).describe('The number of the order') }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async ({ order }, { caller, services }: ToolContext<{ readonly orders: Orders }, SignIn>) => {
    const refunded = await services.orders.refund(order, caller.subject ?? '');
    return refunded ? reply.text(`Order ${order} was refunded.`) : reply.error(`There is no order ${order}.`);
  },
});
