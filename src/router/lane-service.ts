/** The decision for a request that the door let in, and the lane that it names. */
import type { Cutover } from '../cutover/cutover.ts';
import type { FlagSubject, FlagValue } from '../cutover/flags/flags.ts';
import type { RouteKey } from '../cutover/stage.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { subjectOf } from '../state/subject.ts';
import { withJsonError, type Dress } from './answer.ts';
import {
  decide,
  decideStale,
  needsOf,
  type Decision,
  type Era,
  type Facts,
  type Needs,
  type Position,
} from './decide.ts';
import { idOf, type PostedBody } from './door/body.ts';
import { forwarded } from './door/forward.ts';
import { hasRequests } from './door/shape.ts';
import { factsOf, flagSubject, isInitialize, sessionIdOf } from './facts.ts';
import type { LegacyHalf, StatelessHalf } from './lanes.ts';
import {
  eraNotServed,
  gone,
  methodNotAllowed,
  refusalResponse,
  switchedOff,
  unknownSession,
  type Refusal,
} from './refusal.ts';
import { LEGACY_ROUTE, STATELESS_ROUTE, type McpRoute } from './routes.ts';

export interface LaneServiceOptions<Env> {
  readonly catalogue: Catalogue;
  readonly stateless: StatelessHalf<Env>;
  /** Absent once the legacy half has been removed. */
  readonly legacy?: LegacyHalf<Env>;
  readonly cutover: (env: Env) => Cutover;
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

/** What the legacy lane gave: an answer, or a session that is served elsewhere, or that nobody knows. */
type LegacyOutcome =
  | { readonly kind: 'answered'; readonly response: Response }
  | { readonly kind: 'drained'; readonly session: DrainedSession }
  | { readonly kind: 'unknown'; readonly response: Response };

/** Where a session goes on, and whose agent may still have its state. */
interface DrainedSession {
  readonly sessionId: string;
  readonly agent: string;
}

const DRAINED: Decision = { lane: 'compat', reason: 'drained' };

export function createLaneService<Env extends object>(options: LaneServiceOptions<Env>): LaneService<Env> {
  const { legacy, stateless } = options;
  const halves = { legacy, stateless };
  return { post, session };

  async function post(asked: Asked<Env>, body: PostedBody): Promise<Served> {
    const era = await stateless.eraOf(asked.request, body.json);
    const facts = factsOf(asked, halves, era, body.json);
    const position = await positionOf(asked, facts, era, body.json);
    const decision = decide(facts, position);
    switch (decision.lane) {
      case 'none':
        return refused({ ...refusalOf(decision.reason, asked.request), ...idOf(body.json) }, decision);
      case 'legacy':
        return postLegacy(asked, body, decision, { facts, position });
      case 'compat':
      case 'modern':
        return postStateless(asked, body, decision);
    }
  }

  /** Where the route stands for this request: at most one flag is read. */
  async function positionOf(asked: Asked<Env>, facts: Facts, era: Era, json: unknown): Promise<Position> {
    const cutover = options.cutover(asked.env);
    const needs = needsOf(facts);
    const [{ stage, reason }, brake] = await Promise.all([
      stageOf(asked, cutover, facts.route, needs, async () => flagSubject(asked, era, json)),
      needs.brake ? cutover.isBraked() : false,
    ]);
    return { stage, flag: reason, brake };
  }

  async function postLegacy(
    asked: Asked<Env>,
    body: PostedBody,
    decision: Decision,
    basis: { readonly facts: Facts; readonly position: Position },
  ): Promise<Served> {
    if (legacy === undefined) throw new TypeError('The decision chose a lane that this Worker does not have');
    if (basis.facts.session === 'unknown' && !basis.facts.opens)
      return refused({ ...unknownSession, ...idOf(body.json) }, decision);
    const outcome = await fetchLegacy(asked, legacy, basis.facts.opens, () =>
      forwarded(asked.request, legacyRoute(asked.route), { json: body.json, startsSession: basis.facts.opens }),
    );
    if (outcome.kind === 'drained') return postStateless(asked, body, DRAINED, outcome.session);
    const stale = outcome.kind === 'unknown' ? decideStale(basis.facts, basis.position) : undefined;
    if (stale !== undefined) {
      await outcome.response.body?.cancel();
      return postStateless(asked, body, stale);
    }
    const { response } = outcome;
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
    const { request, route } = asked;
    const facts = factsOf(asked, halves, '2025', undefined);
    const decision = decide(facts, await positionOf(asked, facts, '2025', undefined));
    if (decision.lane === 'none') return refused(refusalOf(decision.reason, request), decision);
    if (decision.lane !== 'legacy') return endCompatSession(asked, facts, decision);
    if (legacy === undefined) throw new TypeError('The decision chose a lane that this Worker does not have');
    if (facts.session === 'unknown') return refused(unknownSession, decision);
    const outcome = await fetchLegacy(asked, legacy, false, () => forwarded(request, legacyRoute(route)));
    if (outcome.kind !== 'drained') return { ...decision, response: await withJsonError(outcome.response) };
    if (request.method !== 'DELETE') return refused(methodNotAllowed(['POST', 'DELETE'], route.path), DRAINED);
    await legacy.endSession(asked.env, outcome.session.sessionId);
    return { ...DRAINED, response: new Response(null, { status: 204 }) };
  }

  /** The stateless lanes have no streams to listen on, and nothing to end but the state of a session of their own. */
  async function endCompatSession(
    { request, route, env, ctx }: Asked<Env>,
    facts: Facts,
    decision: Decision,
  ): Promise<Served> {
    if (request.method !== 'DELETE' || facts.session !== 'compat') {
      return refused(methodNotAllowed(request.method === 'GET' ? ['POST', 'DELETE'] : ['POST'], route.path), undefined);
    }
    await stateless.endSession(env, request.headers.get('mcp-session-id') ?? '', subjectOf(ctx.props));
    return { ...decision, response: new Response(null, { status: 204 }) };
  }

  /**
   * The legacy lane's answer; or the session where the lane does not know it because it was drained: such a session goes
   * on under the same id on the stateless lanes, because many clients do not start a new one after 404.
   */
  async function fetchLegacy(
    asked: Asked<Env>,
    half: LegacyHalf<Env>,
    opens: boolean,
    forward: () => Request,
  ): Promise<LegacyOutcome> {
    const { route, env, ctx } = asked;
    // What begins a session belongs to none yet, whatever id it carries.
    const sessionId = opens ? null : sessionIdOf(asked);
    const subject = subjectOf(ctx.props);
    // The package hands the caller's properties to a session when it starts, and never looks at them again. A caller who
    // is nobody is turned away by a signed-in session's own agent, except on the old transport, which has no such check.
    const asks = subject !== undefined || route.transport !== 'streamable';
    if (sessionId !== null && asks && !(await half.admits(env, route.transport, sessionId, subject))) {
      return { kind: 'answered', response: refusalResponse(unknownSession) };
    }
    const response = await half.fetch(forward(), env, ctx);
    if (response.status !== 404 || sessionId === null || route.transport !== 'streamable')
      return { kind: 'answered', response };
    switch (await half.standing(env, sessionId)) {
      case 'gone':
        return { kind: 'unknown', response };
      case 'drained':
        await response.body?.cancel();
        return { kind: 'drained', session: { sessionId, agent: half.agentName(sessionId) } };
      case 'live':
        // Taken back since the lane looked.
        await response.body?.cancel();
        return { kind: 'answered', response: await half.fetch(forward(), env, ctx) };
    }
  }
}

async function stageOf<Env>(
  { ctx }: Asked<Env>,
  cutover: Cutover,
  route: RouteKey,
  needs: Needs,
  subject: () => Promise<FlagSubject>,
): Promise<FlagValue<RouteKey>> {
  switch (needs.stage) {
    case 'client':
      return cutover.stageFor(route, await subject());
    case 'route':
      return cutover.stageOf(route, ctx);
  }
}

/** The legacy package compares paths exactly, also for requests that came to the other route. */
const legacyRoute = (route: McpRoute): McpRoute => (route.route === 'legacy' ? route : LEGACY_ROUTE);

const refused = (refusal: Refusal, decision: Decision | undefined): Served => ({
  lane: decision?.lane ?? 'none',
  reason: refusal.reason,
  response: refusalResponse(refusal),
});

function refusalOf(reason: Extract<Decision, { lane: 'none' }>['reason'], request: Request): Refusal {
  const successor = new URL('/mcp', request.url).toString();
  switch (reason) {
    case 'gone':
      return gone(successor);
    case 'era_not_served':
      return eraNotServed(successor);
    case 'off':
      return switchedOff;
  }
}
