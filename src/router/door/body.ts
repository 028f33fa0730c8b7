/** Reads a posted body once, within the limit by counted bytes, and makes sure that it is JSON-RPC. */
import { isPlainObject } from '../../shared/json.ts';
import { CODE, type Refusal } from '../refusal.ts';
import { checkShape, isId } from './shape.ts';

export interface PostedBody {
  readonly json: unknown;
}

export type BodyRead =
  | { readonly ok: true; readonly body: PostedBody }
  | { readonly ok: false; readonly refusal: Refusal };

export interface BodyLimits {
  readonly maxBytes: number;
  /** False where the lane reads one message at a time. */
  readonly batches: boolean;
}

export async function readBody(request: Request, limits: BodyLimits): Promise<BodyRead> {
  const { headers } = request;
  const { maxBytes } = limits;
  if (!isJson(headers.get('content-type'))) {
    return refuse('content_type', 415, CODE.http, 'Unsupported Media Type: Content-Type must be application/json');
  }
  if ((headers.get('content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity') {
    return refuse('content_encoding', 415, CODE.http, 'Unsupported Media Type: send the body without Content-Encoding');
  }
  const length = headers.get('content-length');
  const read =
    Number(length ?? '0') > maxBytes
      ? 'too_large'
      : await (length === null ? boundedText(request, maxBytes) : wholeText(request, maxBytes));
  if (read === 'too_large') {
    return refuse('body_too_large', 413, CODE.http, `Request body too large: the limit is ${maxBytes} bytes`);
  }
  if (read === 'unreadable')
    return refuse('body_unreadable', 400, CODE.parse, 'Parse error: the body could not be read as UTF-8');
  let json: unknown;
  try {
    json = JSON.parse(read.text);
  } catch {
    return refuse('not_json', 400, CODE.parse, 'Parse error: Invalid JSON');
  }
  const refusal = checkShape(json, limits.batches);
  if (refusal !== undefined) return { ok: false, refusal: { ...refusal, ...idOf(json) } };
  return { ok: true, body: { json } };
}

/** Echoes the id of a single request, so that the client can tell which call was refused. */
export function idOf(json: unknown): { id?: string | number } {
  return isPlainObject(json) && 'method' in json && isId(json['id']) ? { id: json['id'] } : {};
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

const refuse = (reason: Refusal['reason'], status: number, code: number, message: string): BodyRead => ({
  ok: false,
  refusal: { reason, status, code, message },
});
