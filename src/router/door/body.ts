/** Reads a posted body once, within the limit by counted bytes, and makes sure that it is JSON-RPC. */
import { isPlainObject } from '../../shared/json.ts';
import { CODE, type Refusal } from '../refusal.ts';

export interface PostedBody {
  readonly text: string;
  readonly json: unknown;
}

export type BodyRead =
  | { readonly ok: true; readonly body: PostedBody }
  | { readonly ok: false; readonly refusal: Refusal };

/** Longest batch; SDK v2 has the same limit. */
const MAX_BATCH = 100;

export async function readBody(request: Request, maxBytes: number): Promise<BodyRead> {
  if (!isJson(request.headers.get('content-type'))) {
    return refuse('content_type', 415, CODE.http, 'Unsupported Media Type: Content-Type must be application/json');
  }
  const declared = Number(request.headers.get('content-length') ?? '0');
  const read = declared > maxBytes ? 'too_large' : await boundedText(request, maxBytes);
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
  const refusal = checkShape(json);
  return refusal === undefined ? { ok: true, body: { text: read.text, json } } : { ok: false, refusal };
}

/** The media type itself, not a substring: parameters may say anything. */
function isJson(contentType: string | null): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

async function boundedText(request: Request, maxBytes: number): Promise<{ text: string } | 'too_large' | 'unreadable'> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = request.body?.getReader();
  if (reader === undefined) return { text: '' };
  // Fatal: bytes that are not UTF-8 would otherwise become other text than the client sent.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
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

function checkShape(json: unknown): Refusal | undefined {
  if (!Array.isArray(json)) return isMessage(json) ? undefined : notJsonRpc();
  if (json.length === 0 || json.length > MAX_BATCH) {
    return {
      reason: 'batch',
      status: 400,
      code: CODE.invalidRequest,
      message: `Invalid Request: a batch has 1 to ${MAX_BATCH} messages`,
    };
  }
  if (!json.every(isMessage)) return notJsonRpc();
  if (json.length > 1 && json.some((message) => isPlainObject(message) && message['method'] === 'initialize')) {
    return {
      reason: 'batch',
      status: 400,
      code: CODE.invalidRequest,
      message: 'Invalid Request: initialize cannot be part of a batch',
    };
  }
  return undefined;
}

/** A request, a notification or a response of JSON-RPC 2.0, in MCP's narrower form: the id is a string or an integer. */
function isMessage(value: unknown): boolean {
  if (!isPlainObject(value) || value['jsonrpc'] !== '2.0') return false;
  const { id, method, params } = value;
  if (method !== undefined) {
    return (
      typeof method === 'string' && (id === undefined || isId(id)) && (params === undefined || isPlainObject(params))
    );
  }
  if (!isId(id)) return false;
  const { result, error } = value;
  return (
    isPlainObject(result) !==
    (isPlainObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string')
  );
}

export const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id);

/** True where something in the body waits for an answer. */
export function hasRequests(json: unknown): boolean {
  return (Array.isArray(json) ? json : [json]).some(
    (message) => isPlainObject(message) && 'method' in message && 'id' in message,
  );
}

const notJsonRpc = (): Refusal => ({
  reason: 'not_json_rpc',
  status: 400,
  code: CODE.invalidRequest,
  message: 'Invalid Request: the body is not a JSON-RPC 2.0 message',
});

const refuse = (reason: Refusal['reason'], status: number, code: number, message: string): BodyRead => ({
  ok: false,
  refusal: { reason, status, code, message },
});
