/** The entry point `hybrid-mcp/webmcp`, for pages: the tools of an MCP server in the model context of the browser. */
import { findModelContext } from './context.ts';
import { checkOptions, type ServerTools, type ServerToolsOptions } from './options.ts';
import { keepRegistered } from './register.ts';
import { tellMissingOnce } from './tell.ts';

export type {
  Answer,
  Asking,
  ClientLibrary,
  PerRequest,
  Problem,
  Question,
  ServerTools,
  ServerToolsOptions,
} from './options.ts';

/**
 * Registers the tools of an MCP server in the model context of the page, and keeps them as the server lists them. It
 * resolves once the list was read, or could not be: what did not work is in `problems`, and the page goes on.
 *
 * @throws TypeError for options that cannot be used, with the remedy.
 * @example
 * ```ts
 * const tools = await registerServerTools('/mcp', { prefix: 'desk_' });
 * console.log(tools.status, tools.tools);
 * ```
 */
export async function registerServerTools(url: string | URL, options: ServerToolsOptions = {}): Promise<ServerTools> {
  const checked = checkOptions(url, options);
  const context = findModelContext();
  if (context !== undefined) return keepRegistered(context, checked, options);
  tellMissingOnce();
  return withoutContext();
}

function withoutContext(): ServerTools {
  let status: ServerTools['status'] = 'unsupported';
  const nothing = async (): Promise<void> => undefined;
  const dispose = async (): Promise<void> => {
    status = 'disposed';
  };
  return {
    get status() {
      return status;
    },
    tools: [],
    problems: [],
    era: undefined,
    refresh: nothing,
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}
