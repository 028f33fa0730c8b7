/** The last steps of every answer: an end for its stream, the headers, and its line in the log. */
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { answerIdOf, type Message } from '../shared/message.ts';
import { CATALOGUE_METHODS } from '../shared/protocol/answer.ts';
import { writeRequest } from '../state/log.ts';
import { dress } from './answer.ts';
import type { DoorConfig } from './config.ts';
import { CODE } from './refusal.ts';
import type { Served } from './serve.ts';
import { boundedStream, joined, openingOf, sseEvent, type StreamEnd } from './stream.ts';
import { verdictOf } from './outcome.ts';

type ToolNames = Pick<Catalogue['tools'], 'has'>;

export interface Exit {
  readonly request: Request;
  readonly config: DoorConfig;
  readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
  readonly startedAt: number;
  readonly tools: ToolNames;
  /** When an answer that streams is no longer waited for to be whole; at once if absent. */
  readonly soon?: Promise<undefined>;
  /** Absent if the request was refused before its route was known. */
  readonly route?: string;
  /** The posted message, if it was read; absent for GET and DELETE. */
  readonly message?: Message;
}

export async function finish(exit: Exit, served: Served): Promise<Response> {
  const { request, config, message } = exit;
  const { response } = served;
  if (response.body === null || !isStream(response)) {
    if (!config.logRequests) return dress(request, response, served);
    // An answer that does not stream is whole already.
    const body = response.body === null ? null : new Uint8Array(await response.arrayBuffer());
    log(exit, served, () => (response.ok ? verdictIn(served, body ?? undefined) : (served.refusal ?? served.reason)));
    return dress(request, response, served, body);
  }
  const streamed = { ...served, extra: { ...STREAM_HEADERS, ...served.extra } };
  const source = response.body as ReadableStream<Uint8Array>;
  const listens = request.method === 'GET' || message?.method === 'subscriptions/listen';
  // A listening client has to know that the stream is open, and a stream that is open for an hour would be in the log late.
  if (listens) log(exit, served, () => 'open');
  const { chunks, rest } = listens
    ? { chunks: [], rest: { reader: source.getReader() } }
    : await openingOf(source, exit.soon ?? Promise.resolve(undefined));
  if (rest === undefined) {
    log(exit, served, () => verdictIn(served, chunks.at(-1)));
    return dress(request, response, streamed, joined(chunks));
  }
  const ended = Promise.withResolvers<void>();
  // The line is written even where the client has left.
  if (config.logRequests) exit.ctx.waitUntil(ended.promise);
  const body = boundedStream(
    rest,
    {
      limitMs: listens ? config.listenStreamMs : config.callStreamMs,
      lastWords: lastWords(exit, listens),
      onEnd: (end, lastChunk) => {
        if (!listens) log(exit, served, () => verdictOfStream(served, end, lastChunk));
        ended.resolve();
      },
    },
    chunks,
  );
  return dress(request, response, streamed, body);
}

/** Proxies on the way must not hold a stream back, nor pack it. */
const STREAM_HEADERS = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' } as const;

const isStream = (response: Response): boolean =>
  response.status === 200 && response.headers.get('content-type')?.startsWith('text/event-stream') === true;

const verdictIn = (served: Served, lastChunk: Uint8Array | undefined): string =>
  served.verdict?.() ?? verdictOf(lastChunk);

const verdictOfStream = (served: Served, end: StreamEnd, lastChunk: Uint8Array | undefined): string =>
  end === 'complete' ? verdictIn(served, lastChunk) : end;

/** What a client that waits for one answer gets when the time of its stream is up. */
function lastWords({ message: asked, config }: Exit, listens: boolean): string {
  const { id } = asked === undefined ? {} : answerIdOf(asked);
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
function log(exit: Exit, served: Served, verdict: () => string): void {
  if (!exit.config.logRequests) return;
  writeRequest({
    request: crypto.randomUUID(),
    route: exit.route ?? '-',
    lane: served.lane,
    reason: served.reason,
    ...callIn(exit.message, exit.request.method, exit.tools),
    verdict: verdict(),
    status: served.response.status,
    ms: Date.now() - exit.startedAt,
  });
}

/** The methods of both protocol generations; every other is "other", since a client can call a method anything. */
const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  ...CATALOGUE_METHODS,
  'logging/setLevel',
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
]);

interface LoggedCall {
  readonly method: string;
  readonly tool: string | null;
}

/**
 * What the log says about a request: only words of our own, whatever the client sent.
 * @param httpMethod What is logged for a request without a message; a POST without one was not read.
 */
export function callIn(message: Message | undefined, httpMethod: string, tools: ToolNames): LoggedCall {
  if (message === undefined) return { method: httpMethod === 'POST' ? '-' : httpMethod, tool: null };
  const { kind, params } = message;
  if (kind === 'batch' || kind === 'response') return { method: kind, tool: null };
  const named = message.method ?? '';
  const { name } = params;
  const isKnown = named === 'tools/call' && typeof name === 'string' && tools.has(name);
  return { method: METHODS.has(named) ? named : 'other', tool: isKnown ? name : null };
}
