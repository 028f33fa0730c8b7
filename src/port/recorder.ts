/**
 * A server that only remembers what is registered on it, with the methods of both SDKs' `McpServer`. The function that
 * registers on the class's own server registers on it unchanged.
 */
import { CatalogueError, RegistrationError } from '../shared/catalogue/error.ts';
import type { LogLevel } from '../shared/define/context.ts';
import { addPrompt, type PromptConfig } from './add-prompt.ts';
import { addResource, addTemplate, type ResourceConfig } from './add-resource.ts';
import { addTool, type ToolConfig } from './add-tool.ts';
import { log } from './extra.ts';
import { lowLevelFace, type LowLevelFace } from './low-level.ts';
import { callNow, type Recording } from './recording.ts';
import { refusing } from './refuse.ts';
import { isRawShape } from './schemas.ts';
import type { Handler, Table } from './table.ts';
import { isTemplate } from './template.ts';

/** The methods as they are at run time; `Recorder` says their types. */
export interface RecorderFace {
  tool(name: string, ...rest: readonly unknown[]): object;
  registerTool(name: string, config: ToolConfig, handler: Handler): object;
  prompt(name: string, ...rest: readonly unknown[]): object;
  registerPrompt(name: string, config: PromptConfig, handler: Handler): object;
  resource(name: string, uriOrTemplate: unknown, ...rest: readonly unknown[]): object;
  registerResource(name: string, uriOrTemplate: unknown, config: ResourceConfig, read: Handler): object;
  readonly server: LowLevelFace;
  isConnected(): boolean;
  sendLoggingMessage(params: { readonly level: LogLevel; readonly data: unknown }): Promise<void>;
  sendToolListChanged(): void;
  sendPromptListChanged(): void;
  sendResourceListChanged(): void;
}

export function createRecorder(recording: Recording, table: Table): RecorderFace {
  const registerTool = (name: string, config: ToolConfig, handler: Handler): object =>
    addTool(table, name, config, handler);
  const registerPrompt = (name: string, config: PromptConfig, handler: Handler): object =>
    addPrompt(table, name, config, handler);
  const registerResource = (name: string, place: unknown, config: ResourceConfig, read: Handler): object =>
    isTemplate(place)
      ? addTemplate(table, name, place, config, read)
      : addResource(table, name, String(place), config, read);
  const listChanged = (): void => {
    if (!recording.done) return;
    throw new RegistrationError(
      'A list cannot change in a handler: no lane could tell every client. Register what a caller may use when the registration runs, by context.props.',
    );
  };
  const face: RecorderFace = {
    registerTool: atItsLine(registerTool),
    registerPrompt: atItsLine(registerPrompt),
    registerResource: atItsLine(registerResource),
    tool: atItsLine((name: string, ...rest: readonly unknown[]) => registerTool(name, ...toolArguments(name, rest))),
    prompt: atItsLine((name: string, ...rest: readonly unknown[]) => registerPrompt(name, ...promptArguments(rest))),
    resource: atItsLine((name: string, place: unknown, ...rest: readonly unknown[]) => {
      const [metadata, read] = typeof rest[0] === 'function' ? [{}, rest[0]] : rest;
      return registerResource(name, place, metadata as ResourceConfig, read as Handler);
    }),
    server: lowLevelFace(),
    isConnected: () => callNow() !== undefined,
    sendLoggingMessage: async ({ level, data }) => {
      const call = callNow();
      if (call !== undefined) log(call.ctx, level, data);
    },
    sendToolListChanged: listChanged,
    sendPromptListChanged: listChanged,
    sendResourceListChanged: listChanged,
  };
  return refusing(
    face,
    (member) =>
      `server.${member} is not carried by a registration. Known members: ${Object.keys(face).join(', ')}. Leave what needs it hosted.`,
  );
}

/** Of V8, which Workers and Node have; not in every project's types. */
const fromHere = (error: Error, below: unknown): void =>
  (Error as unknown as { captureStackTrace(error: Error, below: unknown): void }).captureStackTrace(error, below);

/** The stack of a refusal begins where the registration calls: what lies below it would take all of a stack's lines. */
function atItsLine<A extends readonly unknown[]>(method: (...args: A) => object): (...args: A) => object {
  return function registering(...args: A): object {
    try {
      return method(...args);
    } catch (error) {
      if (error instanceof CatalogueError) fromHere(error, registering);
      throw error;
    }
  };
}

/** The overloads of SDK v1's `tool`: a text is the description, then come a shape and annotations, either or both. */
function toolArguments(name: string, given: readonly unknown[]): [ToolConfig, Handler] {
  const rest = [...given];
  const config: { -readonly [K in keyof ToolConfig]: ToolConfig[K] } = {};
  if (typeof rest[0] === 'string') config.description = rest.shift() as string;
  if (rest.length > 1) {
    const [first] = rest;
    if (isRawShape(first)) {
      config.inputSchema = rest.shift();
      if (rest.length > 1 && typeof rest[0] === 'object' && rest[0] !== null) {
        config.annotations = rest.shift() as Record<string, unknown>;
      }
    } else if (typeof first === 'object' && first !== null) {
      const values: readonly unknown[] = Object.values(first);
      if (values.some((value) => typeof value === 'object' && value !== null)) {
        throw new CatalogueError(
          'tool',
          name,
          'has a parameter that is neither a shape of schemas nor annotations',
          'Give a shape, as in { a: z.number() }. For any other schema use registerTool with inputSchema.',
        );
      }
      config.annotations = rest.shift() as Record<string, unknown>;
    }
  }
  return [config, rest[0] as Handler];
}

function promptArguments(given: readonly unknown[]): [PromptConfig, Handler] {
  const rest = [...given];
  const description = typeof rest[0] === 'string' ? { description: rest.shift() as string } : {};
  const argsSchema = rest.length > 1 ? { argsSchema: rest.shift() } : {};
  return [{ ...description, ...argsSchema }, rest[0] as Handler];
}
