/** Sessions of the class: begun, answered and ended on the legacy lane or on the compat lane, by the same objects. */
import type { Standing } from '../lane/contract.ts';
import type { HostedExchange, HostedStanding } from '../lane/hosting.ts';
import { methodNotAllowed, refusalResponse } from '../router/refusal.ts';
import { callerOf } from '../shared/caller.ts';
import { RecentMap } from '../shared/recent-map.ts';
import { isInitialize } from '../shared/message.ts';
import { agentName } from '../state/transfer.ts';
import { hostedCaller } from './caller.ts';
import type { Answered, Asked, Describe, FrontOptions } from './contract.ts';
import type { HostedDecision } from './decide.ts';
import { dressed } from './dress.ts';
import { agentIn } from './objects.ts';

export interface Sessions {
  /** Begins a session on the compat lane. */
  begin(asked: Asked, decision: HostedDecision): Promise<Answered>;
  /** A message that the decision gives to the legacy lane, which may not serve its session any more. */
  post(asked: Asked, decision: HostedDecision): Promise<Answered>;
  /** GET and DELETE: streams and ends of sessions. */
  withoutMessage(request: Request, env: object, ctx: ExecutionContext): Promise<Answered>;
}

export function createSessions(options: FrontOptions, describe: Describe): Sessions {
  /** Sessions that this isolate has seen on the compat lane, by their callers: asked there first. */
  const drained = new RecentMap<true>();
  /** Seen of the class itself, once it has been asked. */
  let needsSession = false;

  return { begin, post, withoutMessage };

  /** A 2025 client that begins a session on the compat lane: a session of the class, which is drained from its start. */
  async function begin(asked: Asked, decision: HostedDecision): Promise<Answered> {
    if (needsSession) return post(asked, NEEDS_SESSION);
    const agents = options.agents(asked.env);
    const sessionId = agents.newUniqueId().toString();
    const agent = agentIn(agents, agentName(sessionId));
    const caller = hostedCaller(asked, {});
    const server = await agent._beginHosted(JSON.stringify(asked.message.json), caller);
    if (server === undefined) {
      needsSession = true;
      return post(asked, NEEDS_SESSION);
    }
    drained.set(ownKey(asked, sessionId), true);
    const response = await answerIn(asked, { agent, server, caller });
    return dressed(options.corsHeaders, response, decision, { 'mcp-session-id': sessionId });
  }

  /** A message of a session's own client, answered by the compat lane. */
  function answerIn(
    { request, message }: Asked,
    session: Pick<HostedExchange, 'agent' | 'server' | 'caller' | 'onStanding'>,
  ): Promise<Response> {
    return options.answer(request, { ...session, of: 'session', message, era: '2025', tokenPrefix: '' });
  }

  async function post(asked: Asked, decision: HostedDecision): Promise<Answered> {
    const { request, env, ctx, sessionId, message } = asked;
    const isCall = sessionId !== null && !isInitialize(message) && asked.era === '2025' && !options.isOldTransport;
    // The SDK answers a ping by itself, and a batch has several answers: neither can tell how the session stands.
    const canTell = isCall && message.kind === 'request' && message.method !== 'ping';
    if (canTell && drained.get(ownKey(asked, sessionId)) === true) {
      const answered = await onDrained(asked, sessionId, canTell);
      if (answered !== undefined) return answered;
    }
    const response = await options.plain.fetch(request, env, ctx);
    if (response.status !== 404 || !isCall) return { response, lane: 'legacy', reason: decision.reason };
    const standing = await standingOf(env, sessionId, asked.caller.subject);
    if (standing === 'live') {
      // Taken back since the package looked.
      return { response: await options.plain.fetch(request, env, ctx), lane: 'legacy', reason: 'pinned' };
    }
    const answered = standing === 'drained' ? await onDrained(asked, sessionId, canTell) : undefined;
    return answered ?? { response, lane: 'legacy', reason: 'unknown_session' };
  }

  /**
   * Undefined if there is no such session any more.
   * @param waits Whether to answer only when the object has said that the session is there.
   */
  async function onDrained(asked: Asked, sessionId: string, waits: boolean): Promise<Answered | undefined> {
    const agent = agentIn(options.agents(asked.env), agentName(sessionId));
    const caller = hostedCaller(asked, {});
    const key = ownKey(asked, sessionId);
    const server = await describe(agent, 'session', caller);
    const told = Promise.withResolvers<HostedStanding | 'gone'>();
    const response =
      server === undefined ? undefined : await answerIn(asked, { agent, server, caller, onStanding: told.resolve });
    // What is no stream was answered, or refused, before the object was asked.
    const isOpen = response?.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const standing = response === undefined ? 'gone' : waits && isOpen ? await told.promise : 'drained';
    if (standing === 'drained') drained.set(key, true);
    else drained.delete(key);
    if (standing !== 'gone' && response !== undefined) {
      // One that was taken back meanwhile is answered here once more, and is not drained for that.
      const reason = standing === 'live' ? 'pinned' : 'drained';
      return dressed(options.corsHeaders, response, { lane: 'compat', reason });
    }
    await response?.body?.cancel();
    return undefined;
  }

  /** GET and DELETE: streams and ends of sessions. */
  async function withoutMessage(request: Request, env: object, ctx: ExecutionContext): Promise<Answered> {
    const response = await options.plain.fetch(request, env, ctx);
    const sessionId = request.headers.get('mcp-session-id');
    const asIs = { response, lane: 'legacy', reason: 'pinned' } as const;
    if (options.isOldTransport || response.status !== 404 || sessionId === null) return asIs;
    const { subject } = callerOf(ctx.props, options.settingsOf(env));
    if ((await standingOf(env, sessionId, subject)) !== 'drained') return asIs;
    const agent = agentIn(options.agents(env), agentName(sessionId));
    const settled = { lane: 'compat', reason: 'drained' } as const;
    if (request.method !== 'DELETE') {
      return dressed(options.corsHeaders, refusalResponse(methodNotAllowed(['POST', 'DELETE'], options.path)), settled);
    }
    await agent.endSession();
    drained.delete(keyOf(subject, sessionId));
    return dressed(options.corsHeaders, new Response(null, { status: 204 }), settled);
  }

  /** How a session stands; an id that nobody here can have given out wakes no object. */
  async function standingOf(env: object, sessionId: string, subject: string | undefined): Promise<Standing> {
    const agents = options.agents(env);
    try {
      agents.idFromString(sessionId);
    } catch {
      return 'gone';
    }
    return agentIn(agents, agentName(sessionId)).standing({ subject });
  }
}

const NEEDS_SESSION = { lane: 'legacy', reason: 'needs_session' } as const satisfies HostedDecision;

/** What an isolate remembers of a session is for its own caller. */
const keyOf = (subject: string | undefined, sessionId: string): string => `${sessionId} ${subject ?? ''}`;
const ownKey = ({ caller }: Asked, sessionId: string): string => keyOf(caller.subject, sessionId);
