/**
 * Checks what a tool gave back and turns it into the exact JSON that goes on the wire, so that no lane's transport
 * ever meets a value that it cannot carry. Pure.
 */
import type { ContentBlock, ToolReply } from '../define/reply.ts';
import { isPlainObject, utf8BytesOver, wireText } from '../json.ts';
import { parse, type Schema, type SchemaIssue } from '../schema/standard.ts';
import { handleText } from '../state/handle-texts.ts';
import { blocksFor, HAS_ALL, hasSince } from './versions.ts';

/** A tool result as it goes on the wire, on every lane (2026 adds its envelope keys around it). */
export interface WireToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type CheckedReply =
  | { readonly ok: true; readonly result: WireToolResult }
  | {
      readonly ok: false;
      readonly reason: 'invalid_result';
      readonly problem: string;
      /** What the output schema's own code threw. */
      readonly cause?: unknown;
    }
  | { readonly ok: false; readonly reason: 'result_too_large' };

export interface ReplyRules {
  readonly output: Schema | undefined;
  readonly maxBytes: number;
  /** Of a stateful tool: added to structured content after the output schema has passed it, and told in words. */
  readonly handle?: string;
  /** The protocol version that the client speaks; undefined for the newest. */
  readonly version?: string;
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
  if (raw.structuredContent !== undefined && !isPlainObject(raw.structuredContent))
    return invalid('structuredContent is not an object');
  const fitted = await fit(raw, rules);
  return fitted.ok ? onWire(raw, fitted, rules) : fitted;
}

interface Fitted {
  readonly ok: true;
  readonly structured?: Readonly<Record<string, unknown>>;
  /** Structured content of an error reply that is no instance of the output schema: told as text. */
  readonly unfit?: Readonly<Record<string, unknown>>;
}

/** Structured content as the listed output schema promises it. */
async function fit({ structuredContent: raw, isError }: ToolReply, rules: ReplyRules): Promise<CheckedReply | Fitted> {
  const { output, handle } = rules;
  const withHandle = (structured: Fitted['structured']): Fitted =>
    handle === undefined
      ? { ok: true, ...(structured !== undefined && { structured }) }
      : { ok: true, structured: { ...structured, handle } };
  if (isError === true) {
    if (raw === undefined) return { ok: true };
    if (output === undefined) return { ok: true, structured: raw };
    // SDK v1's client holds the structured content of an error against the schema too, and throws the reply away.
    const parsed = await parse(output, raw);
    return parsed.ok && isPlainObject(parsed.value) ? withHandle(parsed.value) : { ok: true, unfit: raw };
  }
  if (output === undefined) return withHandle(raw);
  if (raw === undefined) return invalid('the tool has an output schema but gave no structuredContent');
  const parsed = await parse(output, raw);
  if (!parsed.ok)
    return {
      ...invalid(`structuredContent does not fit the output schema: ${describe(parsed.issues)}`),
      ...('cause' in parsed && { cause: parsed.cause }),
    };
  // The parsed value is sent: the listing promises its defaults and forbids the keys that parsing drops.
  return isPlainObject(parsed.value) ? withHandle(parsed.value) : invalid('the output schema gives no object');
}

/** The lanes stamp the protocol's own keys, and only some of them would overwrite a tool's. */
function problemOfMeta(meta: unknown): string | undefined {
  if (meta === undefined) return undefined;
  if (!isPlainObject(meta)) return '_meta is not an object';
  const reserved = Object.keys(meta).find((key) => key.startsWith('io.modelcontextprotocol/'));
  return reserved === undefined ? undefined : `_meta has the key "${reserved}", which is the protocol's`;
}

function onWire(raw: ToolReply, fitted: Fitted, rules: ReplyRules): CheckedReply {
  const { structured } = fitted;
  const isOlder = rules.version !== undefined && rules.version < HAS_ALL;
  const isError = raw.isError === true;
  let text: string;
  try {
    const problem = raw.content === undefined ? undefined : blocksProblem(raw.content);
    if (problem !== undefined) return invalid(problem);
    const content = contentOf(raw, fitted, rules, isOlder);
    text = wireText({
      content: isOlder ? blocksFor(rules.version, content) : content,
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

/** The tool's own blocks, and as text whatever else this client would not see. */
function contentOf(
  { content, isError }: ToolReply,
  { structured, unfit }: Fitted,
  { handle, version }: ReplyRules,
  isOlder: boolean,
): readonly ContentBlock[] {
  const told = (value: unknown): ContentBlock => ({ type: 'text', text: wireText(value) });
  const value = structured ?? unfit;
  const needsTelling =
    content === undefined || unfit !== undefined || (isOlder && !hasSince(version, 'structuredContent'));
  return [
    ...(content ?? []),
    ...(value !== undefined && needsTelling ? [told(value)] : []),
    ...(handle === undefined || isError === true ? [] : [{ type: 'text', text: handleText(handle) } as const]),
  ];
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

const invalid = (problem: string): Extract<CheckedReply, { reason: 'invalid_result' }> => ({
  ok: false,
  reason: 'invalid_result',
  problem,
});
const describe = (issues: readonly SchemaIssue[]): string =>
  issues.map(({ path, message }) => `${path === '' ? 'root' : path}: ${message}`).join('; ');
