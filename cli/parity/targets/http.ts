/** Streamable HTTP, raw: one POST a message, the answer as JSON or in the event stream that the POST opened. */
import type { IncomingMessage } from 'node:http';
import { URL } from 'node:url';
import { isPlainObject } from '../../../src/shared/json.ts';
import { textOf } from './body.ts';
import { inEvents, parsed } from './events.ts';
import { Exchange, TimedOut, type Sent } from './exchange.ts';
import { MOST_REDIRECTS, redirectOf } from './redirect.ts';
import { isScopeRefusal } from './scope.ts';
import { retryAfter } from './throttle.ts';
import { excerpt, WireFault, type Notify, type Request, type SendOptions, type Wire } from './wire.ts';

const BASE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } as const;
const CLOSE_TIMEOUT_MS = 5_000;
/** Replies to a server's own requests that are on their way at a time. */
const MOST_REPLIES = 4;
/** How much of what stands in a refusal is read. */
const REFUSAL_BYTES = 64 * 1024;

export function httpWire(
  address: string,
  headers: Readonly<Record<string, string>>,
  reuse: boolean,
  notify: Notify,
): Wire {
  const exchange = new Exchange(address, reuse);
  const open = new Set<Promise<void>>();
  let url = new URL(address);
  let session: Readonly<Record<string, string>> = {};
  let lane: string | undefined;
  let replies = 0;
  const send = async <T>(
    sent: Sent,
    timeoutMs: number,
    use: (response: IncomingMessage) => Promise<T>,
  ): Promise<T | undefined> => {
    const startedAt = performance.now();
    for (let followed = 0; followed <= MOST_REDIRECTS; followed += 1) {
      const left = timeoutMs - (performance.now() - startedAt);
      const went = await exchange.send<{ value: T } | { next: URL }>({ ...sent, url }, left, async (response) => {
        const next = redirectOf(sent.method, url, response.statusCode ?? 0, headerOf(response, 'location'));
        if (next === undefined) return { value: await use(response) };
        response.resume();
        return { next };
      });
      if (!('next' in went)) return went.value;
      url = went.next;
    }
    throw new WireFault('refused', `more than ${MOST_REDIRECTS} redirects, the last one to ${url.href}`);
  };
  const post = async <T>(
    what: string,
    body: object,
    options: SendOptions,
    use: (response: IncomingMessage) => Promise<T>,
  ): Promise<T | undefined> => {
    const sent = { ...BASE, ...headers, ...session, ...options.headers };
    try {
      return await send({ method: 'POST', headers: sent, body: JSON.stringify(body) }, options.timeoutMs, use);
    } catch (cause) {
      if (cause instanceof WireFault) throw cause;
      if (cause instanceof TimedOut)
        throw new WireFault('no_answer', `no answer to ${what} within ${options.timeoutMs} ms`, { cause });
      throw connectionFault(address, cause);
    }
  };
  return {
    ended: undefined,
    send: (request, options) =>
      post(request.method, request, options, async (response): Promise<unknown> => {
        lane = /(?:^|,)\s*lane\s*;\s*desc="?([\w-]+)/.exec(headerOf(response, 'server-timing') ?? '')?.[1];
        const message = await answerIn(response, request, options, {
          inSession: session['mcp-session-id'] !== undefined,
          notify,
          // A server's own request is answered beside the stream; whether it arrives is the server's concern.
          reply: (reply) => {
            // A server may ask without an end, and each reply is a connection.
            if (replies >= MOST_REPLIES) return;
            replies += 1;
            void post('a reply', reply, options, drained)
              .catch(() => undefined)
              .finally(() => (replies -= 1));
          },
          lingers: (rest) => {
            open.add(rest);
            void rest.finally(() => open.delete(rest));
          },
        });
        const sessionId = headerOf(response, 'mcp-session-id');
        if (sessionId !== undefined && request.method === 'initialize') session = { 'mcp-session-id': sessionId };
        return message;
      }),
    notify: async (method, options) => {
      await post(method, { jsonrpc: '2.0', method }, options, async (response) => {
        const status = response.statusCode ?? 0;
        if (status >= 400) throw refusal(response, status, method, await textOf(response, REFUSAL_BYTES));
        response.resume();
      });
    },
    lane: () => lane,
    close: async () => {
      // What may still come on an open stream is another answer.
      await Promise.all(open);
      // A session that stays behind costs the server, not the comparison.
      if (session['mcp-session-id'] !== undefined)
        await send({ method: 'DELETE', headers: { ...headers, ...session } }, CLOSE_TIMEOUT_MS, drained).catch(
          () => undefined,
        );
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

interface Around {
  readonly inSession: boolean;
  readonly notify: Notify;
  readonly reply: (message: object) => void;
  readonly lingers: (rest: Promise<void>) => void;
}

/** @throws WireFault when the response holds no answer to the request. */
async function answerIn(
  response: IncomingMessage,
  request: Request,
  { errorStatus }: SendOptions,
  { inSession, notify, reply, lingers }: Around,
): Promise<unknown> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) {
    const text = await textOf(response, REFUSAL_BYTES);
    const [message] = parsed(text);
    if (isPlainObject(message) && message['id'] === request.id && isPlainObject(message['error'])) {
      const { code } = message['error'];
      // The era itself sends this error with this status, so it is the answer.
      if (typeof code === 'number' && errorStatus?.get(code) === status) return message;
      if (isScopeRefusal(status, headerOf(response, 'www-authenticate'), text)) return message;
    }
    const lost = inSession && request.method !== 'initialize' && (status === 404 || saysLost(status, text));
    throw refusal(response, status, request.method, text, lost);
  }
  const type = headerOf(response, 'content-type') ?? '';
  if (type.includes('text/event-stream'))
    return inEvents(response, {
      request,
      reply,
      notify,
      isAnswer: (message) => isAnswer(message, request.id),
      lingers,
    });
  const text = await textOf(response);
  const [found, ...others] = parsed(text).filter((each) => isAnswer(each, request.id));
  if (others.length > 0) notify({ notice: 'answered_twice', request });
  if (found !== undefined) return found;
  throw new WireFault(
    'garbage',
    `HTTP ${status} ${type === '' ? 'without content type' : type} is no JSON-RPC answer to ${request.method}: ${text === '' ? '(empty)' : excerpt(text)}`,
    { status },
  );
}

/** Some servers say with 400 that they do not know a session (the specification has 404). */
const saysLost = (status: number, text: string): boolean => status === 400 && /session/i.test(text);

function refusal(response: IncomingMessage, status: number, what: string, body: string, lost = false): WireFault {
  const asks = headerOf(response, 'www-authenticate');
  const wait = headerOf(response, 'retry-after');
  const retryAfterMs = retryAfter(wait, Date.now());
  const said = `${asks === undefined ? '' : ` (${asks})`}${wait === undefined ? '' : ` (Retry-After: ${excerpt(wait, 40)})`}: ${body === '' ? '(empty)' : excerpt(body)}`;
  if (status === 401 || status === 403)
    return new WireFault('refused_sign_in', `HTTP ${status}${said}`, { status, body });
  const reason = lost ? 'session_lost' : 'refused';
  return new WireFault(reason, `HTTP ${status} refuses ${what}${said}`, {
    status,
    body,
    ...(retryAfterMs !== undefined && !lost && { retryAfterMs }),
  });
}

const isAnswer = (message: unknown, id: number): boolean =>
  isPlainObject(message) &&
  message['method'] === undefined &&
  (message['id'] === id || (isPlainObject(message['error']) && (message['id'] ?? null) === null));

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
