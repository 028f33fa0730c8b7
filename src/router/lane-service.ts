/** The decision for a request that the door let in, and the lane that it names. */
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { isPlainObject } from '../shared/json.ts';
import { withJsonError, type Dress } from './answer.ts';
import { decide, type Decision } from './decide.ts';
import { idOf, type PostedBody } from './door/body.ts';
import { forwarded } from './door/forward.ts';
import { hasRequests } from './door/shape.ts';
import type { LegacyHalf, StatelessHalf } from './lanes.ts';
import { eraNotServed, gone, methodNotAllowed, refusalResponse, unknownSession, type Refusal } from './refusal.ts';
import type { McpRoute } from './routes.ts';

export interface LaneServiceOptions<Env> {
  readonly catalogue: Catalogue;
  readonly stateless: StatelessHalf<Env>;
  /** Absent once the legacy half has been removed. */
  readonly legacy?: LegacyHalf<Env>;
}

export interface Asked<Env> {
  readonly request: Request;
  readonly route: McpRoute;
  readonly env: Env;
  readonly ctx: ExecutionContext;
}

export interface Served extends Dress {
  readonly response: Response;
}

export interface LaneService<Env> {
  /** A posted message. */
  post(asked: Asked<Env>, body: PostedBody): Promise<Served>;
  /** GET and DELETE: streams and ends of sessions. */
  session(asked: Asked<Env>): Promise<Served>;
}

export function createLaneService<Env>({ legacy, stateless }: LaneServiceOptions<Env>): LaneService<Env> {
  return { post, session };

  async function post(asked: Asked<Env>, body: PostedBody): Promise<Served> {
    const { request, route } = asked;
    const era = await stateless.eraOf(request, body.json);
    const decision = decide({ route: route.route, era, hasLegacy: legacy !== undefined });
    switch (decision.lane) {
      case 'none':
        return refused({ ...refusalOf(decision.reason, request), ...idOf(body.json) }, decision);
      case 'legacy':
        return postLegacy(asked, body, decision);
      case 'compat':
      case 'modern':
        return postStateless(asked, body, decision);
    }
  }

  async function postLegacy(asked: Asked<Env>, body: PostedBody, decision: Decision): Promise<Served> {
    if (legacy === undefined) throw new TypeError('The decision chose a lane that this Worker does not have');
    const startsSession = isInitialize(body.json);
    if (!startsSession && !canHaveSession(asked, legacy))
      return refused({ ...unknownSession, ...idOf(body.json) }, decision);
    const request = forwarded(asked.request, asked.route, { body: body.text, startsSession });
    const response = await legacy.fetch(request, asked.env, asked.ctx);
    if (hasRequests(body.json) || !response.ok || response.status === 202) {
      return { ...decision, response: await withJsonError(response) };
    }
    // The package opens a stream for a posted error response, and nothing would ever close it.
    await response.body?.cancel();
    return { ...decision, response: new Response(null, { status: 202 }) };
  }

  async function postStateless(
    { request, route, env }: Asked<Env>,
    body: PostedBody,
    decision: Decision,
  ): Promise<Served> {
    const sessionId = request.headers.get('mcp-session-id') ?? '';
    const response = await stateless.fetch(forwarded(request, route), {
      env,
      body: body.json,
      sessionId: stateless.isSessionId(sessionId) ? sessionId : undefined,
    });
    const opens = decision.lane === 'compat' && response.ok && isInitialize(body.json);
    return {
      ...decision,
      response: await withJsonError(response),
      ...(opens && { extra: { 'Mcp-Session-Id': stateless.newSessionId() } }),
    };
  }

  async function session(asked: Asked<Env>): Promise<Served> {
    const { request, route, env, ctx } = asked;
    if (route.route === 'mcp') return endCompatSession(asked);
    const decision = decide({ route: route.route, era: '2025', hasLegacy: legacy !== undefined });
    if (decision.lane !== 'legacy' || legacy === undefined) return refused(refusalOf('gone', request), decision);
    if (!canHaveSession(asked, legacy)) return refused(unknownSession, decision);
    return { ...decision, response: await withJsonError(await legacy.fetch(forwarded(request, route), env, ctx)) };
  }

  async function endCompatSession({ request, route, env }: Asked<Env>): Promise<Served> {
    const sessionId = request.headers.get('mcp-session-id') ?? '';
    if (request.method !== 'DELETE' || !stateless.isSessionId(sessionId)) {
      return refused(methodNotAllowed(['POST'], route.path), undefined);
    }
    await stateless.endSession(env, sessionId);
    return { lane: 'compat', reason: 'era_2025', response: new Response(null, { status: 204 }) };
  }

  /** False for ids that the legacy lane cannot have given out, before an agent is woken for them. */
  function canHaveSession({ request, route, env }: Asked<Env>, half: LegacyHalf<Env>): boolean {
    const sessionId =
      route.transport === 'streamable'
        ? request.headers.get('mcp-session-id')
        : new URL(request.url).searchParams.get('sessionId');
    // The platform reads an id in capitals as the same id, and the package would name another object by it.
    return sessionId === null || (sessionId === sessionId.toLowerCase() && half.isSessionId(env, sessionId));
  }
}

const refused = (refusal: Refusal, decision: Decision | undefined): Served => ({
  lane: decision?.lane ?? 'none',
  reason: refusal.reason,
  response: refusalResponse(refusal),
});

const isInitialize = (json: unknown): boolean => isPlainObject(json) && json['method'] === 'initialize';

function refusalOf(reason: 'era_not_served' | 'gone', request: Request): Refusal {
  const successor = new URL('/mcp', request.url).toString();
  return reason === 'gone' ? gone(successor) : eraNotServed(successor);
}
