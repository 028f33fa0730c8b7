/**
 * Replaces `MyMCP.serve(path)`, and answers as it does until a stage assigns some clients to
 * the stateless lanes. A request for the legacy lane reaches the package as it came.
 */
import type { CensusEnv } from '../cutover/census/shards.ts';
import type { Cutover } from '../cutover/cutover.ts';
import type { HostedCaller, HostedExchange, HostedOf, HostedServer, HostingAgent } from '../lane/hosting.ts';
import { readMessage } from '../router/door/shape.ts';
import { flagSubject, sessionIdOf } from '../router/inbound.ts';
import { note, type Noted } from '../router/note.ts';
import { gone, refusalResponse, switchedOff, type Refusal } from '../router/refusal.ts';
import { callerOf } from '../shared/caller.ts';
import { RecentMap } from '../shared/recent-map.ts';
import { answerIdOf, clientOf, isInitialize, type Message } from '../shared/message.ts';
import { canBegin, capabilitiesOf, declaresSession, hostedCaller, withoutChanges } from './caller.ts';
import type { Answered, Asked, Front, FrontOptions } from './contract.ts';
import { decideHosted, type HostedDecision } from './decide.ts';
import { dressed } from './dress.ts';
import { agentIn, objectOfPool, objectOfSubject, poolIndexOf, poolPrefix } from './objects.ts';
import { handleClash, serverWithHandles, withHandles } from './handles.ts';
import { createSessions } from './sessions.ts';

/** A first message is a few hundred bytes. What is longer is not read before its sender is known. */
const LONGEST_UNKNOWN = 64 * 1024;

/** Descriptions of a class for so many different callers, per isolate. */
const MAX_DESCRIBED = 500;

export function createFront(options: FrontOptions): Front {
  const described = new RecentMap<HostedServer>(MAX_DESCRIBED);
  /** Whether callers can be given handles, by environment. */
  const handleable = new WeakMap<object, Promise<boolean>>();
  const sessions = createSessions(options, describe);
  const pattern = new URLPattern({ pathname: options.path === '/' ? '/*' : options.path });

  return { fetch, closed };

  async function fetch(request: Request, env: object, ctx: ExecutionContext): Promise<Response> {
    const cutover = options.cutover(env);
    const isWatched = cutover !== undefined || options.envOf(env).CENSUS_OBJECT !== undefined;
    // What is not at the path is the package's to refuse.
    if (!isWatched || !(options.isOldTransport || pattern.test(request.url))) {
      return options.plain.fetch(request, env, ctx);
    }
    const { method } = request;
    if (method === 'POST') return post(request, env, ctx, cutover);
    if (method !== 'GET' && method !== 'DELETE') return options.plain.fetch(request, env, ctx);
    const answered = await sessions.withoutMessage(request, env, ctx);
    record(request, env, ctx, answered);
    return answered.response;
  }

  async function post(
    request: Request,
    env: object,
    ctx: ExecutionContext,
    cutover: Cutover | undefined,
  ): Promise<Response> {
    const asked = await read(request, env, ctx);
    if (asked === undefined) return options.plain.fetch(request, env, ctx);
    const answered = await answerPost(asked, cutover);
    record(request, env, ctx, answered, asked);
    return answered.response;
  }

  async function closed(request: Request, env: object, ctx: ExecutionContext): Promise<Response | undefined> {
    const cutover = options.cutover(env);
    const { method, url, headers } = request;
    if (cutover === undefined || options.isOldTransport || method !== 'POST' || !pattern.test(url)) return undefined;
    const [legacy, mcp] = await Promise.all([cutover.stageOf('legacy', ctx), cutover.stageOf('mcp', ctx)]);
    if (legacy.stage !== 'gone' && mcp.stage !== 'off') return undefined;
    if (!(Number(headers.get('content-length') ?? Number.NaN) <= LONGEST_UNKNOWN)) return undefined;
    const asked = await read(request.clone(), env, ctx);
    const decision = asked === undefined ? undefined : await decided(asked, cutover);
    return asked === undefined || decision?.lane !== 'none' ? undefined : refused(decision, asked).response;
  }

  /** Undefined for what the package refuses. The body is read once, and the package is given what was in it. */
  async function read(request: Request, env: object, ctx: ExecutionContext): Promise<Asked | undefined> {
    const text = await request.text();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (cause) {
      Object.defineProperty(request, 'json', { configurable: true, value: () => Promise.reject(cause as Error) });
      return undefined;
    }
    Object.defineProperty(request, 'json', { configurable: true, value: () => Promise.resolve(json) });
    const message = readMessage(json, true);
    if (!message.ok) return undefined;
    return {
      request,
      env,
      ctx,
      message: message.message,
      era: await options.eraOf(request, message.message),
      caller: callerOf(ctx.props, options.settingsOf(env)),
      sessionId: request.headers.get('mcp-session-id'),
    };
  }

  async function answerPost(asked: Asked, cutover: Cutover | undefined): Promise<Answered> {
    if (options.isOldTransport || cutover === undefined)
      return sessions.post(asked, { lane: 'legacy', reason: 'pinned' });
    const decision = await decided(asked, cutover);
    switch (decision.lane) {
      case 'none':
        return refused(decision, asked);
      case 'compat':
        return sessions.begin(asked, decision);
      case 'modern':
        return onModern(asked, decision);
      case 'legacy':
        return sessions.post(asked, decision);
    }
  }

  async function decided(asked: Asked, cutover: Cutover): Promise<HostedDecision> {
    const { message, era, caller, sessionId, env, ctx } = asked;
    const opens = isInitialize(message) || (era === '2026' && message.method === 'server/discover');
    const hasNoSession = opens || era === '2026';
    const key = era === '2026' ? 'mcp' : 'legacy';
    const [{ stage, reason }, brake] = await Promise.all([
      hasNoSession
        ? cutover.stageFor(key, await flagSubject({ ...asked, client: clientOf(message) }), ctx)
        : cutover.stageOf(key, ctx),
      opens ? cutover.isBraked() : false,
    ]);
    const { properties = {}, unidentified } = caller;
    if (era === '2026' && unidentified === true) options.onNoSubject(properties);
    return decideHosted(
      {
        era,
        opens,
        canBegin: canBegin(asked),
        hasSession: sessionId !== null,
        needsSession: options.settingsOf(env).needsSession || declaresSession(message),
        hasObject: era === '2026' && (stage === 'stateless' || stage === 'drain') && (await hasObject(asked)),
      },
      { stage, flag: reason, brake },
    );
  }

  /** Whether the caller has an object of its own, shares one, or can be given a handle of one. */
  async function hasObject({ caller, env }: Asked): Promise<boolean> {
    const { keepsNoState, handles } = options.settingsOf(env);
    if (caller.subject !== undefined || keepsNoState) return true;
    // Whose name the sign-in does not say may have an account all the same, and would lose what it kept when it is named.
    if (handles === undefined || caller.unidentified === true) return false;
    const known = handleable.get(env);
    if (known !== undefined) return known;
    const agents = options.agents(env);
    const asked = handleClash({ agents, settings: handles, shared: agentIn(agents, objectOfPool(0)) }).then((clash) => {
      if (clash !== undefined) options.onHandleClash(clash);
      return clash === undefined;
    });
    handleable.set(env, asked);
    asked.catch(() => handleable.delete(env));
    return asked;
  }

  async function onModern(asked: Asked, decision: HostedDecision): Promise<Answered> {
    const { message } = asked;
    const caller = hostedCaller(asked, capabilitiesOf(message));
    const { agent, describedBy, tokenPrefix, seen } = await objectFor(asked);
    const server = await describe(describedBy, 'object', caller);
    if (server === undefined) throw new TypeError('An object of the class does not describe itself');
    const exchange = { agent, of: 'object', server: seen(server), caller, message, era: '2026', tokenPrefix } as const;
    return dressed(options.corsHeaders, await options.answer(asked.request, exchange), decision);
  }

  async function objectFor({ caller: { subject }, message, env }: Asked): Promise<ObjectFor> {
    const agents = options.agents(env);
    if (subject !== undefined) {
      const agent = agentIn(agents, await objectOfSubject(subject));
      return { agent, describedBy: agent, tokenPrefix: '', seen: (server) => server };
    }
    const { keepsNoState, handles, poolSize } = options.settingsOf(env);
    const pool = poolIndex(message, poolSize);
    const shared = agentIn(agents, objectOfPool(pool));
    if (keepsNoState || handles === undefined) {
      return { agent: shared, describedBy: shared, tokenPrefix: poolPrefix(pool), seen: withoutChanges };
    }
    const agent = withHandles({ agents, settings: handles, shared });
    return { agent, describedBy: shared, tokenPrefix: '', seen: serverWithHandles };
  }

  /** What the class serves does not change while an isolate lives, but for what a caller may see. */
  async function describe(agent: HostingAgent, of: HostedOf, caller: HostedCaller): Promise<HostedServer | undefined> {
    const rights = JSON.stringify(caller.props);
    const known = described.get(rights);
    if (known !== undefined) return known;
    const server = await agent._describeHosted(of, caller);
    if (server !== undefined) described.set(rights, server);
    return server;
  }

  function refused({ lane, reason }: HostedDecision, { message, request }: Asked): Answered {
    const successor = new URL(options.path, request.url).toString();
    const refusal: Refusal = reason === 'off' ? switchedOff : gone(successor);
    return dressed(options.corsHeaders, refusalResponse({ ...refusal, ...answerIdOf(message) }), { lane, reason });
  }

  function record(request: Request, env: object, ctx: ExecutionContext, answered: Answered, asked?: Asked): void {
    const route = options.isOldTransport
      ? ({ route: 'sse', transport: 'sse' } as const)
      : ({ route: asked?.era === '2026' ? 'mcp' : 'legacy', transport: 'streamable' } as const);
    const noted: Noted<CensusEnv> = {
      request,
      env: options.envOf(env),
      ctx,
      route,
      message: asked?.message,
      era: asked?.era ?? '2025',
      client: asked === undefined ? undefined : clientOf(asked.message),
      sessionId: sessionIdOf({ request, route }),
    };
    note(options.census, noted, answered);
  }
}

/** Which object answers a 2026-07-28 client. */
interface ObjectFor extends Pick<HostedExchange, 'agent' | 'tokenPrefix'> {
  /** Says what the class serves to the caller. */
  readonly describedBy: HostingAgent;
  /** What of it the caller is told. */
  readonly seen: (server: HostedServer) => HostedServer;
}

/** The object that has asked before, or any. */
const poolIndex = ({ params }: Message, size: number): number =>
  poolIndexOf(params['requestState'], size) ?? Math.floor(Math.random() * size);
