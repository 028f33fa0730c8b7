/**
 * Differences that a team has decided to live with: where, why, and optionally until when. A row that explained nothing
 * in a whole run is stale, a row past its end explains nothing and is expired, and both fail the run. Pure: the day is
 * an argument.
 */
import type { Json } from '../shared/json.ts';
import type { Difference } from './compare.ts';
import { nameMatches, pathMatches } from './path.ts';

export interface AllowedDifference {
  readonly id: string;
  /** A tool, prompt, resource or scenario, or a pattern such as `get-*`. */
  readonly where: string;
  /** A path, or a pattern with `*` and `**`. */
  readonly path: string;
  /** Only between the control and this target. */
  readonly candidate?: string;
  /** Both sides as they are; a side that is left out may be anything. */
  readonly controlValue?: Json;
  readonly candidateValue?: Json;
  readonly reason: string;
  readonly reference?: string;
  /** The last day on which the row counts, as `2026-12-31`. */
  readonly until?: string;
}

export class AllowedDifferences {
  readonly #rows: readonly AllowedDifference[];
  readonly #expired: readonly AllowedDifference[];
  readonly #fired = new Map<string, number>();

  /**
   * @param today As `2026-11-30`.
   * @throws TypeError when two rows share an id, since one of them could then hide that the other is stale.
   */
  constructor(rows: readonly AllowedDifference[], today: string) {
    const twice = rows.find(({ id }, at) => rows.findIndex((row) => row.id === id) !== at);
    if (twice !== undefined) throw new TypeError(`Two allowed differences have the id ${twice.id}. Give each its own.`);
    this.#expired = rows.filter(({ until }) => until !== undefined && until < today);
    this.#rows = rows.filter((row) => !this.#expired.includes(row));
  }

  /** The row that allows a difference, or undefined. */
  explain(where: string, candidate: string, difference: Difference): AllowedDifference | undefined {
    const row = this.#rows.find(
      (each) =>
        nameMatches(each.where, where) &&
        (each.candidate === undefined || each.candidate === candidate) &&
        pathMatches(each.path, difference.path) &&
        holds(each, 'controlValue', difference.control) &&
        holds(each, 'candidateValue', difference.candidate),
    );
    if (row !== undefined) this.#fired.set(row.id, (this.#fired.get(row.id) ?? 0) + 1);
    return row;
  }

  /** How often each row explained something. */
  fired(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#fired);
  }

  stale(): readonly AllowedDifference[] {
    return this.#rows.filter(({ id }) => !this.#fired.has(id));
  }

  expired(): readonly AllowedDifference[] {
    return this.#expired;
  }
}

function holds(row: AllowedDifference, side: 'controlValue' | 'candidateValue', value: Json | undefined): boolean {
  return !(side in row) || JSON.stringify(row[side]) === JSON.stringify(value);
}
