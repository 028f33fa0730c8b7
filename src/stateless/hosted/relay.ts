/** Brings what a handler says while it runs to the client of its call. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Era } from '../../lane/contract.ts';
import { isPlainObject } from '../../shared/json.ts';

/**
 * @param onFirst Called when something is said.
 * @returns A function to be called over RPC, with each notification as JSON.
 */
export const relay =
  (ctx: ServerContext, era: Era, onFirst: () => void) =>
  async (text: string): Promise<void> => {
    onFirst();
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
        // In the 2026 protocol a call's own stream has progress and logs only; who wants more listens for it.
        if (era === '2025') await ctx.mcpReq.notify({ method, params: given });
        break;
    }
  };
