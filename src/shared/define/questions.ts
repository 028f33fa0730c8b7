/** What a tool may ask of the client while it runs: the user, the client's model, and the client's folders. */
import { CatalogueError } from '../catalogue/error.ts';
import { toForm } from '../schema/form.ts';
import type { InferOutput, Schema } from '../schema/standard.ts';
import type { ContentBlock } from './reply.ts';

/** The protocol's own names for what a client may declare that it can be asked for. */
export const ASKABLE = ['elicitation', 'sampling', 'roots'] as const;
/** What a client may be asked for. */
export type Askable = (typeof ASKABLE)[number];

/** A question to the user or the client. */
export interface Question<S extends Schema> {
  /** The text shown to the user. */
  readonly message: string;
  /**
   * What a client can draw as a form: a flat object of strings (also with the format email, uri, date or date-time),
   * numbers, booleans, enums of strings, and arrays of such enums.
   */
  readonly schema: S;
}

/**
 * Defines a question, so that a form which no client can draw is refused when the Worker starts. A question that is only
 * written where it is asked is refused there, and the call fails. For a message that depends on the call, ask
 * `{ ...question, message: … }`.
 * @throws CatalogueError naming the field and the remedy.
 * @example
 * ```ts
 * import { defineQuestion } from 'hybrid-mcp/define';
 * import { z } from 'zod';
 *
 * export const howMany = defineQuestion({ message: 'How many?', schema: z.object({ count: z.number() }) });
 * ```
 */
export function defineQuestion<S extends Schema>(question: Question<S>): Question<S> {
  const { message }: { readonly message: unknown } = question;
  if (typeof message !== 'string' || message.trim() === '') {
    const remedy = 'The user reads it above the form: write one.';
    const named = typeof message === 'string' ? message : '(unnamed)';
    throw new CatalogueError('question', named, 'has no message', remedy);
  }
  toForm(question.schema, { kind: 'question', name: message, part: 'form' });
  return question;
}

/** What the user or the client answers to a question. */
export type Answer<S extends Schema> =
  | { readonly action: 'accept'; readonly content: InferOutput<S> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** A message to the client's model. */
export interface SampleMessage {
  readonly role: 'user' | 'assistant';
  readonly content: Extract<ContentBlock, { type: 'text' | 'image' | 'audio' }>;
}

/** What the client's model is asked. */
export interface SampleRequest {
  readonly messages: readonly SampleMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
}

/** What the client's model answered. */
export interface Sample {
  /** The blocks that the model gave, also where the client sent only one. */
  readonly content: readonly ContentBlock[];
  readonly model: string;
  readonly stopReason?: string;
}

/** A folder or place that the client lets the server work in. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/**
 * The questions of a tool or a prompt. On the modern lane the code runs again from the start with the answers at hand,
 * so nothing before a question may have an effect that must happen once. Questions asked together (`Promise.all`) reach
 * the client together. On a lane that cannot ask, the call ends with an error that names the way out; code after the
 * question never runs.
 *
 * Each question has a key, which names it within the tool: the same key must always mean the same question.
 */
export interface Questions {
  /** True where this client can be asked for it on this lane. */
  can(what: Askable): boolean;
  /** Asks the user. */
  ask<S extends Schema>(key: string, question: Question<S>): Promise<Answer<S>>;
  /** Asks the client's model. A client that refuses ends the call. Deprecated by the 2026-07-28 protocol. */
  sample(key: string, request: SampleRequest): Promise<Sample>;
  /** Asks which folders the client works in. Deprecated by the 2026-07-28 protocol. */
  roots(key: string): Promise<readonly Root[]>;
}
