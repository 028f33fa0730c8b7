/** HTTP+SSE, the transport before Streamable HTTP: answers come on one stream, and its first event says where to post. */
import { createParser } from 'eventsource-parser';
import { connectionFault } from './http.ts';
import { Pending } from './pending.ts';
import { excerpt, MAX_ANSWER_BYTES, WireFault, type Wire } from './wire.ts';

/** @throws WireFault when there is no such stream. */
export async function sseWire(
  url: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Wire> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  try {
    const response = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, signal: stop.signal });
    if (response.status === 401 || response.status === 403)
      throw new WireFault('refused_sign_in', `HTTP ${response.status}: ${excerpt(await response.text())}`);
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || response.body === null || !type.includes('text/event-stream')) {
      await response.body?.cancel();
      throw new WireFault('garbage', `HTTP ${response.status} ${type} is no event stream`);
    }
    return await listen(url, headers, response.body, stop);
  } catch (cause) {
    stop.abort();
    if (cause instanceof WireFault) throw cause;
    if (stop.signal.aborted && !(cause instanceof TypeError))
      throw new WireFault('no_answer', `no event stream within ${timeoutMs} ms`, { cause });
    throw connectionFault(url, cause);
  } finally {
    clearTimeout(timer);
  }
}

async function listen(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: ReadableStream<Uint8Array>,
  stop: AbortController,
): Promise<Wire> {
  let found: (url: string) => void = () => undefined;
  let missing: (fault: WireFault) => void = () => undefined;
  const endpoint = new Promise<string>((resolve, reject) => {
    found = resolve;
    missing = reject;
  });
  const send = async (message: object): Promise<void> => {
    const response = await fetch(await endpoint, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal: stop.signal,
    });
    await response.body?.cancel();
    if (response.status === 401 || response.status === 403)
      throw new WireFault('refused_sign_in', `HTTP ${response.status} on POST`);
    if (!response.ok) throw new WireFault('garbage', `HTTP ${response.status} on POST`);
  };
  const pending = new Pending((message) => {
    send(message).catch(() => undefined);
  });
  read(body, pending, (data) => found(new URL(data, url).href))
    .catch(() => undefined)
    .finally(() => {
      pending.fail(new WireFault('died', 'the event stream ended'));
      missing(pending.failed ?? new WireFault('died', 'the event stream ended'));
    });
  await endpoint;
  return {
    send: async (request, { timeoutMs }) => {
      const answer = pending.wait(request.id, request.method, timeoutMs);
      // What the POST says matters only when no answer comes.
      const posted = send(request);
      const [message] = await Promise.all([answer, posted]).catch((cause: unknown) => {
        answer.catch(() => undefined);
        throw cause instanceof WireFault ? cause : connectionFault(url, cause);
      });
      return { message };
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
  const parser = createParser({
    onEvent: ({ event, data }) => {
      since = 0;
      if (event === 'endpoint') onEndpoint(data);
      else if (data !== '') pending.deliver(jsonOf(data, pending));
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

function jsonOf(data: string, pending: Pending): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    pending.fail(new WireFault('garbage', `an event is no JSON: ${excerpt(data)}`));
    return undefined;
  }
}
