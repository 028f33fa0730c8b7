/**
 * The state of a tool that waits, in the owner of the state: each step reads what is stored, computes and stores without
 * giving up control. A step is refused once the call is over, and where this holder no longer owns the state.
 */
import type { StateSteps } from '../define/tool.ts';
import { FaultSignal, type Fault } from '../pipeline/fault.ts';
import { report, type Reporter } from '../pipeline/report.ts';
import type { Holding, StoredState } from './ownership.ts';
import { nextState, readState, storedText, type StateUser } from './reduce.ts';

export interface StepsOptions {
  readonly tool: StateUser;
  readonly load: () => Holding;
  /** Stores one kind of state; a fault where there is no room for it. */
  readonly put: (kind: string, next: StoredState) => Fault | undefined;
  readonly isOver: () => boolean;
  readonly report: Reporter;
}

export class HeldSteps implements StateSteps<unknown> {
  readonly #options: StepsOptions;
  /** True once a step has changed the state. */
  hasChanged = false;
  #isStepping = false;

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  read(): unknown {
    return this.#open().value;
  }

  update(step: (state: unknown) => unknown): unknown {
    const { tool, put } = this.#options;
    const { stored, value } = this.#open();
    const before = storedText(tool, stored, value);
    const given = this.#step(step, value);
    if (given instanceof Promise) {
      given.catch(() => undefined); // it is refused, whatever becomes of it
      const fault = { fault: 'invalid_result', tool: tool.name } as const;
      throw signal(fault, 'the step gave a promise');
    }
    // What the step has done meanwhile may have ended the call.
    this.#open();
    const outcome = nextState(tool, given, before);
    if (!outcome.ok) throw signal(outcome.fault, outcome.cause);
    if (outcome.next !== undefined) {
      const fault = put(tool.state.name, outcome.next);
      if (fault !== undefined) throw signal(fault);
      this.hasChanged = true;
    }
    return this.read();
  }

  #step(step: (state: unknown) => unknown, value: unknown): unknown {
    this.#isStepping = true;
    try {
      return step(value);
    } finally {
      this.#isStepping = false;
    }
  }

  #open(): { readonly stored: StoredState | undefined; readonly value: unknown } {
    const { tool, load, isOver } = this.#options;
    // What it stored, the step around it would write over.
    if (this.#isStepping)
      throw signal({ fault: 'invalid_result', tool: tool.name }, 'a step touched the state within another');
    if (isOver()) throw this.#refusal('its call was over');
    const { owner, states = {} } = load();
    if (!owner) throw this.#refusal('the state had moved to another lane');
    const stored = states[tool.state.name];
    // A copy: what is in memory must not change but by a step.
    const read = readState(tool, stored === undefined ? undefined : structuredClone(stored));
    if (!read.ok) {
      const fault = { fault: 'state_unreadable', tool: tool.name } as const;
      throw signal(fault, read.cause);
    }
    return { stored, value: read.value };
  }

  /** Told to the operator here: the tool may catch it, and nobody may be waiting for the call. */
  #refusal(why: string): FaultSignal {
    const { tool, report: reporter } = this.#options;
    const fault = { fault: 'state_unavailable', tool: tool.name } as const;
    report(reporter, { ...fault, cause: new TypeError(`The tool "${tool.name}" used its state when ${why}`) });
    return new FaultSignal(fault);
  }
}

const signal = (fault: Fault, cause?: string): FaultSignal =>
  new FaultSignal(fault, cause === undefined ? undefined : { cause: new TypeError(cause) });
