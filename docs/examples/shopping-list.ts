import { z } from 'zod';
import { defineState, defineStatefulTool, reply } from 'hybrid-mcp/define';

const shoppingList = defineState({
  name: 'shoppingList',
  schema: z.object({ items: z.array(z.string()) }),
  initial: { items: [] },
});

export const addItem = defineStatefulTool({
  name: 'addItem',
  title: 'Add to the shopping list',
  description: 'Adds one item to the shopping list, unless it is there already. At most 50 items.',
  input: z.object({ item: z.string().min(1).max(80).describe('What to buy') }),
  output: z.object({ items: z.array(z.string()).describe('The whole list, oldest first') }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  state: shoppingList,
  reduce: (state, { item }) => {
    if (state.items.includes(item)) return { state, reply: reply.structured({ items: state.items }) };
    if (state.items.length >= 50) return { state, reply: reply.error('The list is full: 50 items.') };
    const items = [...state.items, item];
    return { state: { items }, reply: reply.structured({ items }) };
  },
});
