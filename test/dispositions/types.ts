/**
 * What becomes of each known divergence between the packages, as data: docs/parity.md is generated from it, and a test
 * holds every proof against the sources. Pure; no entry may promise what no test shows.
 */

/** A text for each lane, short enough for a table cell. */
export interface Sides {
  readonly legacy: string;
  readonly compat: string;
  readonly modern: string;
}

/** Tests that show an entry's disposition, by their titles as the source has them (`${…}` included). */
export interface Proof {
  /** From the root of the project. A table of cases counts too, where a test file runs all of it. */
  readonly file: string;
  readonly tests: readonly string[];
}

interface Entry {
  /** Group letter and number: `A1`. */
  readonly id: string;
  /** What differs, in our own words. */
  readonly title: string;
  /** What a plain `McpAgent` and a plain `createMcpHandler` do with a 2025 and with a 2026 request. */
  readonly plain: Sides;
  readonly proof: readonly Proof[];
}

export type Disposition =
  /** Our lanes do not differ here. `now` says what all of them do. */
  | (Entry & { readonly disposition: 'identical'; readonly now: string })
  /** What would differ cannot be written: a definition is refused when the catalogue is built, a request at the door. */
  | (Entry & { readonly disposition: 'refused'; readonly now: string })
  /** A difference that stays: what each of our lanes does, what asks for it, and why it is right to keep it. */
  | (Entry & {
      readonly disposition: 'documented';
      readonly ours: Sides;
      /** A section of a specification, or a package with its function. */
      readonly reference: string;
      readonly why: string;
    });

export interface DispositionGroup {
  readonly letter: string;
  readonly title: string;
  /** How many entries the group has: a literal, so that a lost entry is seen. */
  readonly count: number;
  readonly entries: readonly Disposition[];
}
