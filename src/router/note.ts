/**
 * What the census is told about an answered request, and about the end of a session that is a stream. Reads forms only;
 * nothing here waits or fails a request.
 */
import type { Census } from '../cutover/census/collect.ts';
import {
  UNKNOWN_SESSION,
  userAgentFamily,
  type Seen,
  type SeenLane,
  type SeenRoute,
  type Use,
} from '../cutover/census/seen.ts';
import { isInitialize, versionOf } from '../shared/message.ts';
import type { Inbound } from './inbound.ts';
import type { McpRoute } from './routes.ts';
import type { Served } from './serve.ts';

/** What of a request the census is told about. */
export type Noted<Env> = Pick<Inbound<Env>, 'request' | 'env' | 'ctx' | 'message' | 'era' | 'client' | 'sessionId'> & {
  readonly route: Pick<McpRoute, 'route' | 'transport'>;
};

/** Beyond a quarter of the usual limit a body is worth knowing of. */
const LARGE_BODY_BYTES = 1024 * 1024;

/** What a route is called in what is stored, whatever its path is. */
const STORED_ROUTE = { mcp: '/mcp', legacy: '/legacy/mcp', sse: '/legacy/sse' } as const satisfies Record<
  McpRoute['route'],
  SeenRoute
>;

export function note<Env extends object>(census: Census, inbound: Noted<Env>, served: Served): void {
  const { env, ctx, request } = inbound;
  const seen = seenOf(inbound, served);
  census.note(env, ctx, seen);
  const { status } = served.response;
  if (isInitialize(inbound.message) && status < 300) began(census, inbound, served, seen);
  // The legacy lane's agent tells of its own end.
  if (request.method === 'DELETE' && status === 204 && seen.sessionId !== undefined && seen.lane === 'compat') {
    ctx.waitUntil(census.sessionEnded(env, seen.sessionId));
  }
}

function began<Env extends object>(census: Census, inbound: Noted<Env>, served: Served, { client, lane }: Seen): void {
  if (lane !== 'legacy' && lane !== 'compat') return;
  const given = served.response.headers.get('mcp-session-id') ?? served.extra?.['Mcp-Session-Id'];
  const id = given ?? inbound.sessionId;
  if (id === null) return;
  const transport = inbound.route.transport === 'streamable' ? 'streamable' : 'sse';
  census.sessionBegan(inbound.env, inbound.ctx, { id, client, lane, transport });
}

function seenOf(inbound: Noted<unknown>, served: Served): Seen {
  const { request, route, message, era, client } = inbound;
  const isServed = served.response.status < 400;
  const reason = served.refusal ?? served.reason;
  const opens = isInitialize(message) || (route.transport === 'sse' && request.method === 'GET');
  // An id that comes with `initialize` is one of an earlier session. One that was refused as unknown may have been one.
  const sessionId = !opens && (isServed || reason === UNKNOWN_SESSION) ? inbound.sessionId : null;
  return {
    client,
    era,
    protocolVersion: (message && versionOf(message)) ?? request.headers.get('mcp-protocol-version') ?? undefined,
    userAgent: userAgentFamily(request.headers.get('user-agent')),
    route: STORED_ROUTE[route.route],
    // What was refused was served by nobody: a scanner's invented ids must not count as calls of the legacy lane.
    lane: isServed && LANES.has(served.lane) ? (served.lane as SeenLane) : 'none',
    reason,
    uses: isServed && !opens ? usesOf(inbound) : [],
    opens,
    continues: era === '2026' && GOES_ON.some((name) => message?.params[name] !== undefined),
    ...(sessionId !== null && { sessionId }),
  };
}

/** With these a client goes on with a call that asked something (spec 2026-07-28, "Multi Round-Trip Requests"). */
const GOES_ON = ['inputResponses', 'requestState'] as const;

const LANES: ReadonlySet<string> = new Set<SeenLane>(['legacy', 'compat', 'modern']);

/** What a client does that not every lane could do for it. */
function usesOf({ request, message }: Noted<unknown>): readonly Use[] {
  const { headers } = request;
  const uses: Use[] = [];
  if (request.method === 'GET') uses.push('get_stream');
  if (headers.has('last-event-id')) uses.push('last_event_id');
  if (Number(headers.get('content-length') ?? '0') > LARGE_BODY_BYTES) uses.push('large_body');
  if (headers.has('origin')) uses.push('browser_origin');
  if (message?.kind === 'batch') uses.push('batch');
  // Only a question that was pushed to the client makes it post an answer.
  if (message?.kind === 'response') uses.push('pushed_question');
  const use = message?.method === undefined ? undefined : USE_OF_METHOD.get(message.method);
  if (use !== undefined) uses.push(use);
  return uses;
}

const USE_OF_METHOD: ReadonlyMap<string, Use> = new Map([
  ['ping', 'ping'],
  ['logging/setLevel', 'log_level'],
  ['resources/subscribe', 'subscription'],
  ['subscriptions/listen', 'subscription'],
]);

/** The stream begins with the address for messages, which has the session's id in it. */
const SESSION_ID = /^data: \S*[?&]sessionId=([^&#\s]+)/m;
const LONGEST_OPENING = 4096;

/**
 * A session of the HTTP+SSE transport lives as long as its stream: a client whose stream has ended opens another one, in
 * another session. So where the stream ends, the session has, and the census is told.
 */
export function tellingEnd<Env extends object>(
  census: Census,
  { request, route, env, ctx }: Inbound<Env>,
  served: Served,
): Served {
  const { response } = served;
  if (route.transport !== 'sse' || request.method !== 'GET' || !response.ok || response.body === null) return served;
  return { ...served, response: new Response(watched(response.body as ReadableStream<Uint8Array>, onEnd), response) };

  function onEnd(opening: string): void {
    const [, id] = SESSION_ID.exec(opening) ?? [];
    if (id !== undefined) ctx.waitUntil(census.sessionEnded(env, id));
  }
}

/** The same bytes, as they come. */
function watched(source: ReadableStream<Uint8Array>, onEnd: (opening: string) => void): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  let opening = '';
  let open = true;
  const end = (): void => {
    if (open) onEnd(opening);
    open = false;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            end();
            controller.close();
            return;
          }
          if (opening.length < LONGEST_OPENING) opening += decoder.decode(value, { stream: true });
          controller.enqueue(value);
        } catch (cause) {
          end();
          controller.error(cause);
        }
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
