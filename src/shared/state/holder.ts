/**
 * One of the two holders of a state, on whichever side: runs tools while it owns the state, gives it up and takes it
 * over. A reducer, and each step of a tool that waits, is immediate, so nothing can come between a read and a write.
 * Storage is the caller's.
 */
import { receivedCaller, type CallerReader } from '../caller.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { World } from '../define/context.ts';
import { utf8BytesOver } from '../json.ts';
import type { Fault } from '../pipeline/fault.ts';
import type { LiveCall, StateOutcome } from '../pipeline/ports.ts';
import type { Reporter } from '../pipeline/report.ts';
import { reducerContext, servicesOf, type ServicesMaker } from '../pipeline/services.ts';
import { adopt, askerOf, release, type Asker, type Holding, type Release, type StoredState } from './ownership.ts';
import { MAX_STATE_BYTES, reduceState } from './reduce.ts';
import { runWaiting, type WaitingToolDefinition } from './wait.ts';

export interface HeldCall {
  readonly tool: string;
  /** The call's arguments as JSON text: the holder parses them itself. */
  readonly args: string;
  /** The name of the state, given back with the reply. */
  readonly handle: string;
  /** Who calls, as JSON text; absent without a sign-in. */
  readonly caller?: string;
}

export interface HolderOptions {
  readonly catalogue: Catalogue;
  readonly world: World;
  readonly report: Reporter;
  /** Makes the services of a caller. */
  readonly services: ServicesMaker;
  readonly callerOf: CallerReader;
  /** The environment of the object that this holder is in. */
  readonly env: object;
  readonly load: () => Holding;
  /** Stores the holding whole, or throws and leaves the old one. */
  readonly save: (holding: Holding) => void;
}

export class StateHolder {
  readonly #options: HolderOptions;
  #waiting = 0;

  constructor(options: HolderOptions) {
    this.#options = options;
  }

  get owns(): boolean {
    return this.#options.load().owner;
  }

  /** What to send with a request for the state. */
  get asker(): Asker {
    return askerOf(this.#options.load());
  }

  /** True while a tool waits here: then the state is in use. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Runs a call, or gives undefined where the state is not this holder's to change.
   * @param live For a tool that waits.
   */
  apply(call: HeldCall, live?: LiveCall): StateOutcome | Promise<StateOutcome> | undefined {
    const { tool: name, args, handle } = call;
    const holding = this.#options.load();
    if (!holding.owner) return undefined;
    const tool = this.#options.catalogue.tools.get(name);
    if (tool?.kind === 'waiting' && live !== undefined) return this.#wait(tool, call, live);
    if (tool?.kind !== 'stateful') return { ok: false, fault: { fault: 'unknown_tool', tool: name } };
    const kind = tool.state.name;
    const outcome = reduceState(
      tool,
      holding.states?.[kind],
      JSON.parse(args),
      reducerContext(this.#options, call.caller),
    );
    if (!outcome.ok) return outcome;
    const fault = outcome.next === undefined ? undefined : this.#put(name, kind, outcome.next);
    return fault === undefined ? { ok: true, reply: outcome.reply, handle } : { ok: false, fault };
  }

  async #wait(tool: WaitingToolDefinition, call: HeldCall, live: LiveCall): Promise<StateOutcome> {
    const { world, report, load, env, callerOf } = this.#options;
    const caller = receivedCaller(call.caller, callerOf);
    const services = servicesOf(this.#options.services, env, caller);
    const put = (kind: string, next: StoredState) => this.#put(tool.name, kind, next);
    this.#waiting += 1;
    try {
      const { handle } = call;
      const input = JSON.parse(call.args) as unknown;
      return await runWaiting({ tool, args: input, handle, live, load, put, world, report, caller, services });
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Stores one kind of state beside the others, or says why there is no room. */
  #put(tool: string, kind: string, state: StoredState): Fault | undefined {
    const holding = this.#options.load();
    const states = { ...holding.states, [kind]: state };
    if (utf8BytesOver(JSON.stringify(states), MAX_STATE_BYTES)) {
      return { fault: 'state_too_large', tool, limitBytes: MAX_STATE_BYTES };
    }
    this.#options.save({ ...holding, states });
    return undefined;
  }

  /** Gives the state up. The holding is stored before the answer leaves. */
  release(asker: Asker): Release {
    const { next, answer } = release(this.#options.load(), asker);
    this.#options.save(next);
    return answer;
  }

  /** Takes the state over, unless the offer is an old one. */
  adopt(offered: Release): void {
    const before = this.#options.load();
    const after = adopt(before, offered);
    if (after !== before) this.#options.save(after);
  }
}
