/** Definitions of prompts and of completions for their arguments. */
import type { Properties } from '../caller.ts';
import type { JsonObject } from '../json.ts';
import type { InferOutput, Schema } from '../schema/standard.ts';
import type { Access } from './access.ts';
import type { CallContext, ToolContext } from './context.ts';
import type { Needing } from './needs.ts';
import type { ContentBlock } from './reply.ts';
import type { Icon } from './tool.ts';

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock;
}

/**
 * Suggests values for an argument from what is typed so far and the arguments already chosen.
 * Give at most 100 values; more are cut, and the client is told that there are more.
 */
export type Completer<Services = unknown, P = Properties> = (
  typed: string,
  chosen: Readonly<Record<string, string>>,
  ctx: CallContext<Services, P>,
) => readonly string[] | Promise<readonly string[]>;

/** What `definePrompt` is given. */
export interface PromptDefinition<A extends Schema, Services = unknown, P = Properties>
  extends Needing<Services, P>, Access<P> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** An object of strings; make an argument optional with `.optional()`, never with a default. */
  readonly args: A;
  readonly complete?: { readonly [argument: string]: Completer<Services, P> };
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  readonly enabled?: boolean;
  /** May ask the client as a tool may; see `Questions`. */
  readonly messages: (
    args: InferOutput<A>,
    ctx: ToolContext<Services, P>,
  ) => readonly PromptMessage[] | Promise<readonly PromptMessage[]>;
}

/** A prompt whatever its arguments are. */
export type AnyPrompt<Services = unknown, P = Properties> = Omit<PromptDefinition<Schema, Services, P>, 'messages'> & {
  readonly messages: (
    args: unknown,
    ctx: ToolContext<Services, P>,
  ) => readonly PromptMessage[] | Promise<readonly PromptMessage[]>;
};

/**
 * Defines a prompt. Its arguments are texts, and may complete themselves.
 *
 * @example
 * ```ts
 * const greet = definePrompt({
 *   name: 'greet',
 *   title: 'Greet',
 *   description: 'Greets somebody.',
 *   args: z.object({ who: z.string() }),
 *   messages: ({ who }) => [{ role: 'user', content: { type: 'text', text: `Greet ${who}.` } }],
 * });
 * ```
 */
export function definePrompt<A extends Schema, Services = unknown, P = Properties>(
  prompt: PromptDefinition<A, Services, P>,
): AnyPrompt<Services, P> {
  return prompt;
}
