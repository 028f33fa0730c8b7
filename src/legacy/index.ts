/** The package `hybrid-mcp/legacy`: the lane of clients with sessions. What does not import it does not bundle SDK v1. */
import type { HolderEnv } from '../state/transfer.ts';
import type { LegacyHalf, LegacyLane } from '../lane/contract.ts';
import { legacyAgentFor } from './agent.ts';
import { createLegacyLane } from './lane.ts';

/** The Durable Object class of the lane: one object per session. */
export type LegacyAgentClass = ReturnType<typeof legacyAgentFor>;

/**
 * The legacy lane of a catalogue: an `McpAgent`, one Durable Object per session, over Streamable HTTP and HTTP+SSE.
 *
 * @example
 * ```ts
 * const hybrid = createHybrid({ catalogue, legacy: legacyLane() });
 * export class LegacyAgent extends hybrid.LegacyAgent {}
 * ```
 */
export function legacyLane(): LegacyLane<HolderEnv, LegacyAgentClass> {
  return {
    build: ({ catalogue, world, report, envOf, onSessionEnd }) => {
      const Base = legacyAgentFor({
        catalogue,
        world,
        report,
        onSessionEnd: (env, sessionId) => onSessionEnd(envOf(env), sessionId),
      });
      class Agent extends Base {
        constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
          super(ctx, envOf(env) as Cloudflare.Env & HolderEnv);
        }
      }
      return { ...(createLegacyLane() as unknown as LegacyHalf<HolderEnv>), Agent };
    },
  };
}
