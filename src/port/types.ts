/**
 * The server of a registration that imports no SDK: the methods of both SDKs' `McpServer` with their types. A registration
 * whose parameter has the type of an SDK's server is taken as it is. Types only.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { LogLevel } from '../shared/define/context.ts';
import type { PromptMessage } from '../shared/define/prompt.ts';
import type { ContentBlock, ResourceContents } from '../shared/define/reply.ts';
import type { HandlerExtra } from './extra.ts';
import type { LowLevelFace } from './low-level.ts';
import type { TemplateLike } from './template.ts';

/** A schema of any library that follows Standard Schema: Zod 3 and 4, Valibot, `fromJsonSchema`. */
export type AnySchema = StandardSchemaV1;
/** Fields by name, as in `{ a: z.number() }`. */
export type Shape = Readonly<Record<string, AnySchema>>;

type Simplified<T> = { [Key in keyof T]: T[Key] };
type OptionalKeys<S extends Shape> = {
  [Key in keyof S]: undefined extends StandardSchemaV1.InferOutput<S[Key]> ? Key : never;
}[keyof S];

/** What a handler is given for a shape or a schema. */
export type Arguments<S> = S extends AnySchema
  ? StandardSchemaV1.InferOutput<S>
  : S extends Shape
    ? Simplified<
        { [Key in Exclude<keyof S, OptionalKeys<S>>]: StandardSchemaV1.InferOutput<S[Key]> } & {
          [Key in OptionalKeys<S>]?: StandardSchemaV1.InferOutput<S[Key]>;
        }
      >
    : never;

/** What a tool's handler gives back. */
export interface ToolResult {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The hints of a tool, as far as its author says them. */
export interface RegisteredAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

type Soon<T> = T | Promise<T>;
/** A handler with arguments if there is a schema, and without if there is none. */
export type ToolHandler<S> = [S] extends [undefined]
  ? (extra: HandlerExtra) => Soon<ToolResult>
  : (args: Arguments<S>, extra: HandlerExtra) => Soon<ToolResult>;
export type PromptHandler<S> = [S] extends [undefined]
  ? (extra: HandlerExtra) => Soon<{ readonly messages: readonly PromptMessage[] }>
  : (args: Arguments<S>, extra: HandlerExtra) => Soon<{ readonly messages: readonly PromptMessage[] }>;
export type ResourceHandler = (
  uri: URL,
  extra: HandlerExtra,
) => Soon<{ readonly contents: readonly ResourceContents[] }>;
export type TemplateHandler = (
  uri: URL,
  variables: Readonly<Record<string, string>>,
  extra: HandlerExtra,
) => Soon<{ readonly contents: readonly ResourceContents[] }>;

/** What a registration gets back for each thing that it registers. Works until the registration has ended. */
export interface RegisteredHandle {
  readonly enabled: boolean;
  enable(): void;
  disable(): void;
  update(updates: Readonly<Record<string, unknown>>): void;
  remove(): void;
}

type Metadata = Readonly<Record<string, unknown>>;

/** What a registration registers on. */
export interface Recorder {
  tool(name: string, handler: ToolHandler<undefined>): RegisteredHandle;
  tool(name: string, description: string, handler: ToolHandler<undefined>): RegisteredHandle;
  tool<S extends Shape>(name: string, shape: S, handler: ToolHandler<S>): RegisteredHandle;
  tool(name: string, annotations: RegisteredAnnotations, handler: ToolHandler<undefined>): RegisteredHandle;
  tool<S extends Shape>(name: string, description: string, shape: S, handler: ToolHandler<S>): RegisteredHandle;
  tool(
    name: string,
    description: string,
    annotations: RegisteredAnnotations,
    handler: ToolHandler<undefined>,
  ): RegisteredHandle;
  tool<S extends Shape>(
    name: string,
    shape: S,
    annotations: RegisteredAnnotations,
    handler: ToolHandler<S>,
  ): RegisteredHandle;
  tool<S extends Shape>(
    name: string,
    description: string,
    shape: S,
    annotations: RegisteredAnnotations,
    handler: ToolHandler<S>,
  ): RegisteredHandle;
  registerTool<S extends Shape | AnySchema | undefined = undefined>(
    name: string,
    config: {
      readonly title?: string;
      readonly description?: string;
      readonly inputSchema?: S;
      readonly outputSchema?: Shape | AnySchema;
      readonly annotations?: RegisteredAnnotations;
      readonly icons?: readonly Metadata[];
      readonly _meta?: Metadata;
    },
    handler: ToolHandler<S>,
  ): RegisteredHandle;
  prompt(name: string, handler: PromptHandler<undefined>): RegisteredHandle;
  prompt(name: string, description: string, handler: PromptHandler<undefined>): RegisteredHandle;
  prompt<S extends Shape>(name: string, args: S, handler: PromptHandler<S>): RegisteredHandle;
  prompt<S extends Shape>(name: string, description: string, args: S, handler: PromptHandler<S>): RegisteredHandle;
  registerPrompt<S extends Shape | AnySchema | undefined = undefined>(
    name: string,
    config: { readonly title?: string; readonly description?: string; readonly argsSchema?: S },
    handler: PromptHandler<S>,
  ): RegisteredHandle;
  resource(name: string, uri: string, handler: ResourceHandler): RegisteredHandle;
  resource(name: string, uri: string, metadata: Metadata, handler: ResourceHandler): RegisteredHandle;
  resource(name: string, template: TemplateLike, handler: TemplateHandler): RegisteredHandle;
  resource(name: string, template: TemplateLike, metadata: Metadata, handler: TemplateHandler): RegisteredHandle;
  registerResource(name: string, uri: string, metadata: Metadata, handler: ResourceHandler): RegisteredHandle;
  registerResource(
    name: string,
    template: TemplateLike,
    metadata: Metadata,
    handler: TemplateHandler,
  ): RegisteredHandle;
  /** The low-level server: what a handler asks and tells its client. */
  readonly server: LowLevelFace;
  isConnected(): boolean;
  sendLoggingMessage(params: { readonly level: LogLevel; readonly data: unknown }): Promise<void>;
  sendToolListChanged(): void;
  sendPromptListChanged(): void;
  sendResourceListChanged(): void;
}
