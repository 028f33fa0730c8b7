/**
 * What the router asks of a lane, and what a lane is told of a request. The lanes fit these types and import no other
 * layer above them, so that one of them can be left out. Types only.
 */
import type { Caller, CallerReader } from '../shared/caller.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { World } from '../shared/define/context.ts';
import type { Message } from '../shared/message.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import type { ServicesMaker } from '../shared/pipeline/services.ts';
import type { Verdict } from '../shared/protocol/answered.ts';

/** The protocol generation of a request: `2025` is everything up to 2025-11-25, `2026` is 2026-07-28. */
export type Era = '2025' | '2026';

/** How a request reached the Worker: the SSE transport has one URL to listen on and one to post to. */
export type Transport = 'streamable' | 'sse' | 'sse-message';

/**
 * `live`: served by its agent. `drained`: handed to the stateless lanes. `gone`: there is no such session. `foreign`: it
 * belongs to another subject, who alone may know of it.
 */
export type Standing = 'live' | 'drained' | 'gone' | 'foreign';

/** A session as a request names it. */
export interface NamedSession {
  readonly transport: Transport;
  readonly id: string;
}

/** The legacy half, if the Worker still has it. */
export interface LegacyHalf<Env> {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response>;
  /** True for a session id that the lane can have given out. */
  isSessionId(env: Env, sessionId: string): boolean;
  /** How a session stands for this caller. */
  standing(env: Env, session: NamedSession, caller: Pick<Caller, 'subject'>): Promise<Standing>;
  /** Ends a session, drained or not. Its state stays with whoever has the handle. */
  endSession(env: Env, sessionId: string): Promise<void>;
  /** The name of the session's agent, by which a state object reaches it. */
  agentName(sessionId: string): string;
}

/** What the stateless half needs to know of a request. The body was read before, once. */
export interface StatelessCall<Env> {
  readonly env: Env;
  readonly message: Message;
  readonly era: Era;
  readonly caller: Caller;
  /** The properties that the caller was read from, as the platform handed them over. */
  readonly props?: unknown;
  /** The session that the request belongs to: one of the stateless half's own, or a drained one. */
  readonly sessionId: string | undefined;
  /** The agent of a drained session, which may still have its state. */
  readonly agent?: string;
  /** When an answer has to have begun, in milliseconds: one that may take longer begins as a stream. */
  readonly answerWithinMs?: number;
  /** To be told what each answer says, before it leaves. */
  readonly onVerdict?: (verdict: Verdict) => void;
}

export interface StatelessHalf<Env> {
  fetch(request: Request, call: StatelessCall<Env>): Promise<Response>;
  eraOf(request: Request, message: Message): Promise<Era>;
  /** Ends a compat session. Its state stays with whoever has the handle. */
  endSession(env: Env, sessionId: string, caller: Caller): Promise<void>;
  isSessionId(sessionId: string): boolean;
  newSessionId(env: Env): Promise<string>;
}

/** What a lane is given when the Worker is composed. */
export interface LaneParts<Env> {
  readonly catalogue: Catalogue;
  readonly world: World;
  readonly report: Reporter;
  /** The paths that the legacy package answers. */
  readonly paths: { readonly legacy: string; readonly sse: string };
  /** The environment under the names that this package uses, whatever the Worker calls its bindings. */
  readonly envOf: (env: object) => Env;
  /** Reads the caller from the properties that the platform hands over. */
  readonly callerOf: CallerReader;
  /** Makes the services of a caller. */
  readonly services: ServicesMaker;
  /** To be told of each session that ends, however it ends. */
  readonly onSessionEnd: (env: Env, sessionId: string) => Promise<void>;
  /** How long a session may be unused before it ends, in milliseconds. */
  readonly idleMs: (env: Env) => number;
  /** How long a question waits for the user, in milliseconds. */
  readonly askTimeoutMs: (env: Env) => number;
}

/** A legacy lane as a value, which is how a Worker gets one: what does not import it does not bundle SDK v1. */
export interface LegacyLane<Env, Agent> {
  readonly build: (parts: LaneParts<Env>) => LegacyHalf<Env> & {
    /** The Durable Object class that the Worker exports. */
    readonly Agent: Agent;
  };
}
