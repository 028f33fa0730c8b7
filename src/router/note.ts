/** What the census is told about an answered request. Reads forms only; nothing here waits or fails a request. */
import type { Background, Census } from '../cutover/census/collect.ts';
import { userAgentFamily, type Seen, type SeenLane, type Use } from '../cutover/census/seen.ts';
import type { CensusEnv } from '../cutover/census/shards.ts';
import { isPlainObject } from '../shared/json.ts';
import { isInitialize, sessionIdOf } from './facts.ts';
import type { Asked, Served } from './lane-service.ts';

/** The keys of the 2026-07-28 envelope (spec 2026-07-28, basic, "Request metadata"). */
const ENVELOPE = {
  client: 'io.modelcontextprotocol/clientInfo',
  version: 'io.modelcontextprotocol/protocolVersion',
} as const;
/** Beyond a quarter of the usual limit a body is worth knowing of. */
const LARGE_BODY_BYTES = 1024 * 1024;

export function note<Env extends object>(census: Census, asked: Asked<Env>, json: unknown, served: Served): void {
  const { env, ctx, request } = asked;
  const seen = seenOf(asked, json, served);
  census.note(env, ctx, seen);
  const { status } = served.response;
  if (isInitialize(json) && status < 300) began(census, asked, served, seen);
  // The legacy lane's agent tells of its own end.
  if (request.method === 'DELETE' && status === 204 && seen.sessionId !== undefined && seen.lane === 'compat') {
    ctx.waitUntil(census.sessionEnded(env, seen.sessionId));
  }
}

function began<Env extends object>(census: Census, asked: Asked<Env>, served: Served, { client, lane }: Seen): void {
  if (lane !== 'legacy' && lane !== 'compat') return;
  const id = served.response.headers.get('mcp-session-id') ?? served.extra?.['Mcp-Session-Id'] ?? sessionIdOf(asked);
  if (id === null) return;
  const transport = asked.route.transport === 'streamable' ? 'streamable' : 'sse';
  census.sessionBegan(asked.env satisfies CensusEnv, asked.ctx satisfies Background, { id, client, lane, transport });
}

function seenOf<Env>(asked: Asked<Env>, json: unknown, served: Served): Seen {
  const { request, route } = asked;
  const params = isPlainObject(json) && isPlainObject(json['params']) ? json['params'] : {};
  const meta = isPlainObject(params['_meta']) ? params['_meta'] : {};
  const is2026 = typeof meta[ENVELOPE.version] === 'string';
  const version = is2026
    ? meta[ENVELOPE.version]
    : (params['protocolVersion'] ?? request.headers.get('mcp-protocol-version'));
  const isServed = served.response.status < 400;
  // An id that comes with `initialize` is one of an earlier session.
  const sessionId = isServed && !isInitialize(json) ? sessionIdOf(asked) : null;
  return {
    client: clientIn(is2026 ? meta[ENVELOPE.client] : params['clientInfo']),
    era: is2026 ? '2026' : '2025',
    protocolVersion: typeof version === 'string' ? version : undefined,
    userAgent: userAgentFamily(request.headers.get('user-agent')),
    route: route.transport === 'streamable' ? (route.route === 'legacy' ? '/legacy/mcp' : '/mcp') : '/legacy/sse',
    // What was refused was served by nobody: a scanner's invented ids must not count as calls of the legacy lane.
    lane: isServed && LANES.has(served.lane) ? (served.lane as SeenLane) : 'none',
    reason: served.reason,
    uses: isServed ? usesOf(request, json) : [],
    ...(sessionId !== null && { sessionId }),
  };
}

const LANES: ReadonlySet<string> = new Set<SeenLane>(['legacy', 'compat', 'modern']);

function clientIn(info: unknown): Seen['client'] {
  if (!isPlainObject(info) || typeof info['name'] !== 'string') return undefined;
  return { name: info['name'], version: typeof info['version'] === 'string' ? info['version'] : '' };
}

/** What a client does that not every lane could do for it. */
function usesOf(request: Request, json: unknown): readonly Use[] {
  const { headers } = request;
  const method = isPlainObject(json) ? json['method'] : undefined;
  const uses: Use[] = [];
  if (request.method === 'GET') uses.push('get_stream');
  if (headers.has('last-event-id')) uses.push('last_event_id');
  if (Number(headers.get('content-length') ?? '0') > LARGE_BODY_BYTES) uses.push('large_body');
  if (headers.has('origin')) uses.push('browser_origin');
  if (Array.isArray(json)) uses.push('batch');
  // Only a question that was pushed to the client makes it post an answer.
  if (isPlainObject(json) && method === undefined) uses.push('pushed_question');
  const use = typeof method === 'string' ? USE_OF_METHOD.get(method) : undefined;
  if (use !== undefined) uses.push(use);
  return uses;
}

const USE_OF_METHOD: ReadonlyMap<string, Use> = new Map([
  ['ping', 'ping'],
  ['logging/setLevel', 'log_level'],
  ['resources/subscribe', 'subscription'],
  ['subscriptions/listen', 'subscription'],
]);
