/** Definitions that a function registers: the same ones for everybody, or other ones for each caller. Types only. */
import type { Caller } from '../caller.ts';
import type { JsonObject } from '../json.ts';
import type { AnyPrompt, PromptMessage } from './prompt.ts';
import type { ResourceDefinition, ResourceTemplateDefinition } from './resource.ts';
import type { AnyTool } from './tool.ts';

/** An entry that is listed as its author wrote it: with the keys that it has, and no others. */
export interface AsWritten {
  /** Made when it is first asked for. */
  readonly listing: () => JsonObject;
}

/** A template that brings its own matching, and lists its members as they are. */
export type RegisteredTemplate = ResourceTemplateDefinition &
  AsWritten & {
    readonly variables: readonly string[];
    match(uri: string): Record<string, string> | undefined;
  };

/** What `prompts/get` answers, as the author of a registered prompt gives it. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

/** What a registration has registered for one caller, or for everybody. */
export interface RegisteredEntries {
  readonly tools: readonly (AnyTool & AsWritten)[];
  readonly prompts: readonly (AnyPrompt & AsWritten)[];
  readonly resources: readonly (ResourceDefinition & AsWritten)[];
  readonly templates: readonly RegisteredTemplate[];
}

/** What `registrations()` gives: hand it to `createCatalogue`. */
export interface Registrations {
  /**
   * What is registered for this caller: the same value for every caller if the registration does not look at them.
   * @throws what the registration throws. The caller is then refused.
   */
  entriesFor(caller: Caller): RegisteredEntries | Promise<RegisteredEntries>;
}
