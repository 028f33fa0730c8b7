/**
 * The package `hybrid-mcp/define`: definitions of tools, prompts, resources and state, and the catalogue that holds them.
 * Imports no SDK and no platform, so definitions can be imported and tested anywhere.
 */
export type { Caller, Properties } from './shared/caller.ts';
export {
  createCatalogue,
  type Catalogue,
  type CatalogueDefinition,
  type ServerInfo,
} from './shared/catalogue/catalogue.ts';
export { CatalogueError } from './shared/catalogue/error.ts';
export type { Access, ScopesMissing } from './shared/define/access.ts';
export type {
  CallContext,
  ClientInfo,
  LogLevel,
  Progress,
  ReducerContext,
  ToolContext,
  World,
} from './shared/define/context.ts';
export {
  definePrompt,
  type AnyPrompt,
  type Completer,
  type PromptDefinition,
  type PromptMessage,
} from './shared/define/prompt.ts';
export {
  defineQuestion,
  type Answer,
  type Askable,
  type Question,
  type Questions,
  type Root,
  type Sample,
  type SampleMessage,
  type SampleRequest,
} from './shared/define/questions.ts';
export { reply, type ContentBlock, type ResourceContents, type ToolReply } from './shared/define/reply.ts';
export {
  defineResource,
  defineResourceTemplate,
  type ListedResource,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
} from './shared/define/resource.ts';
export { defineState, type StateDefinition, type StateOf } from './shared/define/state.ts';
export {
  defineStatefulTool,
  defineTool,
  type AnyTool,
  type Icon,
  type PlainTool,
  type Reduced,
  type StatefulTool,
  type StateSteps,
  type ToolAnnotations,
  type WaitingTool,
} from './shared/define/tool.ts';
export type { Json, JsonObject } from './shared/json.ts';
export type { InferOutput, Schema } from './shared/schema/standard.ts';
