/**
 * Makes the same calls on several lanes and compares each lane with the first, which is the control. Pure: lanes, the
 * clock and the rows of known differences are arguments. Does not print, and does not decide what a verdict is worth.
 */
import type { JsonObject } from '../shared/json.ts';
import { Aliases } from './alias.ts';
import { compare, type Comparison, type Verdict } from './compare.ts';
import type { DifferenceLedger } from './known.ts';
import type { Observation } from './observe.ts';

export interface Call {
  readonly method: string;
  readonly params?: JsonObject;
}

export interface TableRow extends Call {
  readonly name: string;
  /** The answer tells the time of the call, which no two calls share: only its form and its places are compared. */
  readonly tellsTime?: true;
}

export interface AskedLane {
  readonly name: string;
  /** Makes one call. What it throws becomes a harness error. */
  ask(call: Call): Promise<Observation>;
}

export interface LaneAnswer {
  readonly lane: string;
  readonly ms: number;
  readonly saw: Observation;
}

export interface RowResult {
  readonly name: string;
  readonly call: Call;
  readonly verdict: Verdict;
  /** In the order of the lanes; the control is the first. */
  readonly answers: readonly LaneAnswer[];
  readonly comparisons: readonly (Comparison & { readonly candidate: string })[];
}

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** The rows share one session a lane: `<name 1>` in a call stands for the first handle that this lane gave out. */
export async function runTable(
  rows: readonly TableRow[],
  lanes: readonly AskedLane[],
  ledger: DifferenceLedger,
  now: () => number,
): Promise<readonly RowResult[]> {
  const asked = lanes.map((lane) => ({ lane, handles: new Aliases() }));
  const results: RowResult[] = [];
  for (const row of rows) {
    const answers: LaneAnswer[] = [];
    // One after the other, so that the times are those of the lanes and not of their competition.
    for (const each of asked) answers.push(await answerOf(row, each.lane, each.handles, now));
    results.push(judge(row, answers, ledger));
  }
  return results;
}

async function answerOf(row: TableRow, lane: AskedLane, handles: Aliases, now: () => number): Promise<LaneAnswer> {
  const call = callOf(row);
  const params = call.params === undefined ? {} : { params: handles.restore(call.params) };
  const startedAt = now();
  const saw = await lane
    .ask({ ...call, ...params })
    .catch((cause: unknown): Observation => ({ kind: 'harness_error', cause: String(cause) }));
  const ms = now() - startedAt;
  const named = handles.apply(saw);
  return { lane: lane.name, ms, saw: row.tellsTime ? new Aliases(INSTANT).apply(named) : named };
}

function judge(row: TableRow, answers: readonly LaneAnswer[], ledger: DifferenceLedger): RowResult {
  const [control, ...candidates] = answers;
  if (control === undefined) throw new TypeError('A table needs at least one lane');
  const comparisons = candidates.map((candidate) => ({
    candidate: candidate.lane,
    ...compare({ case: row.name, control, candidate }, ledger),
  }));
  return {
    name: row.name,
    call: callOf(row),
    verdict: worst(comparisons.map(({ verdict }) => verdict)),
    answers,
    comparisons,
  };
}

const callOf = ({ method, params }: TableRow): Call => ({ method, ...(params !== undefined && { params }) });

/** A difference that was seen weighs more than one that could not be looked for. */
const BY_WEIGHT = [
  'match',
  'known_difference',
  'inconclusive',
  'harness_error',
  'mismatch',
] as const satisfies readonly Verdict[];

function worst(verdicts: readonly Verdict[]): Verdict {
  return BY_WEIGHT.findLast((verdict) => verdicts.includes(verdict)) ?? 'match';
}
