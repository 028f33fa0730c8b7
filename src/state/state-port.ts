/** Reaches state objects by handle, for whichever lane holds no state itself. */
import { sentCaller, type Caller } from '../shared/caller.ts';
import type { LiveCall, StateCall, StateOutcome } from '../shared/pipeline/ports.ts';
import { handleOfSubject, isHandle, newHandle } from './handle.ts';
import { objectOf, type HolderEnv } from './transfer.ts';

/** The bindings that a Worker with stateful tools has. */
export type StateEnv = HolderEnv;

export interface StateCaller {
  /** The agent of the session that the call belongs to, where the session was a legacy one. */
  readonly agent?: string;
  readonly subject?: string;
  /** The whole caller as JSON text; absent without a sign-in. */
  readonly caller?: string;
}

/**
 * Who the owner of a state is told is calling.
 * @param props The properties that the caller was read from, as the platform handed them over.
 */
export function stateCallerOf(caller: Caller, props: unknown): StateCaller {
  const sent = sentCaller(caller, props);
  return {
    ...(caller.subject !== undefined && { subject: caller.subject }),
    ...(sent !== undefined && { caller: sent }),
  };
}

/** @param handle Where the state is: the one that the client named, or the lane's own choice. */
export async function applyAt(
  env: StateEnv,
  handle: string,
  call: StateCall,
  caller: StateCaller,
  live?: LiveCall,
): Promise<StateOutcome> {
  const named = call.handle !== undefined;
  if (!isHandle(handle)) return { ok: false, fault: { fault: 'unknown_handle', tool: call.tool } };
  const told = { tool: call.tool, args: JSON.stringify(call.args), handle, named, ...caller };
  return live === undefined ? objectOf(env, handle).apply(told) : objectOf(env, handle).apply(told, live);
}

/**
 * Applies a call to a state that is not of a session, and whose place the call does not name: the same on every lane.
 * Undefined for every other call, whose lane knows the place.
 */
export function applyOutsideSession(
  env: StateEnv,
  call: StateCall,
  caller: StateCaller,
  live?: LiveCall,
): Promise<StateOutcome> | undefined {
  if (call.of === 'session' || call.handle !== undefined) return undefined;
  if (call.of === 'handle') return applyAt(env, newHandle(), call, caller, live);
  if (caller.subject === undefined) throw new TypeError('A state of the subject was called without one');
  return handleOfSubject(caller.subject).then((handle) => applyAt(env, handle, call, caller, live));
}

/** For a client that ends its session: the handle goes on. What belongs to another subject is left alone. */
export async function endAtFor(env: StateEnv, handle: string, subject: string | undefined): Promise<void> {
  await objectOf(env, handle).endFor(subject);
}

/** Refuses the state of a caller whom nothing tells from others: it would be everybody's. */
export const unidentified = (tool: string): StateOutcome => ({
  ok: false,
  fault: { fault: 'caller_unidentified', tool },
});
