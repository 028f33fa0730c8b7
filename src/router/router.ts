/** The way of a request: the door, the decision, the lane, the answer's headers. */
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { isPlainObject } from '../shared/json.ts';
import { report, type Reporter } from '../shared/pipeline/report.ts';
import { dress } from './answer.ts';
import { doorConfig, type DoorConfig } from './config.ts';
import { decide, type Decision } from './decide.ts';
import { hasRequests, isId, readBody, type PostedBody } from './door/body.ts';
import { preflight } from './door/cors.ts';
import { checkHost, checkOrigin } from './door/hosts.ts';
import type { LegacyHalf, StatelessHalf } from './lanes.ts';
import { healthPage, landingPage } from './pages.ts';
import { CODE, refusalResponse, type Refusal } from './refusal.ts';
import { methodsOf, routeOf, type McpRoute } from './routes.ts';

export interface RouterOptions<Env> {
  readonly catalogue: Catalogue;
  readonly stateless: StatelessHalf<Env>;
  /** Absent once the legacy half has been removed. */
  readonly legacy?: LegacyHalf<Env>;
  readonly report: Reporter;
}

export type Fetch<Env> = (request: Request, env: Env, ctx: ExecutionContext) => Promise<Response>;

export function createRouter<Env extends object>(options: RouterOptions<Env>): Fetch<Env> {
  const { catalogue, legacy, stateless } = options;
  const page = { title: catalogue.info.title, hasLegacy: legacy !== undefined, tools: [...catalogue.tools.keys()] };

  /** A posted message: read it, decide, and hand it to the lane. */
  async function post(
    request: Request,
    route: McpRoute,
    env: Env,
    ctx: ExecutionContext,
    config: DoorConfig,
  ): Promise<Response> {
    const read = await readBody(request, config.maxBodyBytes);
    if (!read.ok) return dress(request, refusalResponse(read.refusal), undefined);
    const { body } = read;
    const era = await stateless.eraOf(request, body.json);
    const decision = decide({ route: route.route, era, hasLegacy: legacy !== undefined });
    switch (decision.lane) {
      case 'none':
        return dress(request, refusalResponse({ ...refusalOf(decision.reason, request), ...idOf(body) }), decision);
      case 'legacy':
        return postLegacy(request, route, body, env, ctx, decision);
      case 'compat':
      case 'modern': {
        const sessionId = request.headers.get('mcp-session-id') ?? '';
        const response = await stateless.fetch(at(request, route), {
          env,
          body: body.json,
          sessionId: stateless.isSessionId(sessionId) ? sessionId : undefined,
        });
        const opens =
          decision.lane === 'compat' && response.ok && isPlainObject(body.json) && body.json['method'] === 'initialize';
        return dress(request, response, decision, opens ? { 'Mcp-Session-Id': stateless.newSessionId() } : {});
      }
    }
  }

  async function postLegacy(
    request: Request,
    route: McpRoute,
    body: PostedBody,
    env: Env,
    ctx: ExecutionContext,
    decision: Decision,
  ): Promise<Response> {
    if (legacy === undefined) throw new TypeError('The decision chose a lane that this Worker does not have');
    const refusal = unknownSession(request, route, env, legacy);
    if (refusal !== undefined) return dress(request, refusalResponse({ ...refusal, ...idOf(body) }), decision);
    const response = await legacy.fetch(at(request, route, body.text), env, ctx);
    if (hasRequests(body.json) || !response.ok || response.status === 202) return dress(request, response, decision);
    // The package opens a stream for a posted error response, and nothing would ever close it.
    await response.body?.cancel();
    return dress(request, new Response(null, { status: 202 }), decision);
  }

  /** GET and DELETE: streams and ends of sessions. */
  async function session(request: Request, route: McpRoute, env: Env, ctx: ExecutionContext): Promise<Response> {
    if (route.route === 'mcp') return endCompatSession(request, route, env);
    const decision = decide({ route: route.route, era: '2025', hasLegacy: legacy !== undefined });
    if (decision.lane !== 'legacy' || legacy === undefined)
      return dress(request, refusalResponse(refusalOf('gone', request)), decision);
    const refusal = unknownSession(request, route, env, legacy);
    if (refusal !== undefined) return dress(request, refusalResponse(refusal), decision);
    return dress(request, await legacy.fetch(at(request, route), env, ctx), decision);
  }

  async function endCompatSession(request: Request, route: McpRoute, env: Env): Promise<Response> {
    const sessionId = request.headers.get('mcp-session-id') ?? '';
    if (request.method !== 'DELETE' || !stateless.isSessionId(sessionId)) {
      return dress(request, refusalResponse(methodNotAllowed(['POST'], route.path)), undefined);
    }
    await stateless.endSession(env, sessionId);
    return dress(request, new Response(null, { status: 204 }), { lane: 'compat', reason: 'era_2025' });
  }

  return async (request, env, ctx) => {
    try {
      const url = new URL(request.url);
      const config = doorConfig(env);
      const refusal = checkHost(url, request.headers, config) ?? checkOrigin(url, request.headers, config);
      // Without any CORS header, so that the refused page cannot even read why.
      if (refusal !== undefined) return refusalResponse(refusal);

      const route = routeOf(url.pathname);
      if (route === undefined) return dress(request, refusalResponse(notFound(url)), undefined);
      const methods = methodsOf(route);
      if (request.method === 'OPTIONS') return preflight(request, methods);
      if (!methods.includes(request.method))
        return dress(
          request,
          refusalResponse(methodNotAllowed(methods, route.kind === 'mcp' ? route.path : url.pathname)),
          undefined,
        );
      if (route.kind === 'page') return route.page === 'health' ? healthPage() : landingPage(url.origin, page);
      return request.method === 'POST'
        ? await post(request, route, env, ctx, config)
        : await session(request, route, env, ctx);
    } catch (cause) {
      report(options.report, { fault: 'lane_error', tool: undefined, cause });
      const error = { code: -32603, message: 'Internal error' };
      return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 500 });
    }
  };
}

/**
 * The request at the route's one spelling, since the packages compare paths exactly, and with its body back where a
 * lane reads it for itself. The very same request where nothing has to change.
 */
function at(request: Request, route: McpRoute, body?: string): Request {
  const url = new URL(request.url);
  if (url.pathname === route.path && body === undefined) return request;
  url.pathname = route.path;
  const { method, headers, signal } = request;
  return new Request(url, { method, headers, signal, ...(body !== undefined && { body }) });
}

/** Refuses ids that the legacy lane cannot have given out, before an agent is woken for them. */
function unknownSession<Env>(
  request: Request,
  route: McpRoute,
  env: Env,
  legacy: LegacyHalf<Env>,
): Refusal | undefined {
  const sessionId =
    route.transport === 'streamable'
      ? request.headers.get('mcp-session-id')
      : new URL(request.url).searchParams.get('sessionId');
  if (sessionId === null || legacy.isSessionId(env, sessionId)) return undefined;
  return { reason: 'unknown_session', status: 404, code: CODE.sessionNotFound, message: 'Session not found' };
}

function refusalOf(reason: 'era_not_served' | 'gone', request: Request): Refusal {
  const successor = new URL('/mcp', request.url).toString();
  if (reason === 'gone') {
    return {
      reason,
      status: 410,
      code: CODE.http,
      message: `Gone: this server has moved to ${successor}`,
      headers: { Link: `<${successor}>; rel="successor-version"` },
    };
  }
  return {
    reason,
    status: 400,
    code: CODE.http,
    message: `Bad Request: this URL serves protocol versions up to 2025-11-25. Send initialize, or use ${successor} for 2026-07-28`,
  };
}

const notFound = (url: URL): Refusal => ({
  reason: 'not_found',
  status: 404,
  code: CODE.http,
  message: `Not found: ${url.pathname}. This server answers at /mcp and /legacy/mcp`,
});

const methodNotAllowed = (methods: readonly string[], path: string): Refusal => ({
  reason: 'method_not_allowed',
  status: 405,
  code: CODE.http,
  message: `Method not allowed: ${path} answers ${methods.join(', ')}`,
  headers: { Allow: [...methods, 'OPTIONS'].join(', ') },
});

/** Echoes the id of a single request, so that the client can tell which call was refused. */
function idOf(body: PostedBody): { id?: string | number } {
  return isPlainObject(body.json) && isId(body.json['id']) ? { id: body.json['id'] } : {};
}
