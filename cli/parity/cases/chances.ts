/** Draws that are the same for the same seed. Pure. */
export interface Chances {
  /** A whole number from 0. */
  readonly below: (end: number) => number;
  readonly of: <Value>(list: readonly Value[]) => Value;
}

/** Mulberry32. */
export function chances(seed: number): Chances {
  let state = seed | 0;
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
  return { below, of: (list) => list[below(list.length)] as (typeof list)[number] };
}
