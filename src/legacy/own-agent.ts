/** A class of one's own as the legacy lane of a catalogue: its sessions stay with it, and can be drained and taken back. */
import { McpAgent } from 'agents/mcp';
import type { LaneParts, LegacyLane } from '../lane/contract.ts';
import { reportSdk } from '../shared/pipeline/report.ts';
import type { HeldCall } from '../shared/state/holder.ts';
import type { AgentAnswer } from '../state/transfer.ts';
import type { IdleVars } from '../state/times.ts';
import type { AgentEnvironment, AgentParts } from './agent.ts';
import { createLegacyLane, type LegacyLaneSetup } from './lane.ts';
import type { McpAgentClass, SessionAgentClass, SessionAgentOptions } from './session/options.ts';
import { refuseTaken, sessionAgent, sessionOf } from './session/session-agent.ts';

type Options = Pick<LegacyLaneSetup, 'keepAliveMs'> & Pick<AgentParts, 'workarounds'>;

/**
 * A class that you have as the legacy lane of a catalogue: clients with sessions are served by it as before, and all
 * others by the catalogue. Its sessions expire only if an idle time is set.
 *
 * @param Base The class as it is in production, a subclass of `McpAgent` of `agents/mcp`.
 * @throws TypeError if the class is no `McpAgent`, or has a member of a name that is added.
 * @example
 * ```ts
 * const hybrid = createHybrid({
 *   catalogue,
 *   legacy: agentLane(OwnMCP),
 *   bindings: { legacy: 'MCP_OBJECT' },
 *   paths: { legacy: '/mcp', sse: '/sse', mcp: '/next' },
 * });
 * export class MyMCP extends hybrid.LegacyAgent {}
 * ```
 */
export function agentLane<Base extends McpAgentClass>(
  Base: Base,
  { keepAliveMs, workarounds }: Options = {},
): LegacyLane<AgentEnvironment, SessionAgentClass<Base>> {
  const given: unknown = Base;
  if (typeof given !== 'function' || !(Base.prototype instanceof McpAgent)) {
    throw new TypeError('agentLane() takes a class that extends McpAgent of "agents/mcp".');
  }
  refuseTaken(Base.prototype as object, Base.name, Reflect.has, ['applyOrRelease']);
  return {
    build: (parts) => {
      const { legacy, sse } = parts.paths;
      const lane = createLegacyLane({
        streamablePath: legacy,
        ssePath: sse,
        ...(keepAliveMs !== undefined && { keepAliveMs }),
      });
      const settings = settingsOf(parts);
      return { ...lane, Agent: classFor(Base, { ...settings, ...(workarounds !== undefined && { workarounds }) }) };
    },
  };
}

const settingsOf = ({
  envOf,
  idleMs,
  onSessionEnd,
  report,
  callerOf,
}: LaneParts<AgentEnvironment>): SessionAgentOptions => ({
  idleMs: (env) => (isSet(envOf(env)) ? idleMs(envOf(env)) : undefined),
  subjectOf: (props) => callerOf(props).subject,
  onSessionEnd: (env, sessionId) => onSessionEnd(envOf(env), sessionId),
  onError: (cause) => reportSdk(report, cause),
});

const isSet = ({ SESSION_IDLE_MS: value }: IdleVars): boolean => value !== undefined && value !== '';

function classFor<Base extends McpAgentClass>(Base: Base, settings: SessionAgentOptions): SessionAgentClass<Base> {
  abstract class ClassAgent extends sessionAgent(Base as McpAgentClass, settings) {
    /** Asked by a tool of the catalogue that keeps state, in a session that was drained. */
    async applyOrRelease({ tool }: HeldCall): Promise<AgentAnswer> {
      if (!(await sessionOf(this).exists())) return { kind: 'gone' };
      // To begin anew beside it would look like a loss, and could not be undone by taking the session back.
      const cause = `the session keeps its state in the class ${Base.name}, which no tool of the catalogue can read`;
      return { kind: 'applied', outcome: { ok: false, fault: { fault: 'state_unavailable', tool }, cause } };
    }
  }
  Object.defineProperty(ClassAgent, 'name', { value: Base.name });
  return ClassAgent as unknown as SessionAgentClass<Base>;
}
