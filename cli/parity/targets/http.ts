/** Streamable HTTP, raw: one POST a message, the answer as JSON or in the event stream that the POST opened. */
import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import { isPlainObject } from '../../../src/shared/json.ts';
import { Exchange, TimedOut } from './exchange.ts';
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
const CLOSE_TIMEOUT_MS = 5_000;

export function httpWire(url: string, headers: Readonly<Record<string, string>>, reuse: boolean): Wire {
  const exchange = new Exchange(url, reuse);
  let session: Readonly<Record<string, string>> = {};
  let lane: string | undefined;
  const post = async <T>(
    what: string,
    body: object,
    options: SendOptions,
    use: (response: IncomingMessage) => Promise<T>,
  ): Promise<T> => {
    const sent = { ...BASE, ...headers, ...session, ...options.headers };
    try {
      return await exchange.send({ method: 'POST', headers: sent, body: JSON.stringify(body) }, options.timeoutMs, use);
    } catch (cause) {
      if (cause instanceof WireFault) throw cause;
      if (cause instanceof TimedOut)
        throw new WireFault('no_answer', `no answer to ${what} within ${options.timeoutMs} ms`, { cause });
      throw connectionFault(url, cause);
    }
  };
  return {
    send: (request, options) =>
      post(request.method, request, options, async (response): Promise<Received> => {
        lane = /(?:^|,)\s*lane\s*;\s*desc="?([\w-]+)/.exec(headerOf(response, 'server-timing') ?? '')?.[1];
        const message = await answerIn(response, request, (reply) => {
          // A server's own request is answered beside the stream; whether it arrives is the server's concern.
          post('a reply', reply, options, drained).catch(() => undefined);
        });
        const sessionId = headerOf(response, 'mcp-session-id');
        if (sessionId !== undefined && request.method === 'initialize') session = { 'mcp-session-id': sessionId };
        return { message, ...(sessionId !== undefined && { sessionId }) };
      }),
    notify: (method, options) => post(method, { jsonrpc: '2.0', method }, options, drained),
    lane: () => lane,
    close: async () => {
      // A session that stays behind costs the server, not the comparison.
      if (session['mcp-session-id'] !== undefined)
        await exchange
          .send({ method: 'DELETE', headers: { ...headers, ...session } }, CLOSE_TIMEOUT_MS, drained)
          .catch(() => undefined);
      exchange.close();
    },
  };
}

const drained = (response: IncomingMessage): Promise<void> => {
  response.resume();
  return Promise.resolve();
};

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** @throws WireFault when the response holds no answer to the request. */
async function answerIn(
  response: IncomingMessage,
  request: Request,
  reply: (message: object) => void,
): Promise<unknown> {
  const status = response.statusCode ?? 0;
  if (status === 401 || status === 403) {
    const asks = headerOf(response, 'www-authenticate');
    const said = excerpt(await textOf(response));
    throw new WireFault('refused_sign_in', `HTTP ${status}${asks === undefined ? '' : ` (${asks})`}: ${said}`);
  }
  const type = headerOf(response, 'content-type') ?? '';
  if (type.includes('text/event-stream')) return inEvents(response, request, reply);
  const text = await textOf(response);
  const found = parsed(text).find((each) => isAnswer(each, request.id));
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

async function inEvents(
  response: IncomingMessage,
  request: Request,
  reply: (message: object) => void,
): Promise<unknown> {
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
  for await (const chunk of chunks(response)) {
    parser.feed(chunk);
    if (found === undefined) continue;
    linger(response);
    return found;
  }
  throw new WireFault('died', `the stream ended before the answer to ${request.method}`);
}

/** Reads on, so that the connection can be used again, but not for long. */
function linger(response: IncomingMessage): void {
  if (response.complete) return void response.resume();
  const timer = setTimeout(() => response.destroy(), LINGER_MS);
  response
    .once('close', () => clearTimeout(timer))
    .once('error', () => undefined)
    .resume();
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of chunks(response)) text += chunk;
  return text;
}

/**
 * The body as text. Who stops reading leaves the rest to be read in the background for a moment, so that the connection
 * can be used again.
 * @throws WireFault when more comes than any answer needs.
 */
async function* chunks(response: IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  const body = response.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const chunk of body) {
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
