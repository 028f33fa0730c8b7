/** What a caller without a sign-in reads of handles: the tool that gives one out, the argument that takes it, refusals. Pure. */
import { isPlainObject, type JsonObject } from '../shared/json.ts';

/** How callers are given handles. */
export interface HandleSettings {
  /** The name of the tool that gives one out. */
  readonly tool: string;
  /** The name of the argument that every other tool takes one by. */
  readonly argument: string;
  /** Milliseconds without a use after which what a handle names is removed. */
  readonly idleMs: number;
}

/** Where a request names its handle that has no arguments, such as `resources/read`. */
export const HANDLE_META = 'hybrid-mcp/handle';

/** The tool that gives out a handle. */
export const handleTool = ({ tool, argument, idleMs }: HandleSettings): JsonObject => ({
  name: tool,
  title: 'Open session state',
  description:
    `Begins state of your own on this server, and returns its handle. Call it once, before any other tool, and give the ` +
    `handle as the argument "${argument}" of every call that is to share this state. Whoever has the handle can use the ` +
    `state. It is removed when it was not used for ${inWords(idleMs)}.`,
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: { type: 'object', properties: { handle: { type: 'string' } }, required: ['handle'] },
  annotations: { readOnlyHint: true, openWorldHint: false },
});

function inWords(ms: number): string {
  const units = [
    [86_400_000, 'days'],
    [3_600_000, 'hours'],
    [60_000, 'minutes'],
    [1000, 'seconds'],
  ] as const;
  const [size, name] = units.find(([unit]) => ms >= 2 * unit && ms % unit === 0) ?? [1, 'milliseconds'];
  return `${ms / size} ${name}`;
}

export const handleResult = (handle: string): JsonObject => ({
  content: [{ type: 'text', text: handle }],
  structuredContent: { handle },
});

/** A tool as it is listed to a caller who has to name a handle. */
export function withHandleArgument(tool: JsonObject, { tool: opener, argument }: HandleSettings): JsonObject {
  const schema = isPlainObject(tool['inputSchema']) ? tool['inputSchema'] : {};
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  const added = { type: 'string', description: `The handle that the tool "${opener}" has returned.` };
  return {
    ...tool,
    inputSchema: {
      type: 'object',
      ...schema,
      properties: { ...properties, [argument]: added },
      // Every call without it is refused.
      required: [...required, argument],
    },
  };
}

/** Why these tools cannot be listed with handles; undefined if they can. */
export function clashOf(tools: readonly JsonObject[], { tool: opener, argument }: HandleSettings): string | undefined {
  for (const { name, inputSchema } of tools) {
    if (name === opener) {
      return `The class has a tool "${opener}", which is the name of the tool that gives out handles. Name that one otherwise by the option handleTool.`;
    }
    const properties = isPlainObject(inputSchema) ? inputSchema['properties'] : undefined;
    if (isPlainObject(properties) && Object.hasOwn(properties, argument)) {
      return `The tool "${typeof name === 'string' ? name : ''}" of the class has an argument "${argument}" of its own, which is the name of the argument for handles. Name that one otherwise by the option handleArgument.`;
    }
  }
  return undefined;
}

export const missingHandle = ({ tool, argument }: HandleSettings): string =>
  `This server keeps state for each of its callers. Call the tool "${tool}" first, and give the handle that it returns as the argument "${argument}".`;

export const unknownHandle = ({ tool }: HandleSettings): string =>
  `The handle is unknown here or has expired. Call the tool "${tool}" for a new one, whose state begins anew.`;

/** The same for a request that has no arguments. */
export const inMeta = (text: string): string => `${text} This method takes a handle in its _meta, as "${HANDLE_META}".`;

export const toolError = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true });
