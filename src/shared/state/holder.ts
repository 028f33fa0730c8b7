/**
 * One of the two holders of a state, on whichever side: runs reducers while it owns the state, gives it up and takes it
 * over. Every method is immediate, so nothing can come between a read and a write. Storage is the caller's.
 */
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { ReducerContext } from '../define/context.ts';
import { utf8BytesOver } from '../json.ts';
import type { StateOutcome } from '../pipeline/ports.ts';
import { adopt, askerOf, release, type Asker, type Holding, type Release } from './ownership.ts';
import { MAX_STATE_BYTES, reduceState } from './reduce.ts';

export interface HeldCall {
  readonly tool: string;
  /** The call's arguments as JSON text: the holder parses them itself. */
  readonly args: string;
  /** The name of the state, given back with the reply. */
  readonly handle: string;
}

export interface HolderOptions {
  readonly catalogue: Catalogue;
  readonly world: ReducerContext;
  readonly load: () => Holding;
  /** Stores the holding whole, or throws and leaves the old one. */
  readonly save: (holding: Holding) => void;
}

export class StateHolder {
  readonly #options: HolderOptions;

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

  /** Runs a call, or gives undefined where the state is not this holder's to change. */
  apply({ tool: name, args, handle }: HeldCall): StateOutcome | undefined {
    const holding = this.#options.load();
    if (!holding.owner) return undefined;
    const tool = this.#options.catalogue.tools.get(name);
    if (tool?.kind !== 'stateful') return { ok: false, fault: { fault: 'unknown_tool', tool: name } };
    const kind = tool.state.name;
    const states = holding.states ?? {};
    const outcome = reduceState(tool, states[kind], JSON.parse(args), this.#options.world);
    if (!outcome.ok) return outcome;
    if (outcome.next !== undefined) {
      const next = { ...states, [kind]: outcome.next };
      if (utf8BytesOver(JSON.stringify(next), MAX_STATE_BYTES)) {
        return { ok: false, fault: { fault: 'state_too_large', tool: name, limitBytes: MAX_STATE_BYTES } };
      }
      this.#options.save({ ...holding, states: next });
    }
    return { ok: true, reply: outcome.reply, handle };
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
