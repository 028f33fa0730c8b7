/** A kind of state that stateful tools share: what it looks like and what it starts as. */
import type { InferOutput, Schema } from '../schema/standard.ts';

export interface StateDefinition<S extends Schema = Schema> {
  /** Names this kind of state in storage: never rename it while data exists. */
  readonly name: string;
  readonly schema: S;
  /** The state of somebody who has none yet. */
  readonly initial: InferOutput<S>;
}

export function defineState<S extends Schema>(state: StateDefinition<S>): StateDefinition<S> {
  return state;
}
