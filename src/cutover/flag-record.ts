/**
 * What the operator object stores about a route's flag: its revision, its position and since when, and who is
 * changing it. A flag source has no compare-and-set, so an operator that changes a flag claims it here first, by the revision that
 * they looked at: of several at once, one is let through and the others are told. Pure.
 */

/** Who did something: the signed-in operator, and the name that they gave themselves. */
export interface By {
  readonly who: string;
  readonly said?: string;
}

/** How a flag stands, as the command that changed it left it. */
export interface Position {
  readonly stage: string;
  readonly ramp?: { readonly stage: string; readonly percent: number };
}

export interface FlagRecord {
  /** Counts changes. */
  readonly revision: number;
  /** The last change that was made to its end, of whatever kind. */
  readonly changed?: By & { readonly at: number };
  /** Where everybody stands, and since when: a rule for a cohort is none of it. */
  readonly position?: Position & { readonly since: number };
  readonly claim?: By & { readonly token: string; readonly at: number; readonly logged: boolean };
}

export const NO_RECORD: FlagRecord = { revision: 0 };

/** Far longer than a change takes. Who has claimed a flag and went away holds nobody up for longer. */
export const CLAIM_MS = 60_000;

export type Claimed =
  | { readonly ok: true; readonly record: FlagRecord }
  | { readonly ok: false; readonly reason: 'busy'; readonly by: By; readonly since: number }
  | { readonly ok: false; readonly reason: 'changed'; readonly by: By | null };

export function claimed(
  record: FlagRecord,
  {
    revision,
    by,
    token,
    now,
  }: { readonly revision: number; readonly by: By; readonly token: string; readonly now: number },
): Claimed {
  const { claim, changed } = record;
  if (claim !== undefined && now - claim.at < CLAIM_MS) {
    return { ok: false, reason: 'busy', by: byOf(claim), since: claim.at };
  }
  if (record.revision !== revision)
    return { ok: false, reason: 'changed', by: changed === undefined ? null : byOf(changed) };
  return { ok: true, record: { ...record, claim: { ...by, token, at: now, logged: false } } };
}

/** Undefined if the claim is not held any more: it ran out, and another operator may have begun. */
export const logged = (record: FlagRecord, token: string, now: number): FlagRecord | undefined =>
  record.claim?.token === token && now - record.claim.at < CLAIM_MS
    ? { ...record, claim: { ...record.claim, logged: true } }
    : undefined;

/** @param position How the flag stands now; undefined if it was not written. */
export function finished(record: FlagRecord, position: Position | undefined, now: number): FlagRecord {
  const { claim, ...rest } = record;
  if (claim === undefined || position === undefined) return rest;
  return {
    revision: record.revision + 1,
    changed: { ...byOf(claim), at: now },
    position: { ...position, since: isSame(record.position, position) ? (record.position?.since ?? now) : now },
  };
}

const byOf = ({ who, said }: By): By => ({ who, ...(said !== undefined && { said }) });

const isSame = (one: Position | undefined, other: Position): boolean =>
  one !== undefined &&
  one.stage === other.stage &&
  one.ramp?.stage === other.ramp?.stage &&
  one.ramp?.percent === other.ramp?.percent;
