/** The stateless half as the router takes it: both lanes, their era, and the compat sessions' names. */
import { handleOfSession, isCompatSessionId, newSessionId } from '../state/handle.ts';
import { sealingKey } from '../state/secret.ts';
import type { Caller } from '../shared/caller.ts';
import { endAtFor, type StateEnv } from '../state/state-port.ts';
import { eraOf } from './request.ts';
import { createStatelessLane, type StatelessLaneOptions } from './lane.ts';

export function createStatelessHalf(options: StatelessLaneOptions) {
  const lane = createStatelessLane(options);
  return {
    fetch: lane.fetch,
    eraOf,
    endSession: async (env: StateEnv, sessionId: string, caller: Caller): Promise<void> =>
      endAtFor(env, await handleOfSession(sessionId), caller.subject),
    isSessionId: isCompatSessionId,
    newSessionId: async (env: StateEnv): Promise<string> => newSessionId(await sealingKey(env)),
  };
}
