/**
 * Differences that must stay, each a row of literals with its reason. A row explains one place of one case between
 * two lanes and nothing else; a row that explained nothing in a whole run is stale and fails it. Pure.
 */
import type { Json } from '../shared/json.ts';
import type { Difference } from './difference.ts';

/** A difference that must stay: where it is, both values, and the reason. */
export interface KnownDifference {
  readonly id: string;
  readonly case: string;
  readonly control: string;
  readonly candidate: string;
  readonly path: string;
  /** Both sides as they are; undefined where a side has nothing there. */
  readonly controlValue: Json | undefined;
  readonly candidateValue: Json | undefined;
  /** The specification that asks for it, or the package that does it. */
  readonly reference: string;
  readonly why: string;
}

export interface Seen {
  readonly case: string;
  readonly control: string;
  readonly candidate: string;
  readonly difference: Difference;
}

export class DifferenceLedger {
  readonly #rows: readonly KnownDifference[];
  readonly #fired = new Set<string>();

  /** @throws TypeError when two rows share an id, since one of them could then hide that the other is stale. */
  constructor(rows: readonly KnownDifference[]) {
    if (new Set(rows.map(({ id }) => id)).size !== rows.length)
      throw new TypeError('Two known differences share an id. Give each its own.');
    this.#rows = rows;
  }

  /** The row that explains a difference, or undefined. */
  explain({ case: name, control, candidate, difference }: Seen): KnownDifference | undefined {
    const row = this.#rows.find(
      (known) =>
        known.case === name &&
        known.control === control &&
        known.candidate === candidate &&
        known.path === difference.path &&
        same(known.controlValue, difference.control) &&
        same(known.candidateValue, difference.candidate),
    );
    if (row !== undefined) this.#fired.add(row.id);
    return row;
  }

  /** Rows that explained nothing so far. */
  stale(): readonly KnownDifference[] {
    return this.#rows.filter(({ id }) => !this.#fired.has(id));
  }
}

const same = (left: Json | undefined, right: Json | undefined): boolean =>
  JSON.stringify(left) === JSON.stringify(right);
