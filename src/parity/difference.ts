/** What a comparison finds and a known difference explains. Types only. */
import type { Json } from '../shared/json.ts';

/** One place where the two sides differ. `undefined` means that the side has nothing there. */
export interface Difference {
  /** Keys from the root of the observation, joined by dots. */
  readonly path: string;
  readonly control: Json | undefined;
  readonly candidate: Json | undefined;
}
