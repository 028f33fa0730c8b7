/** Makes one call through the methods that both SDKs' clients have, under the name that the wire has for it. */
import type { Call } from '../../src/parity/run-table.ts';

/** Not a method of the wire: what a client learnt of the server when it connected, by whichever handshake. */
export const SERVER_DESCRIPTION = 'server description';

/** What the clients of SDK v1 and v2 have in common, as far as the demo needs it. */
export interface CommonClient {
  getServerCapabilities(): unknown;
  getServerVersion(): unknown;
  getInstructions(): string | undefined;
  listTools(): Promise<unknown>;
  listPrompts(): Promise<unknown>;
  listResources(): Promise<unknown>;
  listResourceTemplates(): Promise<unknown>;
  callTool(params: ToolParams): Promise<unknown>;
  getPrompt(params: PromptParams): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  complete(params: CompleteParams): Promise<unknown>;
}

interface ToolParams {
  name: string;
  arguments?: Record<string, unknown>;
}
interface PromptParams {
  name: string;
  arguments?: Record<string, string>;
}
interface CompleteParams {
  ref: { type: 'ref/prompt'; name: string };
  argument: { name: string; value: string };
}

/** @throws What the client throws, and TypeError for a method that the demo has no use for. */
export async function ask(client: CommonClient, { method, params = {} }: Call): Promise<unknown> {
  switch (method) {
    case SERVER_DESCRIPTION:
      return {
        capabilities: client.getServerCapabilities(),
        serverInfo: client.getServerVersion(),
        instructions: client.getInstructions(),
      };
    case 'tools/list':
      return client.listTools();
    case 'prompts/list':
      return client.listPrompts();
    case 'resources/list':
      return client.listResources();
    case 'resources/templates/list':
      return client.listResourceTemplates();
    // The rows are written by hand next to this switch, and the server checks what they say.
    case 'tools/call':
      return client.callTool(params as unknown as ToolParams);
    case 'prompts/get':
      return client.getPrompt(params as unknown as PromptParams);
    case 'resources/read':
      return client.readResource(params as unknown as { uri: string });
    case 'completion/complete':
      return client.complete(params as unknown as CompleteParams);
    default:
      throw new TypeError(`The demo has no client method for ${method}. Add it to cli/demo/ask.ts.`);
  }
}
