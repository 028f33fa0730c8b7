/**
 * The catalogue's state of a legacy session: kept in the session's agent until the session is drained and the state object
 * of the session's handle takes it over.
 */
import type { Caller, CallerReader } from '../shared/caller.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { LogLevel, World } from '../shared/define/context.ts';
import type { LiveCall, StateCall, StateOutcome } from '../shared/pipeline/ports.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import type { ServicesMaker } from '../shared/pipeline/services.ts';
import { StateHolder, type HeldCall } from '../shared/state/holder.ts';
import { FIRST_OWNER, type Asker, type Holding } from '../shared/state/ownership.ts';
import { handleOfSession } from '../state/handle.ts';
import { applyAt, applyOutsideSession, stateCallerOf, type StateEnv } from '../state/state-port.ts';
import { MAX_ROUNDS, objectOf, type AgentAnswer } from '../state/transfer.ts';

/** What the catalogue keeps of a session. */
export interface CatalogueRecord {
  readonly holding: Holding;
  /** True once the state object of the session's handle knows this agent, so that the handle works on every route. */
  readonly bound?: boolean;
  readonly logLevel?: LogLevel;
  /** The protocol version that the client agreed to, if it is not the newest. */
  readonly version?: string;
}

/** What is kept before anything was written. Not stored: most sessions never keep anything. */
export const UNTOUCHED: CatalogueRecord = { holding: FIRST_OWNER };

/** What the state needs of its agent. */
export interface StatefulSession {
  readonly env: StateEnv;
  readonly catalogue: Catalogue;
  readonly world: World;
  readonly report: Reporter;
  /** Makes the services of a caller. */
  readonly services: ServicesMaker;
  readonly callerOf: CallerReader;
  readonly sessionId: () => string;
  /** The agent's own name, by which a state object finds it again. */
  readonly name: () => string;
  readonly isDrained: () => boolean;
  readonly read: () => CatalogueRecord;
  readonly write: (record: CatalogueRecord) => void;
}

export class SessionStates {
  readonly #session: StatefulSession;
  readonly #holder: StateHolder;

  constructor(session: StatefulSession) {
    this.#session = session;
    this.#holder = new StateHolder({
      catalogue: session.catalogue,
      world: session.world,
      report: session.report,
      services: session.services,
      callerOf: session.callerOf,
      env: session.env,
      load: () => session.read().holding,
      save: (holding) => session.write({ ...session.read(), holding }),
    });
  }

  /** True while a tool waits in this agent. */
  get isBusy(): boolean {
    return this.#holder.isBusy;
  }

  /**
   * A call of this session's own client.
   * @param props The properties that the caller was read from.
   */
  async apply(call: StateCall, who: Caller, props: unknown, live?: LiveCall): Promise<StateOutcome> {
    const { env, sessionId } = this.#session;
    const caller = stateCallerOf(who, props);
    const outside = applyOutsideSession(env, call, caller, live);
    if (outside !== undefined) return outside;
    const own = await handleOfSession(sessionId());
    if (call.handle !== undefined && call.handle !== own) return applyAt(env, call.handle, call, caller, live);
    await this.#bind(own, who.subject);
    const held: HeldCall = {
      tool: call.tool,
      args: JSON.stringify(call.args),
      handle: own,
      ...(caller.caller !== undefined && { caller: caller.caller }),
    };
    return (
      (await this.#applyHere(held, live)) ??
      applyAt(env, own, { ...call, handle: undefined }, { ...caller, agent: this.#session.name() }, live)
    );
  }

  /**
   * A call that reached the state object of this session's handle.
   * @param follows True where the state goes to whoever calls. The session's own client gets it back with its next call.
   */
  async applyOrRelease(
    call: HeldCall,
    asker: Asker,
    { follows, live }: { readonly follows: boolean; readonly live: LiveCall | undefined },
  ): Promise<AgentAnswer> {
    if (call.handle !== (await handleOfSession(this.#session.sessionId()))) return { kind: 'gone' };
    const leaves = follows || this.#session.isDrained();
    const outcome = leaves ? undefined : await this.#applyHere(call, live);
    if (outcome !== undefined) return { kind: 'applied', outcome };
    return { kind: 'released', release: this.#holder.release(asker) };
  }

  /** The session ends: from now on its state is the state object's, for whoever has the handle. */
  async handOn(): Promise<void> {
    const { env, sessionId, read } = this.#session;
    // Whatever the object has seen, an offer of what it does not have yet is newer, and any other is refused.
    const states = read().holding.states === undefined ? undefined : this.#holder.release({ offer: 0, has: false });
    await objectOf(env, await handleOfSession(sessionId())).inherit(states);
  }

  /** Undefined where the state is, or is to go, to the state object. */
  async #applyHere(call: HeldCall, live: LiveCall | undefined): Promise<StateOutcome | undefined> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const outcome = this.#holder.apply(call, live);
      if (outcome !== undefined) return outcome;
      if (this.#session.isDrained()) return undefined;
      // The session was taken back: so is its state.
      this.#holder.adopt(await objectOf(this.#session.env, call.handle).release(this.#holder.asker));
    }
    return { ok: false, fault: { fault: 'state_unavailable', tool: call.tool }, cause: 'the holders did not settle' };
  }

  async #bind(handle: string, subject: string | undefined): Promise<void> {
    if (this.#session.read().bound === true) return;
    await objectOf(this.#session.env, handle).bind(this.#session.name(), subject);
    this.#session.write({ ...this.#session.read(), bound: true });
  }
}
