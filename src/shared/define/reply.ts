/** What a tool gives back, in the protocol's words but without any SDK's types, and the helpers that make it. Pure. */
import type { JsonObject } from '../json.ts';

export interface ContentAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  readonly priority?: number;
  readonly lastModified?: string;
}

interface BlockBase {
  readonly annotations?: ContentAnnotations;
  readonly _meta?: JsonObject;
}

export type TextResource = {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: JsonObject;
};
export type BlobResource = {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: JsonObject;
};
/** The contents of a resource: a text, or bytes in base64. */
export type ResourceContents = TextResource | BlobResource;

/** A content block of a tool result or a prompt message (spec 2025-11-25 and 2026-07-28, `ContentBlock`). */
export type ContentBlock =
  | (BlockBase & { readonly type: 'text'; readonly text: string })
  | (BlockBase & { readonly type: 'image'; readonly data: string; readonly mimeType: string })
  | (BlockBase & { readonly type: 'audio'; readonly data: string; readonly mimeType: string })
  | (BlockBase & { readonly type: 'resource'; readonly resource: ResourceContents })
  | (BlockBase & {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
      readonly size?: number;
    });

/**
 * A tool's reply. With `structuredContent` and no `content`, the pipeline adds the JSON as a text block, for clients
 * that read text only. `isError: true` tells the model that the tool itself refuses, with a text that helps it.
 */
export interface ToolReply {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/**
 * Makes the reply of a tool.
 *
 * @example
 * ```ts
 * const shown = reply.text('Five.');
 * const refused = reply.error('There is no such city. Try "search" first.');
 * ```
 */
export const reply = {
  /** One text block. */
  text: (text: string): ToolReply => ({ content: [{ type: 'text', text }] }),
  /** Structured content that fits the tool's output schema, with its JSON as text beside it. */
  structured: (structuredContent: Readonly<Record<string, unknown>>): ToolReply => ({ structuredContent }),
  /** A refusal that the model reads: say what is wrong and what to do instead. */
  error: (text: string): ToolReply => ({ content: [{ type: 'text', text }], isError: true }),
  /** Blocks as they are. */
  blocks: (...content: readonly ContentBlock[]): ToolReply => ({ content }),
};
