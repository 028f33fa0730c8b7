/** Streamable HTTP, raw: one POST a message, the answer as JSON or in the event stream that the POST opened. */
import { createParser } from 'eventsource-parser';
import { isPlainObject } from '../../../src/shared/json.ts';
import { replyTo } from './pending.ts';
import {
  excerpt,
  MAX_ANSWER_BYTES,
  MAX_OTHER_MESSAGES,
  WireFault,
  type Received,
  type Request,
  type SendOptions,
  type Wire,
} from './wire.ts';

const BASE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } as const;
/** How long a stream may stay open after its answer; most end with it, and a reused connection is worth a moment. */
const LINGER_MS = 250;

export function httpWire(url: string, headers: Readonly<Record<string, string>>): Wire {
  let session: Readonly<Record<string, string>> = {};
  const post = (body: object, options: SendOptions, signal: AbortSignal): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { ...BASE, ...headers, ...session, ...options.headers },
      body: JSON.stringify(body),
      signal,
      redirect: 'manual',
    });
  const within = async <T>(what: string, timeoutMs: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), timeoutMs);
    try {
      return await run(stop.signal);
    } catch (cause) {
      if (cause instanceof WireFault) throw cause;
      if (stop.signal.aborted) throw new WireFault('no_answer', `no answer to ${what} within ${timeoutMs} ms`);
      throw connectionFault(url, cause);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    send: (request, options) =>
      within(request.method, options.timeoutMs, async (signal): Promise<Received> => {
        const response = await post(request, options, signal);
        const message = await answerIn(response, request, (reply) => {
          // A server's own request is answered beside the stream; whether it arrives is the server's concern.
          post(reply, options, signal)
            .then((each) => each.body?.cancel())
            .catch(() => undefined);
        });
        const sessionId = response.headers.get('mcp-session-id');
        if (sessionId !== null && request.method === 'initialize') session = { 'mcp-session-id': sessionId };
        return { message, ...(sessionId !== null && { sessionId }) };
      }),
    notify: (method, options) =>
      within(method, options.timeoutMs, async (signal) => {
        const response = await post({ jsonrpc: '2.0', method }, options, signal);
        await response.body?.cancel();
      }),
    close: async () => {
      if (session['mcp-session-id'] === undefined) return;
      // A session that stays behind costs the server, not the comparison.
      await fetch(url, { method: 'DELETE', headers: { ...headers, ...session }, signal: AbortSignal.timeout(5_000) })
        .then((response) => response.body?.cancel())
        .catch(() => undefined);
    },
  };
}

/** @throws WireFault when the response holds no answer to the request. */
async function answerIn(response: Response, request: Request, reply: (message: object) => void): Promise<unknown> {
  const { status } = response;
  if (status === 401 || status === 403) {
    const asks = response.headers.get('www-authenticate');
    const said = excerpt(await textOf(response));
    throw new WireFault('refused_sign_in', `HTTP ${status}${asks === null ? '' : ` (${asks})`}: ${said}`);
  }
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/event-stream')) return inEvents(response, request, reply);
  const text = await textOf(response);
  const messages = parsed(text);
  const found = messages.find((each) => isAnswer(each, request.id));
  if (found !== undefined) return found;
  throw new WireFault(
    'garbage',
    `HTTP ${status} ${type === '' ? 'without content type' : type} is no JSON-RPC answer to ${request.method}: ${text === '' ? '(empty)' : excerpt(text)}`,
  );
}

function parsed(text: string): readonly unknown[] {
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) ? json : [json];
  } catch {
    return [];
  }
}

const isAnswer = (message: unknown, id: number): boolean =>
  isPlainObject(message) &&
  message['method'] === undefined &&
  (message['id'] === id || (isPlainObject(message['error']) && (message['id'] ?? null) === null));

async function inEvents(response: Response, request: Request, reply: (message: object) => void): Promise<unknown> {
  let found: unknown;
  let others = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '') return;
      const [message] = parsed(data);
      if (message === undefined) throw new WireFault('garbage', `an event is no JSON: ${excerpt(data)}`);
      if (isAnswer(message, request.id)) found = message;
      else if (isPlainObject(message) && typeof message['method'] === 'string' && 'id' in message)
        reply(replyTo(message['id'], message['method']));
      others += 1;
      if (others > MAX_OTHER_MESSAGES)
        throw new WireFault(
          'flood',
          `more than ${MAX_OTHER_MESSAGES} messages came on the stream of ${request.method}`,
        );
    },
  });
  const reader = chunks(response);
  for (let read = await reader.next(); read.done !== true; read = await reader.next()) {
    parser.feed(read.value);
    if (found === undefined) continue;
    linger(reader, response);
    return found;
  }
  throw new WireFault('died', `the stream ended before the answer to ${request.method}`);
}

/** Reads on, so that the connection can be used again, but not for long. */
function linger(reader: AsyncIterator<string>, response: Response): void {
  const timer = setTimeout(() => {
    reader.return?.().catch(() => undefined);
  }, LINGER_MS);
  const rest = async (): Promise<void> => {
    while ((await reader.next()).done !== true);
  };
  rest()
    .catch(() => response.body?.cancel())
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}

async function textOf(response: Response): Promise<string> {
  // The length is known for nearly every answer, and then the fast way is safe.
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  if (length <= MAX_ANSWER_BYTES) return response.text();
  let text = '';
  for await (const chunk of chunks(response)) text += chunk;
  return text;
}

/** @throws WireFault when more comes than any answer needs. */
async function* chunks(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new WireFault('flood', `the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    yield decoder.decode(chunk, { stream: true });
  }
}

export function connectionFault(url: string, thrown: unknown): WireFault {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  const code = isCoded(cause) ? cause.code : '';
  const text = cause instanceof Error && cause.message !== '' ? cause.message : code === '' ? String(thrown) : code;
  const unreachable = [
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
  ];
  const message = `${new URL(url).origin}: ${excerpt(text)}`;
  return new WireFault(unreachable.includes(code) ? 'unreachable' : 'died', message, { cause: thrown });
}

const isCoded = (value: unknown): value is { code: string } =>
  typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string';
