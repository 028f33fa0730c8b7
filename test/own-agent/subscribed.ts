/** A class whose clients can subscribe to a resource, as the 2025 protocols have it. */
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { McpAgent } from 'hybrid-mcp/agent';
import { makeServer } from './own-server.ts';

export class SubscribedMCP extends McpAgent {
  static override readonly hybrid = { subject: 'userId' };
  server = makeServer();
  readonly #uris = new Set<string>();

  override async init(): Promise<void> {
    const { server } = this.server;
    server.registerCapabilities({ resources: { subscribe: true } });
    server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
      this.#uris.add(params.uri);
      return {};
    });
    server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
      this.#uris.delete(params.uri);
      return {};
    });
    this.server.tool('change', async () => {
      const uris = [...this.#uris];
      for (const uri of uris) await server.sendResourceUpdated({ uri });
      return { content: [{ type: 'text', text: uris.join(' ') }] };
    });
  }
}
