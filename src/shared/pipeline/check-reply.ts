/**
 * Checks what a tool gave back and turns it into the exact JSON that goes on the wire, so that no lane's transport
 * ever meets a value that it cannot carry. Pure.
 */
import type { ContentBlock, ToolReply } from '../define/reply.ts';
import { isPlainObject, utf8BytesOver } from '../json.ts';
import { parse, type Schema, type SchemaIssue } from '../schema/standard.ts';
import { handleText } from '../state/handle-texts.ts';

/** A tool result as it goes on the wire, on every lane (2026 adds its envelope keys around it). */
export interface WireToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type CheckedReply =
  | { readonly ok: true; readonly result: WireToolResult }
  | { readonly ok: false; readonly reason: 'invalid_result'; readonly problem: string }
  | { readonly ok: false; readonly reason: 'result_too_large' };

export interface ReplyRules {
  readonly output: Schema | undefined;
  readonly maxBytes: number;
  /** Of a stateful tool: added to structured content after the output schema has passed it, and told in words. */
  readonly handle?: string;
}

const REPLY_KEYS = new Set(['content', 'structuredContent', 'isError', '_meta']);

export async function checkReply(value: unknown, rules: ReplyRules): Promise<CheckedReply> {
  if (!isPlainObject(value)) return invalid('the reply is not an object');
  // Other keys are plain data on one lane and protocol on another (`task`, `resultType`, `inputRequests` …).
  const foreign = Object.keys(value).find((key) => !REPLY_KEYS.has(key));
  if (foreign !== undefined) return invalid(`the reply has the key "${foreign}", which is not one of a tool's`);

  const metaProblem = problemOfMeta(value['_meta']);
  if (metaProblem !== undefined) return invalid(metaProblem);
  const raw: ToolReply = value;
  const isError = raw.isError === true;
  let structured = raw.structuredContent;
  if (structured !== undefined && !isPlainObject(structured)) return invalid('structuredContent is not an object');
  if (rules.output !== undefined && !isError) {
    if (structured === undefined) return invalid('the tool has an output schema but gave no structuredContent');
    const parsed = await parse(rules.output, structured);
    if (!parsed.ok) return invalid(`structuredContent does not fit the output schema: ${describe(parsed.issues)}`);
    // The parsed value is sent: the listing promises its defaults and forbids the keys that parsing drops.
    if (!isPlainObject(parsed.value)) return invalid('the output schema gives no object');
    structured = parsed.value;
  }
  if (rules.handle !== undefined && !isError) structured = { ...structured, handle: rules.handle };
  return onWire(raw, structured, isError, rules);
}

/** The lanes stamp the protocol's own keys, and only some of them would overwrite a tool's. */
function problemOfMeta(meta: unknown): string | undefined {
  if (meta === undefined) return undefined;
  if (!isPlainObject(meta)) return '_meta is not an object';
  const reserved = Object.keys(meta).find((key) => key.startsWith('io.modelcontextprotocol/'));
  return reserved === undefined ? undefined : `_meta has the key "${reserved}", which is the protocol's`;
}

function onWire(
  raw: ToolReply,
  structured: ToolReply['structuredContent'],
  isError: boolean,
  rules: ReplyRules,
): CheckedReply {
  let text: string;
  try {
    const content = contentOf(raw, structured, isError ? undefined : rules.handle);
    const problem = blocksProblem(content);
    if (problem !== undefined) return invalid(problem);
    text = JSON.stringify({
      content,
      ...(structured !== undefined && { structuredContent: structured }),
      ...(isError && { isError }),
      ...(raw._meta !== undefined && { _meta: raw._meta }),
    });
  } catch (cause) {
    return invalid(`JSON cannot carry the reply: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (utf8BytesOver(text, rules.maxBytes)) return { ok: false, reason: 'result_too_large' };
  // Reading it back drops what JSON drops (functions, undefined), which one lane's storage would choke on.
  return { ok: true, result: JSON.parse(text) as WireToolResult };
}

function contentOf(
  { content }: ToolReply,
  structured: ToolReply['structuredContent'],
  handle: string | undefined,
): readonly ContentBlock[] {
  const own =
    content ?? (structured === undefined ? [] : [{ type: 'text', text: JSON.stringify(structured) } as const]);
  return handle === undefined ? own : [...own, { type: 'text', text: handleText(handle) }];
}

/** The first problem with the blocks, or undefined. Both SDKs' clients refuse what this refuses. */
export function blocksProblem(content: unknown): string | undefined {
  if (!Array.isArray(content)) return 'content is not an array';
  for (const [index, block] of content.entries()) {
    if (!isPlainObject(block) || !isBlock(block)) return `content[${index}] is not a content block`;
  }
  return undefined;
}

function isBlock(block: Record<string, unknown>): boolean {
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string';
    case 'image':
    case 'audio':
      return isBase64(block['data']) && typeof block['mimeType'] === 'string';
    case 'resource':
      return isResourceContents(block['resource']);
    case 'resource_link':
      return typeof block['uri'] === 'string' && typeof block['name'] === 'string';
    default:
      return false;
  }
}

/** True for what `resources/read` and an embedded resource may carry: a URI with text or base64. */
export function isResourceContents(value: unknown): boolean {
  if (!isPlainObject(value) || typeof value['uri'] !== 'string') return false;
  return typeof value['text'] === 'string' || isBase64(value['blob']);
}

/** The alphabet and the padding; without reading the text twice, since images are large. */
function isBase64(value: unknown): boolean {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

const invalid = (problem: string): CheckedReply => ({ ok: false, reason: 'invalid_result', problem });
const describe = (issues: readonly SchemaIssue[]): string =>
  issues.map(({ path, message }) => `${path === '' ? 'root' : path}: ${message}`).join('; ');
