/**
 * Who may write a piece of state that moves between two holders: an agent and a state object. Pure, and the same on
 * both sides, so that the proof of one is the proof of both.
 *
 * Each holder has an epoch. A holder that wants the state asks the other to release it and adopts what it is given;
 * the epoch grows with each transfer. Both steps can be repeated, delayed or lost: `release` offers the same epoch
 * again, and `adopt` refuses an epoch that is not newer than what the holder has seen. So at every moment at most one
 * holder may write, and the newest state is never lost.
 */
import type { Json } from '../json.ts';

/** One kind of state as it is stored: with the version of its definition that wrote it. */
export interface StoredState {
  readonly v: number;
  readonly value: Json;
}

/** All kinds of state behind one handle, by the name of their kind. */
export type States = Readonly<Record<string, StoredState>>;

export interface Holding {
  /** Grows with each transfer: odd where the agent owns or may adopt, even for the object, so offers never collide. */
  readonly epoch: number;
  /** True for the one holder that may write. */
  readonly owner: boolean;
  /** The state for the owner, and for the last owner until the other adopts. Absent where the other's is the newest. */
  readonly states?: States;
}

/** What a holder says when it is asked to release: the epoch to adopt, and the state unless the asker's is the newest. */
export interface Release {
  readonly epoch: number;
  readonly states?: States;
}

/** A session's agent owns its state from the start. */
export const FIRST_OWNER: Holding = { epoch: 1, owner: true, states: {} };
/** A state object of a session knows nothing until it adopts. */
export const NEVER_OWNER: Holding = { epoch: 0, owner: false };
/** A state object without a session is nobody else's. */
export const ONLY_OWNER: Holding = { epoch: 0, owner: true, states: {} };

/** What a holder says of itself when it asks the other to release. */
export interface Asker {
  /** The epoch under which it offers the state, or would: it says how much it has seen. */
  readonly offer: number;
  /** True where it still has the state that it once offered. */
  readonly has: boolean;
}

export const askerOf = ({ epoch, states }: Holding): Asker => ({ offer: epoch + 1, has: states !== undefined });

/**
 * Gives the state up for the other holder. Where the asker has the newest state itself, because its offer was never
 * adopted, it is told to keep it under a new epoch, and from then on its old offer can no longer be adopted here.
 *
 * @returns The holding to store before the answer leaves, and the answer.
 */
export function release(holding: Holding, asker: Asker): { next: Holding; answer: Release } {
  const { epoch, owner, states } = holding;
  if (states !== undefined && (owner || !asker.has || epoch + 1 > asker.offer)) {
    // Beyond what the asker has seen, or it could not adopt.
    const offer = Math.max(epoch, asker.offer) + 1;
    return { next: { epoch: offer - 1, owner: false, states }, answer: { epoch: offer, states } };
  }
  const seen = Math.max(epoch, asker.offer);
  return { next: { epoch: seen, owner: false }, answer: { epoch: seen + 1 } };
}

/** Takes the state over. Unchanged where the offer is not newer than what this holder has seen: a late or repeated one. */
export function adopt(holding: Holding, offered: Release): Holding {
  const states = offered.states ?? holding.states;
  if (offered.epoch <= holding.epoch || states === undefined) return holding;
  return { epoch: offered.epoch, owner: true, states };
}
