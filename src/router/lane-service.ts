/** The decision for a request that the door let in, and the lane that it names. */
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { isPlainObject } from '../shared/json.ts';
import { subjectOf } from '../state/subject.ts';
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

/** Where a session goes on, and whose agent may still have its state. */
interface DrainedSession {
  readonly sessionId: string;
  readonly agent: string;
}

const DRAINED: Decision = { lane: 'compat', reason: 'drained' };
/** The one spelling that the stateless lanes answer to, also for requests that came to the other route. */
const STATELESS_ROUTE: McpRoute = { kind: 'mcp', route: 'mcp', transport: 'streamable', path: '/mcp' };

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
    const { response, drained } = await fetchLegacy(asked, legacy, () =>
      forwarded(asked.request, asked.route, { body: body.text, startsSession }),
    );
    if (drained !== undefined) return postStateless(asked, body, DRAINED, drained);
    if (hasRequests(body.json) || !response.ok || response.status === 202) {
      return { ...decision, response: await withJsonError(response) };
    }
    // The package opens a stream for a posted error response, and nothing would ever close it.
    await response.body?.cancel();
    return { ...decision, response: new Response(null, { status: 202 }) };
  }

  async function postStateless(
    { request, env, ctx }: Asked<Env>,
    body: PostedBody,
    decision: Decision,
    drained?: DrainedSession,
  ): Promise<Served> {
    const sessionId = request.headers.get('mcp-session-id') ?? '';
    const subject = subjectOf(ctx.props);
    const response = await stateless.fetch(forwarded(request, STATELESS_ROUTE), {
      env,
      body: body.json,
      sessionId: stateless.isSessionId(sessionId) ? sessionId : undefined,
      ...drained,
      ...(subject !== undefined && { subject }),
    });
    const opens = decision.lane === 'compat' && response.ok && isInitialize(body.json);
    return {
      ...decision,
      response: await withJsonError(response),
      ...(opens && { extra: { 'Mcp-Session-Id': stateless.newSessionId() } }),
    };
  }

  async function session(asked: Asked<Env>): Promise<Served> {
    const { request, route, env } = asked;
    if (route.route === 'mcp') return endCompatSession(asked);
    const decision = decide({ route: route.route, era: '2025', hasLegacy: legacy !== undefined });
    if (decision.lane !== 'legacy' || legacy === undefined) return refused(refusalOf('gone', request), decision);
    if (!canHaveSession(asked, legacy)) return refused(unknownSession, decision);
    const { response, drained } = await fetchLegacy(asked, legacy, () => forwarded(request, route));
    if (drained === undefined) return { ...decision, response: await withJsonError(response) };
    if (request.method !== 'DELETE') return refused(methodNotAllowed(['POST', 'DELETE'], route.path), DRAINED);
    await legacy.endSession(env, drained.sessionId);
    return { ...DRAINED, response: new Response(null, { status: 204 }) };
  }

  /**
   * The legacy lane's answer, and the session where the lane does not know it because it was drained: such a session
   * goes on under the same id on the stateless lanes, because many clients do not start a new one after 404.
   */
  async function fetchLegacy(
    { request, route, env, ctx }: Asked<Env>,
    half: LegacyHalf<Env>,
    forward: () => Request,
  ): Promise<{ response: Response; drained?: DrainedSession }> {
    const sessionId = route.transport === 'streamable' ? request.headers.get('mcp-session-id') : null;
    const subject = subjectOf(ctx.props);
    // The package hands the caller's properties to a session when it starts, and never looks at them again.
    if (sessionId !== null && subject !== undefined && !(await half.admits(env, sessionId, subject))) {
      return { response: refusalResponse(unknownSession) };
    }
    const response = await half.fetch(forward(), env, ctx);
    if (response.status !== 404 || sessionId === null) return { response };
    switch (await half.standing(env, sessionId)) {
      case 'gone':
        return { response };
      case 'drained':
        await response.body?.cancel();
        return { response, drained: { sessionId, agent: half.agentName(sessionId) } };
      case 'live':
        // Taken back since the lane looked.
        await response.body?.cancel();
        return { response: await half.fetch(forward(), env, ctx) };
    }
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
