/** A class of one's own as the legacy lane of a catalogue: its sessions stay with it, and can be drained and taken back. */
import { McpAgent } from 'agents/mcp';
import type { LaneParts, LegacyLane } from '../lane/contract.ts';
import { reportSdk } from '../shared/pipeline/report.ts';
import { stateOf } from '../shared/define/state.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { AnyCarry, Carry } from '../shared/state/carry.ts';
import type { HeldCall } from '../shared/state/holder.ts';
import type { AgentAnswer } from '../state/transfer.ts';
import type { IdleVars } from '../state/times.ts';
import type { AgentEnvironment, AgentParts } from './agent.ts';
import { CarryError, isAway } from './carried-states.ts';
import { carryingClass, unavailable } from './carrying-class.ts';
import { createLegacyLane, type LegacyLaneSetup } from './lane.ts';
import { platformOf } from './package-internals.ts';
import type { AnyArguments, McpAgentClass, SessionAgentClass, SessionAgentOptions } from './session/options.ts';
import { refuseTaken, sessionAgent, sessionOf } from './session/session-agent.ts';

/** What of the lane of a class can be set. */
export interface AgentLaneOptions<State> extends Pick<LegacyLaneSetup, 'keepAliveMs'>, Pick<AgentParts, 'workarounds'> {
  /**
   * Maps what the class keeps to the states of the catalogue. With it a session that is drained takes its state along, and
   * brings it back when it is taken back. Without it the state stays in the class, where the catalogue's tools cannot reach it.
   */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly carry?: Carry<State, any> | undefined;
}

/**
 * A class that you have as the legacy lane of a catalogue: clients with sessions are served by it as before, and all
 * others by the catalogue. Its sessions expire only if an idle time is set. With `carry` their state moves with them.
 *
 * @param Base The class as it is in production, a subclass of `McpAgent` of `agents/mcp`.
 * @throws TypeError if the class is no `McpAgent`, or has a member of a name that is added; when the Worker is composed, if a
 *   mapping leaves out a state of a session that a tool of the catalogue keeps.
 * @example
 * ```ts
 * const hybrid = createHybrid({
 *   catalogue,
 *   legacy: agentLane(OwnMCP, { carry }),
 *   bindings: { legacy: 'MCP_OBJECT' },
 *   paths: { legacy: '/mcp', sse: '/sse', mcp: '/next' },
 * });
 * export class MyMCP extends hybrid.LegacyAgent {}
 * ```
 */
export function agentLane<Base extends McpAgentClass>(
  Base: Base,
  { keepAliveMs, workarounds, carry }: AgentLaneOptions<InstanceType<Base>['state']> = {},
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
      const settings = { ...settingsOf(parts), ...(workarounds !== undefined && { workarounds }) };
      if (carry === undefined) return { ...lane, Agent: classFor(Base, settings) };
      refuseUncarried(parts.catalogue, carry);
      const { envOf, report } = parts;
      return { ...lane, Agent: carryingClass(Base, { carry, settings, envOf, report }) };
    },
  };
}

/** A state that begins anew in a session of the class would look like a loss, so its author says what the class has of it. */
function refuseUncarried({ tools }: Catalogue, carry: AnyCarry): void {
  const carried = new Set(Object.values(carry.states as Carry['states']).map(({ name }) => name));
  for (const tool of tools.values()) {
    if (tool.kind === 'plain' || stateOf(tool.state) !== 'session' || carried.has(tool.state.name)) continue;
    throw new TypeError(
      `The tool "${tool.name}" keeps the state "${tool.state.name}", which the mapping of agentLane() does not carry. Add it to carries({ states }): out gives what the class has of it, or undefined for nothing.`,
    );
  }
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

/** A class that keeps its state: the catalogue's tools have none in its sessions. */
function classFor<Base extends McpAgentClass>(Base: Base, settings: SessionAgentOptions): SessionAgentClass<Base> {
  abstract class ClassAgent extends sessionAgent(Base as McpAgentClass, settings) {
    constructor(...args: AnyArguments) {
      // oxlint-disable-next-line typescript/no-unsafe-argument
      super(...args);
      // A mapping has carried the state away, and only a mapping brings it back.
      sessionOf(this).beforeTakeBack = async () => {
        if (isAway(platformOf(this).storage)) throw new CarryError(withoutMapping(Base.name));
      };
    }

    /** Asked by a tool of the catalogue that keeps state, in a session that was drained. */
    async applyOrRelease({ tool }: HeldCall): Promise<AgentAnswer> {
      if (!(await sessionOf(this).exists())) return { kind: 'gone' };
      // To begin anew beside it would look like a loss, and could not be undone by taking the session back.
      const cause = `the session keeps its state in the class ${Base.name}, which no tool of the catalogue can read: give agentLane() a mapping, { carry }`;
      return unavailable(tool, cause);
    }
  }
  Object.defineProperty(ClassAgent, 'name', { value: Base.name });
  return ClassAgent as unknown as SessionAgentClass<Base>;
}

const withoutMapping = (name: string): string =>
  `The state of this session is with the catalogue. Give agentLane() the mapping that carried it from the class ${name}, and take the session back then.`;
