/** Reaches state objects by handle, for whichever lane holds no state itself. */
import type { StateCall, StateOutcome } from '../shared/pipeline/ports.ts';
import { isHandle } from './handle.ts';
import type { StateObjectApi } from './state-object.ts';

/** The binding that every Worker with stateful tools has. */
export interface StateEnv {
  readonly STATE_OBJECT: DurableObjectNamespace;
}

/** @param handle Where the state is: the one that the client named, or the lane's own choice. */
export async function applyAt(env: StateEnv, handle: string, call: StateCall): Promise<StateOutcome> {
  const named = call.handle !== undefined;
  if (!isHandle(handle)) return { ok: false, fault: { fault: 'unknown_handle', tool: call.tool } };
  return stateObject(env, handle).apply({ tool: call.tool, args: JSON.stringify(call.args), handle, named });
}

export async function removeAt(env: StateEnv, handle: string): Promise<void> {
  await stateObject(env, handle).remove();
}

function stateObject(env: StateEnv, handle: string): StateObjectApi {
  return env.STATE_OBJECT.getByName(handle) as unknown as StateObjectApi;
}
