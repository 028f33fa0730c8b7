/** Reaches state objects by handle, for whichever lane holds no state itself. */
import type { StateCall, StateOutcome } from '../shared/pipeline/ports.ts';
import { isHandle } from './handle.ts';
import { objectOf, type HolderEnv } from './transfer.ts';

/** The bindings that a Worker with stateful tools has. */
export type StateEnv = HolderEnv;

export interface StateCaller {
  /** The agent of the session that the call belongs to, where the session was a legacy one. */
  readonly agent?: string;
  readonly subject?: string;
}

/** @param handle Where the state is: the one that the client named, or the lane's own choice. */
export async function applyAt(
  env: StateEnv,
  handle: string,
  call: StateCall,
  caller: StateCaller,
): Promise<StateOutcome> {
  const named = call.handle !== undefined;
  if (!isHandle(handle)) return { ok: false, fault: { fault: 'unknown_handle', tool: call.tool } };
  return objectOf(env, handle).apply({ tool: call.tool, args: JSON.stringify(call.args), handle, named, ...caller });
}

/** For a client that ends its session: the handle goes on. What belongs to another subject is left alone. */
export async function endAtFor(env: StateEnv, handle: string, subject: string | undefined): Promise<void> {
  await objectOf(env, handle).endFor(subject);
}
