/** A kind of state that stateful tools share: what it looks like and what it starts as. */
import type { Json } from '../json.ts';
import type { InferOutput, Schema } from '../schema/standard.ts';

/** Whose a state is; see `StateDefinition.of`. */
export type StateOf = 'session' | 'subject' | 'handle';

/** A kind of state: its name, its schema, and what it is at first. */
export interface StateDefinition<S extends Schema = Schema> {
  /** Names this kind of state in storage: never rename it while data exists. */
  readonly name: string;
  readonly schema: S;
  /** The state of somebody who has none yet. */
  readonly initial: InferOutput<S>;
  /** Raise it when the schema stops accepting what is stored; 1 where absent. */
  readonly version?: number;
  /**
   * Turns a state that an earlier version wrote into one of this version. Pure. Without it, or where it throws or its
   * result does not fit, the stored state is left as it is and the call is a fault.
   */
  readonly migrate?: (stored: Json, version: number) => unknown;
  /**
   * Whose it is.
   * - `session`, the default: of the session. A 2026-07-28 client has none: then of the signed-in subject, and without a
   *   sign-in, of whoever has the handle.
   * - `subject`: of the signed-in subject, one state on every lane and in every session. A call without a subject is
   *   refused.
   * - `handle`: of whoever has the handle. A call without one begins a new state, in a session too.
   */
  readonly of?: StateOf;
  /**
   * True where the tools take a `handle` beside their own input and give one back, so that a client can carry the state
   * to another session or lane. Default: true, but for a state of the subject. False: schemas, descriptions and results
   * are exactly what the tool says.
   */
  readonly handle?: boolean;
}

/** What a definition says of whose its state is, with the defaults. */
type Whose = Pick<StateDefinition, 'of' | 'handle'>;

export const stateOf = ({ of = 'session' }: Whose): StateOf => of;
/** True where clients see the handle of the state. */
export const showsHandle = ({ of, handle = of !== 'subject' }: Whose): boolean => handle;

export const versionOf = ({ version = 1 }: Pick<StateDefinition, 'version'>): number => version;

/**
 * Defines a state that stateful tools share. It follows a session, a subject or a handle from lane to lane.
 *
 * @example
 * ```ts
 * const counter = defineState({ name: 'counter', schema: z.object({ value: z.int() }), initial: { value: 0 } });
 * ```
 */
export function defineState<S extends Schema>(state: StateDefinition<S>): StateDefinition<S> {
  return state;
}
