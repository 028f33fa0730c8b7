/** The decision for a request that was let in, and the lane that it names. */
import type { Cutover } from '../cutover/cutover.ts';
import type { FlagValue } from '../cutover/flags/flags.ts';
import type { RouteKey } from '../cutover/stage.ts';
import type { LegacyHalf, StatelessHalf } from '../lane/contract.ts';
import type { Caller } from '../shared/caller.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { answerIdOf, isInitialize } from '../shared/message.ts';
import type { Verdict } from '../shared/protocol/answered.ts';
import { challengeFor } from '../shared/protocol/scopes.ts';
import { withJsonError, type Dress } from './answer.ts';
import { decide, needsOf, settle, type Decision, type Facts, type Position } from './decide.ts';
import { forwarded } from './door/forward.ts';
import { factsOf, flagSubject, type Inbound } from './inbound.ts';
import {
  eraNotBegun,
  eraNotServed,
  gone,
  laterHeader,
  methodNotAllowed,
  refusalResponse,
  switchedOff,
  unknownSession,
  type Refusal,
} from './refusal.ts';
import type { Routes } from './routes.ts';
import { insufficientScope, type SignInDoor } from './sign-in.ts';

export interface ServeOptions<Env> {
  readonly routes: Routes;
  readonly stateless: StatelessHalf<Env>;
  /** Absent once the legacy half has been removed. */
  readonly legacy?: LegacyHalf<Env>;
  readonly cutover: (env: Env) => Cutover;
  readonly catalogue: Catalogue;
  /** What of the catalogue's definitions is there for a caller; absent if all of them are there for everybody. */
  readonly definitionsFor?: (caller: Caller) => Catalogue;
  /** The check of tokens, if the Worker has one. */
  readonly signIn?: Pick<SignInDoor<Env>, 'stepUp'>;
}

export interface Served extends Dress {
  readonly response: Response;
  /** Why the lane refused, if it did; the reason is why the lane was asked. */
  readonly refusal?: string;
  /** What the lane has said of its answer; undefined if it has said nothing, or not yet. */
  readonly verdict?: () => Verdict | undefined;
}

export type Serve<Env> = (inbound: Inbound<Env>) => Promise<Served>;

/** What the legacy lane gave: an answer, or how the session stands that it did not serve, and what it said. */
type LegacyOutcome =
  | { readonly kind: 'answered'; readonly response: Response }
  | { readonly kind: 'not_served'; readonly settled: Decision; readonly response: Response };

export function createServe<Env extends object>(options: ServeOptions<Env>): Serve<Env> {
  const { legacy, stateless, routes } = options;

  return async (inbound) => {
    const facts = factsOf(inbound, legacy !== undefined);
    const position = await positionOf(inbound, facts);
    return act(inbound, decide(facts, position), { facts, position });
  };

  /** Where the route stands for this request: at most one flag is read. */
  async function positionOf(inbound: Inbound<Env>, facts: Facts): Promise<Position> {
    const cutover = options.cutover(inbound.env);
    const needs = needsOf(facts);
    const [{ stage, reason }, brake] = await Promise.all([
      stageOf(inbound, cutover, facts.route, needs.stage),
      needs.brake ? cutover.isBraked() : false,
    ]);
    return { stage, flag: reason, brake };
  }

  async function act(inbound: Inbound<Env>, decision: Decision, basis: Basis): Promise<Served> {
    const posted = inbound.message !== undefined;
    if (decision.reason === 'unknown_session') return refused(unknownSession, decision, inbound);
    const challenge = decision.lane === 'none' ? undefined : challengeOf(inbound);
    if (challenge !== undefined) return refused(challenge, undefined, inbound);
    switch (decision.lane) {
      case 'none':
        return refused(refusalOf(decision.reason, routes.successor(inbound.request.url), inbound), decision, inbound);
      case 'legacy':
        return onLegacy(inbound, decision, basis);
      case 'compat':
      case 'modern':
        return posted ? onStateless(inbound, decision) : endSession(inbound, decision);
    }
  }

  /**
   * Every lane's messages are posted, and here none of them has an answer yet: so the challenge is an HTTP status also for a
   * session whose answers come on a stream, and no object is asked.
   */
  function challengeOf({ request, message, caller }: Inbound<Env>): Refusal | undefined {
    if (message === undefined || !options.catalogue.hasScopes) return undefined;
    const challenge = challengeFor(options.definitionsFor?.(caller) ?? options.catalogue, caller, message);
    if (challenge === undefined) return undefined;
    const stepUp = options.signIn?.stepUp(new URL(request.url), challenge.fault.scopes, caller.scopes);
    return insufficientScope(challenge, caller, stepUp);
  }

  async function onLegacy(inbound: Inbound<Env>, decision: Decision, basis: Basis): Promise<Served> {
    if (legacy === undefined) throw new TypeError('The decision chose a lane that this Worker does not have');
    const outcome = await fetchLegacy(inbound, legacy, basis);
    const { response } = outcome;
    if (outcome.kind === 'not_served') {
      const { settled } = outcome;
      // Only a message can be answered without its session: there is nothing to listen on or to end.
      if (settled.lane === 'legacy' || (settled.reason === 'stale_session' && inbound.message === undefined)) {
        return { lane: 'legacy', reason: 'unknown_session', response: await withJsonError(response, inbound.message) };
      }
      await response.body?.cancel();
      return settled.reason === 'drained' ? onDrained(inbound, legacy, settled) : onStateless(inbound, settled);
    }
    const { message } = inbound;
    if (message === undefined || message.expectsAnswer || !response.ok || response.status === 202) {
      return { ...decision, response: await withJsonError(response, message) };
    }
    // The package opens a stream for a posted error response, and nothing would ever close it.
    await response.body?.cancel();
    return { ...decision, response: new Response(null, { status: 202 }) };
  }

  /**
   * What the legacy lane makes of a request. A session that it does not serve is asked for how it stands: many clients do
   * not start a new session after 404, so a drained one goes on under the same id elsewhere.
   */
  async function fetchLegacy(inbound: Inbound<Env>, half: LegacyHalf<Env>, basis: Basis): Promise<LegacyOutcome> {
    const { route, env, ctx, caller, message } = inbound;
    const streamable = route.transport === 'streamable';
    // What begins a session belongs to none yet, whatever id it carries. On the old transport only listening begins one.
    const sessionId = basis.facts.opens && streamable ? null : inbound.sessionId;
    const forward = (): Request =>
      forwarded(inbound.request, streamable ? routes.legacy : route, {
        ...(message !== undefined && { json: message.json }),
        startsSession: basis.facts.opens,
      });
    const settledNow = async (id: string): Promise<Decision> =>
      settle(basis.facts, basis.position, await half.standing(env, { transport: route.transport, id }, caller));
    // The old transport's handlers would begin a session under any id, and look at nobody.
    if (sessionId !== null && !streamable) {
      const settled = await settledNow(sessionId);
      if (settled.reason !== 'pinned') {
        return { kind: 'not_served', settled, response: refusalResponse(unknownSession) };
      }
    }
    const response = await half.fetch(forward(), env, ctx);
    // A session's own agent answers callers other than its subject as if it did not know the session.
    if (response.status !== 404 || sessionId === null || !streamable) return { kind: 'answered', response };
    const settled = await settledNow(sessionId);
    if (settled.reason !== 'pinned') return { kind: 'not_served', settled, response };
    await response.body?.cancel();
    return { kind: 'answered', response: await half.fetch(forward(), env, ctx) };
  }

  async function onDrained(inbound: Inbound<Env>, half: LegacyHalf<Env>, settled: Decision): Promise<Served> {
    const { message, request, route, env } = inbound;
    const sessionId = inbound.sessionId ?? '';
    if (message !== undefined) return onStateless(inbound, settled, { sessionId, agent: half.agentName(sessionId) });
    if (request.method !== 'DELETE') return refused(methodNotAllowed(['POST', 'DELETE'], route.path), settled, inbound);
    await half.endSession(env, sessionId);
    return { ...settled, response: new Response(null, { status: 204 }) };
  }

  /** @param drained The session of the legacy lane that goes on here, and the agent that may still have its state. */
  async function onStateless(
    inbound: Inbound<Env>,
    decision: Decision,
    drained?: { readonly sessionId: string; readonly agent: string },
  ): Promise<Served> {
    const { request, env, ctx, config, message, era, caller, session, sessionId } = inbound;
    if (message === undefined) throw new TypeError('Only a posted message can be answered on the stateless lanes');
    let verdict: Verdict | undefined;
    const response = await stateless.fetch(forwarded(request, routes.mcp), {
      env,
      message,
      answerWithinMs: config.answerDeadlineMs,
      onVerdict: (said) => {
        verdict = said;
      },
      era,
      caller,
      props: ctx.props,
      sessionId: session === 'compat' && sessionId !== null ? sessionId : undefined,
      ...drained,
    });
    const opens = decision.lane === 'compat' && message.method === 'initialize' && response.ok;
    return {
      ...decision,
      response: await withJsonError(response, message),
      verdict: () => verdict,
      ...(opens && { extra: { 'Mcp-Session-Id': await stateless.newSessionId(env) } }),
    };
  }

  /** The stateless lanes have no streams to listen on, and nothing to end but the state of a session of their own. */
  async function endSession(inbound: Inbound<Env>, decision: Decision): Promise<Served> {
    const { request, route, env, caller, session, sessionId } = inbound;
    if (request.method !== 'DELETE' || session !== 'compat' || sessionId === null) {
      const methods = request.method === 'GET' ? ['POST', 'DELETE'] : ['POST'];
      return refused(methodNotAllowed(methods, route.path), undefined, inbound);
    }
    await stateless.endSession(env, sessionId, caller);
    return { ...decision, response: new Response(null, { status: 204 }) };
  }
}

/** What a decision was made from, for its second step. */
interface Basis {
  readonly facts: Facts;
  readonly position: Position;
}

async function stageOf<Env>(
  inbound: Inbound<Env>,
  cutover: Cutover,
  route: RouteKey,
  needs: 'client' | 'route',
): Promise<FlagValue<RouteKey>> {
  switch (needs) {
    case 'client':
      return cutover.stageFor(route, await flagSubject(inbound), inbound.ctx);
    case 'route':
      return cutover.stageOf(route, inbound.ctx);
  }
}

function refused(
  refusal: Refusal,
  decision: Decision | undefined,
  { message }: Pick<Inbound<unknown>, 'message'>,
): Served {
  return {
    lane: decision?.lane ?? 'none',
    reason: refusal.reason,
    response: refusalResponse({ ...refusal, ...(message !== undefined && answerIdOf(message)) }),
  };
}

function refusalOf(
  reason: Extract<Decision, { lane: 'none' }>['reason'],
  successor: string,
  { message }: Pick<Inbound<unknown>, 'message'>,
): Refusal {
  switch (reason) {
    case 'gone':
      return gone(successor);
    case 'era_not_served':
      return isInitialize(message) && message?.envelope === undefined
        ? laterHeader(successor)
        : eraNotServed(successor);
    case 'era_not_begun':
      return eraNotBegun;
    case 'off':
      return switchedOff;
  }
}
