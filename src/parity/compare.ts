/** Compares what two lanes answered, and gives one of the verdicts. Pure. */
import diff from 'microdiff';
import type { Json } from '../shared/json.ts';
import type { Difference } from './difference.ts';
import type { DifferenceLedger } from './known.ts';
import type { Observation } from './observe.ts';

export type { Difference } from './difference.ts';

export const VERDICTS = ['match', 'known_difference', 'mismatch', 'harness_error', 'inconclusive'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Comparison {
  readonly verdict: Verdict;
  /** What no row explains; for `harness_error` a text in `cause` instead. */
  readonly differences: readonly Difference[];
  readonly known: readonly string[];
  readonly cause?: string;
}

export interface Pair {
  readonly case: string;
  readonly control: { readonly lane: string; readonly saw: Observation };
  readonly candidate: { readonly lane: string; readonly saw: Observation };
}

export function compare({ case: name, control, candidate }: Pair, ledger: DifferenceLedger): Comparison {
  for (const side of [control, candidate]) {
    if (side.saw.kind === 'harness_error') {
      return { verdict: 'harness_error', differences: [], known: [], cause: `${side.lane}: ${side.saw.cause}` };
    }
  }
  const found = differences(control.saw, candidate.saw);
  if (found.length === 0) return { verdict: 'match', differences: [], known: [] };
  const known: string[] = [];
  const rest = found.filter((difference) => {
    const row = ledger.explain({ case: name, control: control.lane, candidate: candidate.lane, difference });
    if (row !== undefined) known.push(row.id);
    return row === undefined;
  });
  return { verdict: rest.length === 0 ? 'known_difference' : 'mismatch', differences: rest, known };
}

/** Every place where two observations differ; the order of keys is no difference, the order of list members is. */
export function differences(control: Observation, candidate: Observation): readonly Difference[] {
  // Nearly all pairs are equal to the letter, and comparing two strings is much the cheapest check.
  if (JSON.stringify(control) === JSON.stringify(candidate)) return [];
  return diff({ ...control }, { ...candidate }, { cyclesFix: false }).map((change) => ({
    path: change.path.join('.'),
    control: change.type === 'CREATE' ? undefined : (change.oldValue as Json),
    candidate: change.type === 'REMOVE' ? undefined : (change.value as Json),
  }));
}
