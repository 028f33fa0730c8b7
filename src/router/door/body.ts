/** Reads a posted body once, within the limit by counted bytes, and makes sure that it is JSON-RPC. */
import { isPlainObject } from '../../shared/json.ts';
import { bodyTooLarge, bodyUnreadable, contentEncoding, contentType, notJson, type Refusal } from '../refusal.ts';
import { isId, readMessage, type MessageRead } from './shape.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** False where the lane reads one message at a time. */
  readonly batches: boolean;
}

export async function readBody(request: Request, limits: BodyLimits): Promise<MessageRead> {
  const { headers } = request;
  const { maxBytes } = limits;
  if (!isJson(headers.get('content-type'))) return refuse(contentType);
  if ((headers.get('content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity') {
    return refuse(contentEncoding);
  }
  const length = headers.get('content-length');
  const read =
    Number(length ?? '0') > maxBytes
      ? 'too_large'
      : await (length === null ? boundedText(request, maxBytes) : wholeText(request, maxBytes));
  if (read === 'too_large') return refuse(bodyTooLarge(maxBytes));
  if (read === 'unreadable') return refuse(bodyUnreadable);
  let json: unknown;
  try {
    json = JSON.parse(read.text);
  } catch {
    return refuse(notJson);
  }
  const message = readMessage(json, limits.batches);
  return message.ok ? message : { ok: false, refusal: { ...message.refusal, ...idOf(json) } };
}

/** Echoes the id of a single request, so that the client can tell which call was refused. A response's is nobody's. */
function idOf(json: unknown): { id?: string | number } {
  if (!isPlainObject(json) || !isId(json['id'])) return {};
  const isResponse = !('method' in json) && ('result' in json || 'error' in json);
  return isResponse ? {} : { id: json['id'] };
}

/** The media type itself, not a substring: parameters may say anything. */
function isJson(contentType: string | null): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

type Text = { readonly text: string } | 'too_large' | 'unreadable';

/** Fatal: bytes that are not UTF-8 would otherwise become other text than the client sent. */
const STRICT = { fatal: true, ignoreBOM: false } as const;
const wholeDecoder = new TextDecoder('utf-8', STRICT);

/** A body whose length is declared: HTTP itself ends it there, so it can be read in one piece. */
async function wholeText(request: Request, maxBytes: number): Promise<Text> {
  try {
    const bytes = await request.arrayBuffer();
    return bytes.byteLength > maxBytes ? 'too_large' : { text: wholeDecoder.decode(bytes) };
  } catch {
    return 'unreadable';
  }
}

async function boundedText(request: Request, maxBytes: number): Promise<Text> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = request.body?.getReader();
  if (reader === undefined) return { text: '' };
  const decoder = new TextDecoder('utf-8', STRICT);
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode() };
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        await reader.cancel();
        return 'too_large';
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return 'unreadable';
  }
}

const refuse = (refusal: Refusal): MessageRead => ({ ok: false, refusal });
