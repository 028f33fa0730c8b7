/**
 * The protocol between the two possible owners of a state: a session's agent and the state object of the session's handle.
 * One that gets a call and does not own the state asks the other. The rules of ownership are in shared/state/ownership.ts.
 */
import type { LiveCall, StateOutcome } from '../shared/pipeline/ports.ts';
import type { HeldCall } from '../shared/state/holder.ts';
import type { Asker, Release } from '../shared/state/ownership.ts';

/** An agent's answer to a state object that has a call for a state it does not own. */
export type AgentAnswer =
  | { readonly kind: 'applied'; readonly outcome: StateOutcome }
  /** The session is drained: its state is the asker's from now on. */
  | { readonly kind: 'released'; readonly release: Release }
  /** There is no such session any more. */
  | { readonly kind: 'gone' };

/**
 * `live`: by its agent. `drained`: handed to the stateless lanes. `gone`: there is no such session. `foreign`: it belongs
 * to another subject than the caller that was given.
 */
export type SessionStanding = 'live' | 'drained' | 'gone' | 'foreign';

/** What a state object asks of a session's agent, and an operator of a session. */
export interface SessionAgentApi {
  /** @param live For a tool that waits. */
  applyOrRelease(call: HeldCall, asker: Asker, live?: LiveCall): Promise<AgentAnswer>;
  /** True while the session exists, drained or not. */
  isSession(): Promise<boolean>;
  /** Where the session is served. @param caller Absent for an operator, to whom no session is foreign. */
  standing(caller?: { readonly subject: string | undefined }): Promise<SessionStanding>;
  /** False where the session belongs to another subject: its id was stolen. */
  admits(subject: string | undefined): Promise<boolean>;
  /** Hands the session to the stateless lanes: its state follows with its next call. */
  drain(): Promise<boolean>;
  /** Takes the session back: its state follows with its next call. */
  takeBack(): Promise<boolean>;
  /** Ends the session at once. Its state stays with whoever has the handle. */
  endSession(): Promise<void>;
}

export interface ObjectCall extends HeldCall {
  /** True where the client named the handle itself, so that a name with nothing behind it is an error. */
  readonly named: boolean;
  /** The agent of the session that the call belongs to, for a state that may still be there. */
  readonly agent?: string;
  readonly subject?: string;
}

/** What agents and lanes ask of a state object. Arguments and answers are plain JSON values, but for a call that is live. */
export interface StateObjectApi {
  /** @param live For a tool that waits. */
  apply(call: ObjectCall, live?: LiveCall): Promise<StateOutcome>;
  /** Notes which agent has the state of this handle, so that the handle works where the agent is not known. */
  bind(agent: string, subject: string | undefined): Promise<void>;
  release(asker: Asker): Promise<Release>;
  /** The agent's session has ended: what it had of the state is this object's, for whoever has the handle. */
  inherit(states: Release | undefined): Promise<void>;
  /** The session of this handle has ended, unless the state belongs to another subject. The handle goes on. */
  endFor(subject: string | undefined): Promise<void>;
}

/** The bindings of both holders. The agents' is absent once the legacy half has been removed. */
export interface HolderEnv {
  readonly STATE_OBJECT: DurableObjectNamespace;
  readonly LEGACY_AGENT?: DurableObjectNamespace;
}

export const objectOf = (env: HolderEnv, handle: string): StateObjectApi =>
  env.STATE_OBJECT.getByName(handle) as unknown as StateObjectApi;

export const agentOf = (env: HolderEnv, agent: string): SessionAgentApi | undefined =>
  env.LEGACY_AGENT?.getByName(agent) as unknown as SessionAgentApi | undefined;

/** The package's own naming of the agents of Streamable HTTP sessions. */
export const agentName = (sessionId: string): string => `streamable-http:${sessionId}`;

/** How often a holder goes round between "not mine" and asking before it gives up: each round needs a rival transfer. */
export const MAX_ROUNDS = 4;
