/** HTTP+SSE, the transport before Streamable HTTP: answers come on one stream, and its first event says where to post. */
import { URL } from 'node:url';
import { createParser } from 'eventsource-parser';
import { connectionFault } from './http.ts';
import { Pending } from './pending.ts';
import { isScopeRefusal } from './scope.ts';
import { MOST_REDIRECTS, redirectOf, sameOrigin } from './redirect.ts';
import { retryAfter } from './throttle.ts';
import { excerpt, MAX_ANSWER_BYTES, WireFault, type Notify, type Wire } from './wire.ts';

type Method = 'GET' | 'POST';
/** Replies to a server's own requests that are on their way at a time. */
const MOST_REPLIES = 4;

/** @throws WireFault when there is no such stream. */
export async function sseWire(
  url: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  notify: Notify,
): Promise<Wire> {
  const stop = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stop.abort();
  }, timeoutMs);
  try {
    const response = await ask('GET', url, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: stop.signal,
    });
    const type = response.headers.get('content-type') ?? '';
    if (response.body === null || !type.includes('text/event-stream')) {
      await response.body?.cancel();
      throw new WireFault('garbage', `HTTP ${response.status} ${type} is no event stream`, { status: response.status });
    }
    return await listen(url, headers, response.body, stop, notify);
  } catch (cause) {
    stop.abort();
    if (late) throw new WireFault('no_answer', `no event stream within ${timeoutMs} ms`, { cause });
    throw cause instanceof WireFault ? cause : connectionFault(url, cause);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * One request. The headers of a target go to no other origin, so redirects are followed by hand.
 * @throws WireFault for what is refused.
 */
async function ask(method: Method, url: string, init: Omit<RequestInit, 'method'>): Promise<Response> {
  let from = new URL(url);
  for (let followed = 0; followed <= MOST_REDIRECTS; followed += 1) {
    const response = await fetch(from.href, { ...init, method, redirect: 'manual' });
    const { status } = response;
    if (status >= 200 && status <= 299) return response;
    const location = response.headers.get('location') ?? undefined;
    const next = status >= 300 && status <= 399 ? redirectOf(method, from, status, location) : undefined;
    if (next === undefined) throw await refusalOf(response, method);
    await response.body?.cancel();
    from = next;
  }
  throw new WireFault('refused', `more than ${MOST_REDIRECTS} redirects, the last one to ${from.href}`);
}

async function refusalOf(response: Response, method: Method): Promise<WireFault> {
  const { status } = response;
  const text = await beginningOf(response);
  const said = `HTTP ${status} on ${method}: ${text === '' ? '(empty)' : excerpt(text)}`;
  const answers = isScopeRefusal(status, response.headers.get('www-authenticate') ?? undefined, text);
  if (status === 401 || status === 403)
    return new WireFault('refused_sign_in', said, { status, ...(answers && { body: text }) });
  const retryAfterMs = retryAfter(response.headers.get('retry-after') ?? undefined, Date.now());
  return new WireFault('refused', said, { status, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > 2_000) break;
  }
  return text;
}

async function listen(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: ReadableStream<Uint8Array>,
  stop: AbortController,
  notify: Notify,
): Promise<Wire> {
  let found: (url: string) => void = () => undefined;
  let missing: (fault: WireFault) => void = () => undefined;
  const endpoint = new Promise<string>((resolve, reject) => {
    found = resolve;
    missing = reject;
  });
  const send = async (message: object): Promise<void> => {
    const to = await endpoint;
    try {
      const response = await ask('POST', to, {
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(message),
        signal: stop.signal,
      });
      await response.body?.cancel();
    } catch (cause) {
      // Refused for a scope, which is the answer; it does not come on the stream.
      if (!(cause instanceof WireFault) || cause.body === undefined) throw cause;
      pending.read(cause.body);
    }
  };
  let replies = 0;
  const pending = new Pending((message) => {
    // A server may ask without an end, and each reply is a connection.
    if (replies >= MOST_REPLIES) return;
    replies += 1;
    send(message)
      .catch(() => undefined)
      .finally(() => (replies -= 1));
  }, notify);
  const onEndpoint = (data: string): void => {
    const to = URL.canParse(data, url) ? new URL(data, url) : undefined;
    if (to !== undefined && sameOrigin(new URL(url), to)) return found(to.href);
    const where = to === undefined ? 'what is no URL' : to.origin;
    const fault = new WireFault(
      'refused',
      `the endpoint that the stream names is at ${where} and not at the target's origin, so nothing is sent there`,
    );
    pending.fail(fault);
    missing(fault);
    stop.abort();
  };
  read(body, pending, onEndpoint)
    .catch(() => undefined)
    .finally(() => {
      pending.fail(new WireFault('died', 'the event stream ended'));
      missing(pending.failed ?? new WireFault('died', 'the event stream ended'));
    });
  await endpoint;
  return {
    get ended() {
      return pending.failed;
    },
    send: async (request, { timeoutMs }) => {
      const answer = pending.wait(request, timeoutMs);
      // What the POST says matters only when no answer comes.
      const posted = send(request);
      const [message] = await Promise.all([answer, posted]).catch((cause: unknown) => {
        answer.catch(() => undefined);
        throw cause instanceof WireFault ? cause : connectionFault(url, cause);
      });
      return message;
    },
    notify: (method) => send({ jsonrpc: '2.0', method }),
    close: () => {
      stop.abort();
      return Promise.resolve();
    },
  };
}

async function read(
  body: ReadableStream<Uint8Array>,
  pending: Pending,
  onEndpoint: (data: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let since = 0;
  let named = false;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      since = 0;
      if (event === 'endpoint') {
        // A second one would move the rest of the session elsewhere.
        if (!named) onEndpoint(data);
        named = true;
      } else if (data !== '') pending.read(data);
    },
  });
  for await (const chunk of body) {
    since += chunk.byteLength;
    if (since > MAX_ANSWER_BYTES)
      pending.fail(new WireFault('flood', `an event is larger than ${MAX_ANSWER_BYTES} bytes`));
    if (pending.failed !== undefined) return;
    parser.feed(decoder.decode(chunk, { stream: true }));
  }
}
