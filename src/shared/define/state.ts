/** A kind of state that stateful tools share: what it looks like and what it starts as. */
import type { Json } from '../json.ts';
import type { InferOutput, Schema } from '../schema/standard.ts';

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
}

export const versionOf = ({ version = 1 }: Pick<StateDefinition, 'version'>): number => version;

/**
 * Defines a state that stateful tools share. It follows a session or a handle from lane to lane.
 *
 * @example
 * ```ts
 * const counter = defineState({ name: 'counter', schema: z.object({ value: z.int() }), initial: { value: 0 } });
 * ```
 */
export function defineState<S extends Schema>(state: StateDefinition<S>): StateDefinition<S> {
  return state;
}
