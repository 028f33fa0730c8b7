/** The package `hybrid-mcp/legacy`: the lane of clients with sessions. What does not import it does not bundle SDK v1. */
import type { LegacyLane } from '../lane/contract.ts';
import { legacyAgentFor, type AgentEnvironment, type AgentParts, type CatalogueAgentClass } from './agent.ts';
import { createLegacyLane, type LegacyLaneSetup } from './lane.ts';

/** What of the lane can be set: how often streams are kept alive, and which workarounds are on. */
export type LegacyOptions = Pick<LegacyLaneSetup, 'keepAliveMs'> & Pick<AgentParts, 'workarounds'>;

/**
 * The legacy lane of a catalogue: an `McpAgent`, one Durable Object per session, over Streamable HTTP and HTTP+SSE.
 *
 * @example
 * ```ts
 * const hybrid = createHybrid({ catalogue, legacy: legacyLane() });
 * export class LegacyAgent extends hybrid.LegacyAgent {}
 * ```
 */
export function legacyLane(options: LegacyOptions = {}): LegacyLane<AgentEnvironment, CatalogueAgentClass> {
  const { keepAliveMs, ...agentOptions } = options;
  return {
    build: (parts) => {
      const { paths } = parts;
      // The environment that the lane is given has the binding under its usual name.
      const lane = createLegacyLane({
        streamablePath: paths.legacy,
        ssePath: paths.sse,
        tellsProps: true,
        ...(keepAliveMs !== undefined && { keepAliveMs }),
      });
      return { ...lane, Agent: legacyAgentFor({ ...parts, ...agentOptions }) };
    },
  };
}

export { agentLane } from './own-agent.ts';
export { sessionAgent } from './session/session-agent.ts';
export type {
  McpAgentClass,
  SessionAgentClass,
  SessionAgentMembers,
  SessionAgentOptions,
  Workarounds,
} from './session/options.ts';
