/** Brings what a handler says while it runs to the client of its call. */
import type { ServerContext } from '@modelcontextprotocol/server';
import { isPlainObject } from '../../shared/json.ts';

/** @returns A function to be called over RPC, with each notification as JSON. */
export const relay =
  (ctx: ServerContext) =>
  async (text: string): Promise<void> => {
    const { method, params } = JSON.parse(text) as { readonly method: string; readonly params?: unknown };
    const given = isPlainObject(params) ? params : {};
    switch (method) {
      case 'notifications/progress':
        await ctx.mcpReq.notify({ method, params: given });
        break;
      case 'notifications/message':
        // The SDK knows which levels this client wants.
        await ctx.mcpReq.log(
          given['level'] as Parameters<typeof ctx.mcpReq.log>[0],
          given['data'],
          given['logger'] as string | undefined,
        );
        break;
      default:
        // A list that changed is told to sessions; a request of its own has nothing to listen on.
        break;
    }
  };
