/**
 * A class whose state moves: a mapping makes it the catalogue's when a session is drained, and the class's again when the
 * session is taken back, under the ownership law that the catalogue's own agent keeps. The class's code and the catalogue's
 * tools never work on it at the same time: its calls are given the state first, and it does not leave before they are over.
 */
import type { Reporter } from '../shared/pipeline/report.ts';
import { report } from '../shared/pipeline/report.ts';
import type { AnyCarry, ClassData } from '../shared/state/carry.ts';
import type { HeldCall } from '../shared/state/holder.ts';
import type { Asker } from '../shared/state/ownership.ts';
import { handleOfSession } from '../state/handle.ts';
import { objectOf, type AgentAnswer, type HolderEnv } from '../state/transfer.ts';
import { CarriedStates, CarryError } from './carried-states.ts';
import { ClassCalls } from './class-calls.ts';
import { connectionsOf, isCondemned, platformOf, transportOf } from './package-internals.ts';
import type { AnyArguments, McpAgentClass, SessionAgentClass, SessionAgentOptions } from './session/options.ts';
import { sessionAgent, sessionOf } from './session/session-agent.ts';

export interface CarryingParts {
  readonly carry: AnyCarry;
  readonly settings: SessionAgentOptions;
  readonly envOf: (env: object) => HolderEnv;
  readonly report: Reporter;
}

interface Carrying {
  readonly states: CarriedStates;
  readonly calls: ClassCalls;
}

/** A state that cannot be had now, for the tool that wanted it; the cause is for the operator. */
export const unavailable = (tool: string, cause: string): AgentAnswer => ({
  kind: 'applied',
  outcome: { ok: false, fault: { fault: 'state_unavailable', tool }, cause },
});

export function carryingClass<Base extends McpAgentClass>(
  Base: Base,
  { carry, settings, envOf, report: reporter }: CarryingParts,
): SessionAgentClass<Base> {
  const known = new WeakMap<object, Carrying>();

  abstract class CarryingAgent extends sessionAgent(Base as McpAgentClass, settings) {
    constructor(...args: AnyArguments) {
      // oxlint-disable-next-line typescript/no-unsafe-argument
      super(...args);
      // A session goes back with its state, or stays drained if the class cannot take it.
      sessionOf(this).beforeTakeBack = async () => {
        await this.__unsafe_ensureInitialized(undefined);
        await this.#home();
      };
    }

    /** Not a field: the constructor of the class may call `setState`. */
    get #carrying(): Carrying {
      const made = known.get(this) ?? { states: this.#statesHere(), calls: new ClassCalls() };
      known.set(this, made);
      return made;
    }

    #statesHere(): CarriedStates {
      const { storage, env } = platformOf(this);
      return new CarriedStates({
        storage,
        carry,
        className: Base.name,
        data: () => this.#data(),
        setState: (state) => super.setState(state),
        object: async () => objectOf(envOf(env), await handleOfSession(this.getSessionId())),
      });
    }

    #data(): ClassData {
      return {
        state: structuredClone(this.state as unknown),
        sql: (strings, ...values) => this.sql(strings, ...values),
      };
    }

    /** Brings the state to the class, or says to the operator why it stays. */
    async #home(): Promise<void> {
      try {
        await this.#carrying.states.home();
      } catch (cause) {
        report(reporter, { fault: 'state_unavailable', tool: undefined, cause });
        throw cause;
      }
    }

    override async onStart(props?: Record<string, unknown>): Promise<void> {
      await super.onStart(props);
      const transport = transportOf(this);
      const { states, calls } = this.#carrying;
      if (transport === undefined) return;
      calls.watch(
        transport,
        () => states.owns,
        () => this.#home(),
      );
    }

    /** What the class would write to what it has left would be lost when its state comes back. */
    override setState(state: unknown): void {
      if (transportOf(this) !== undefined && !this.#carrying.states.owns) {
        throw new Error(`The state of this session was carried to the catalogue: ${Base.name} cannot set it now`);
      }
      super.setState(state);
    }

    /** The class's schedules work on its state, which comes back for them. */
    override async alarm(): Promise<void> {
      const { states, calls } = this.#carrying;
      if (!states.owns && (await this.#hasWork())) await this.#home();
      await calls.during(() => super.alarm());
    }

    async #hasWork(): Promise<boolean> {
      const { endsAt } = sessionOf(this).expiry;
      const [connection] = connectionsOf(this);
      const ends = endsAt !== undefined && Date.now() >= endsAt && connection === undefined;
      if (ends || isCondemned(platformOf(this).storage)) return false;
      await this.__unsafe_ensureInitialized(undefined);
      return (await this.listSchedules()).length > 0;
    }

    /** Asked by the state object of the session's handle, which has a call and not the state. */
    async applyOrRelease({ tool, handle }: HeldCall, asker: Asker): Promise<AgentAnswer> {
      const isOwn = handle === (await handleOfSession(this.getSessionId()));
      if (!isOwn || !(await sessionOf(this).exists())) return { kind: 'gone' };
      const { states, calls } = this.#carrying;
      if (!(await calls.areOver())) return unavailable(tool, `a call of the class ${Base.name} is still under way`);
      try {
        return { kind: 'released', release: states.release(asker) };
      } catch (cause) {
        if (cause instanceof CarryError) return unavailable(tool, cause.message);
        throw cause;
      }
    }

    /** By DELETE, or for an operator. A handle that was given out works on, and a state that cannot go with it stays. */
    override async _cf_terminateSession(): Promise<void> {
      if (sessionOf(this).record.drained !== undefined) await this.#carrying.states.handOn();
      await super._cf_terminateSession();
    }
  }
  Object.defineProperty(CarryingAgent, 'name', { value: Base.name });
  return CarryingAgent as unknown as SessionAgentClass<Base>;
}
