/** The last steps of every answer: an end for its stream, the headers, and its line in the log. */
import { writeRequest } from '../state/log.ts';
import { dress } from './answer.ts';
import type { DoorConfig } from './config.ts';
import { idOf } from './door/body.ts';
import type { Served } from './lane-service.ts';
import { CODE } from './refusal.ts';
import type { Subject } from './request-log.ts';
import { boundedStream, joined, openingOf, sseEvent, type StreamEnd } from './stream.ts';
import { verdictOf } from './verdict.ts';

export interface Exchange {
  readonly request: Request;
  readonly config: DoorConfig;
  readonly ctx: ExecutionContext;
  readonly startedAt: number;
  /** When an answer that streams is no longer waited for to be whole. */
  readonly soon: Promise<undefined>;
  readonly route: string;
  readonly subject: Subject;
  /** The posted message; undefined for GET and DELETE. */
  readonly json: unknown;
}

export async function finish(exchange: Exchange, served: Served): Promise<Response> {
  const { request, config } = exchange;
  const { response } = served;
  if (response.body === null || !isStream(response)) {
    if (!config.logRequests) return dress(request, response, served);
    // An answer that does not stream is whole already.
    const body = response.body === null ? null : new Uint8Array(await response.arrayBuffer());
    log(exchange, served, () => (response.ok ? verdictOf(body ?? undefined) : served.reason));
    return dress(request, response, served, body);
  }
  const source = response.body as ReadableStream<Uint8Array>;
  const listens = request.method === 'GET' || exchange.subject.method === 'subscriptions/listen';
  // Whoever listens has to know that the stream is open, and a stream that is open for an hour would be in the log late.
  if (listens) log(exchange, served, () => 'open');
  const { chunks, rest } = listens
    ? { chunks: [], rest: { reader: source.getReader() } }
    : await openingOf(source, exchange.soon);
  if (rest === undefined) {
    log(exchange, served, () => verdictOf(chunks.at(-1)));
    return dress(request, response, served, joined(chunks));
  }
  const ended = Promise.withResolvers<void>();
  // The line is written even where the client has left.
  if (config.logRequests) exchange.ctx.waitUntil(ended.promise);
  const body = boundedStream(
    rest,
    {
      limitMs: listens ? config.listenStreamMs : config.callStreamMs,
      lastWords: lastWords(exchange, listens),
      onEnd: (end, lastChunk) => {
        if (!listens) log(exchange, served, () => verdictOfStream(end, lastChunk));
        ended.resolve();
      },
    },
    chunks,
  );
  return dress(request, response, served, body);
}

const isStream = (response: Response): boolean =>
  response.status === 200 && response.headers.get('content-type')?.startsWith('text/event-stream') === true;

const verdictOfStream = (end: StreamEnd, lastChunk: Uint8Array | undefined): string =>
  end === 'complete' ? verdictOf(lastChunk) : end;

/** What a client that waits for one answer gets when the time of its stream is up. */
function lastWords({ json, config }: Exchange, listens: boolean): string {
  const { id } = idOf(json);
  if (id === undefined) return '';
  if (listens) {
    // The graceful end of a subscription (spec 2026-07-28, basic/utilities/subscriptions).
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    return sseEvent({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } });
  }
  const message = `The call was not answered within ${config.callStreamMs} ms`;
  return sseEvent({ jsonrpc: '2.0', id, error: { code: CODE.http, message } });
}

/** @param verdict Asked for only where a line is written: it reads the answer. */
function log(exchange: Exchange, served: Served, verdict: () => string): void {
  if (!exchange.config.logRequests) return;
  writeRequest({
    request: crypto.randomUUID(),
    route: exchange.route,
    lane: served.lane,
    reason: served.reason,
    ...exchange.subject,
    verdict: verdict(),
    status: served.response.status,
    ms: Date.now() - exchange.startedAt,
  });
}
