/** A server's tool as the browser takes it: nothing of it is lost that the API has a place for. Pure. */
import type { Tool } from '@modelcontextprotocol/client';
import type { ContextTool } from './context.ts';

/** What is larger would fill the context of a model by itself, whatever else it has to do. */
const MAX_DEFINITION_UNITS = 256 * 1024;

export type Described = Omit<ContextTool, 'execute'>;

export function describeTool(tool: Tool, nameOf: (name: string) => string): Described {
  const title = tool.title ?? tool.annotations?.title;
  return {
    name: nameOf(tool.name),
    ...(title !== undefined && { title }),
    // The API wants one, MCP does not.
    description: tool.description === undefined || tool.description === '' ? (title ?? tool.name) : tool.description,
    inputSchema: tool.inputSchema,
    annotations: hintsOf(tool),
  };
}

/**
 * What a tool does not say is what MCP takes it to be: it changes something, for good, and it reaches into the open world,
 * from which any text may come.
 */
function hintsOf({ annotations = {} }: Tool): ContextTool['annotations'] {
  const { readOnlyHint = false, destructiveHint = true, openWorldHint = true } = annotations;
  return {
    readOnlyHint,
    untrustedContentHint: openWorldHint,
    consequentialHint: !readOnlyHint && destructiveHint,
  };
}

/** The number of characters of a definition that is too large; undefined for one that is not. */
export function tooLarge(described: Described): number | undefined {
  const units = JSON.stringify(described).length;
  return units > MAX_DEFINITION_UNITS ? units : undefined;
}

export const LARGEST_DEFINITION = MAX_DEFINITION_UNITS;
