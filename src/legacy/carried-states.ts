/**
 * The state of a session of a user's own class that a mapping carries: it is the class's own `this.state` and tables while
 * this agent owns it, and a copy that was given up once it does not. What the class has is never deleted, and is written
 * only when the state comes back.
 */
import { putBack, statesIn, type AnyCarry, type Carried, type ClassData } from '../shared/state/carry.ts';
import {
  adopt,
  askerOf,
  FIRST_OWNER,
  release,
  type Asker,
  type Holding,
  type Release,
  type States,
} from '../shared/state/ownership.ts';
import { MAX_ROUNDS, type StateObjectApi } from '../state/transfer.ts';
import { KEY_PREFIX, KeptValue } from './session/record.ts';

/** The key of who owns the state, and of the copy that was given up. */
const CARRIED_KEY = `${KEY_PREFIX}carried`;

/** The mapping failed: everything is where it was. For the operator, since it may quote what is stored. */
export class CarryError extends Error {
  override readonly name = 'CarryError';
}

export const keptHolding = (storage: DurableObjectStorage): KeptValue<Holding> => new KeptValue(storage, CARRIED_KEY);

/** True where the state of a class is with the catalogue. */
export const isAway = (storage: DurableObjectStorage): boolean => keptHolding(storage).get()?.owner === false;

export interface CarriedSession {
  readonly storage: DurableObjectStorage;
  readonly carry: AnyCarry;
  readonly className: string;
  /** What the class has now. */
  readonly data: () => ClassData;
  /** The class's own way to store its `this.state`. */
  readonly setState: (state: unknown) => void;
  /** The state object of the session's handle. */
  readonly object: () => Promise<Pick<StateObjectApi, 'release' | 'inherit'>>;
}

export class CarriedStates {
  readonly #session: CarriedSession;
  readonly #kept: KeptValue<Holding>;
  #coming: Promise<void> | undefined;

  constructor(session: CarriedSession) {
    this.#session = session;
    this.#kept = keptHolding(session.storage);
  }

  get owns(): boolean {
    return this.#holding.owner;
  }

  /** While the state is here: only what the class has nothing of. */
  get #holding(): Holding {
    return this.#kept.get() ?? FIRST_OWNER;
  }

  /**
   * Gives the state up. The class's own calls must be over.
   * @throws CarryError if it cannot be read as the catalogue's: then it stays.
   */
  release(asker: Asker): Release {
    const holding = this.#holding;
    const whole = holding.owner ? { ...holding, states: this.#statesNow(holding.states) } : holding;
    const { next, answer } = release(whole, asker);
    this.#kept.set(next);
    return answer;
  }

  /**
   * Brings the state back, if it is not here.
   * @throws CarryError if the class cannot take it: then it stays with the catalogue.
   */
  home(): Promise<void> {
    if (this.owns) return Promise.resolve();
    this.#coming ??= this.#bring().finally(() => {
      this.#coming = undefined;
    });
    return this.#coming;
  }

  async #bring(): Promise<void> {
    const object = await this.#session.object();
    for (let round = 0; round < MAX_ROUNDS && !this.owns; round += 1) {
      this.#adopt(await object.release(askerOf(this.#holding)));
    }
    if (!this.owns) throw new Error('The holders of the state did not settle');
  }

  /** The session ends: its state is the state object's, for whoever has the handle. */
  async handOn(): Promise<void> {
    const has = this.owns || this.#holding.states !== undefined;
    // Whatever the object has seen, an offer of what it does not have yet is newer, and any other is refused.
    const given = has ? this.release({ offer: 0, has: false }) : undefined;
    await (await this.#session.object()).inherit(given);
  }

  #adopt(offered: Release): void {
    const before = this.#holding;
    const after = adopt(before, offered);
    if (after === before || after.states === undefined) return;
    const { states } = after;
    // In one turn and in one transaction: the class has it whole and this agent owns it, or neither.
    this.#session.storage.transactionSync(() => {
      // What was never taken over is what the class has.
      const has = states === before.states ? this.#statesNow({}) : this.#putBack(states);
      const beside = Object.entries(states).filter(([name]) => !Object.hasOwn(has, name));
      this.#kept.set({ ...after, states: Object.fromEntries(beside) });
    });
  }

  /** @returns What the class has from here on. */
  #putBack(states: States): States {
    const { carry, data, setState, className } = this.#session;
    const before = data();
    const next = this.#checked(putBack(carry, states, data()));
    // What the class cannot give out again would be lost with the next move.
    const has = this.#checked(statesIn(carry, { ...before, state: next }));
    try {
      if (JSON.stringify(next) !== JSON.stringify(before.state)) setState(next);
    } catch (cause) {
      throw new CarryError(`The class ${className} refused the state that its mapping gave (back): ${String(cause)}`);
    }
    return has;
  }

  #statesNow(kept: States | undefined): States {
    const { carry, data } = this.#session;
    return this.#checked(statesIn(carry, data(), kept));
  }

  #checked<T>(carried: Carried<T>): T {
    if (carried.ok) return carried.value;
    throw new CarryError(`${carried.problem}. The state of the class ${this.#session.className} stays where it is.`);
  }
}
