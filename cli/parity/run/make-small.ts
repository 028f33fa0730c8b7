/**
 * Makes the call of a difference small: the simplest input that still differs in the same way, within a number of calls and
 * a time.
 */
import type { Difference } from '../../../src/parity/compare.ts';
import { cut } from '../../../src/parity/cut.ts';
import { judge, type Judgement, type Rules } from '../../../src/parity/judge.ts';
import type { ValidateLater } from '../../../src/parity/own-listing.ts';
import { generalPath } from '../../../src/parity/path.ts';
import type { Call } from '../../../src/parity/run-table.ts';
import { shrink } from '../../../src/parity/shrink.ts';
import type { Json } from '../../../src/shared/json.ts';
import type { Case } from '../cases/case.ts';
import type { Answer, Connection } from '../targets/connect.ts';
import type { Limits } from '../targets/open.ts';
import type { Listings } from './listing.ts';
import { CRASH_SHRINK_BUDGET, HANG_SHRINK_BUDGET, SHRINK_BUDGET, SHRINK_MS } from './options.ts';
import type { Failure } from './report.ts';
import type { AskAgain } from './session.ts';
import { sideOf } from './side.ts';

export type Small = Pick<Failure, 'minimal' | 'reproduced'>;

interface Differing {
  readonly one: Case;
  readonly control: Connection;
  readonly candidate: Connection;
  readonly judged: Judgement;
  readonly again: AskAgain;
}

export async function smallCall(
  { one, control, candidate, judged, again }: Differing,
  { rules, listings }: { readonly rules: Rules; readonly listings: Listings },
): Promise<Small> {
  const wanted = new Set(judged.differences.map(({ path }) => generalPath(path)));
  let last: readonly Difference[] = judged.differences;
  const until = performance.now() + SHRINK_MS;
  const differs = async (call: Call): Promise<boolean> => {
    if (performance.now() > until) return false;
    const pair = await again(call, candidate);
    if (pair === undefined) return false;
    const found = judge(one.group, sideOf(control, pair[0]), sideOf(candidate, pair[1]), rules);
    // The same kind of difference: another one would lead the reader to another cause.
    if (found.verdict !== 'mismatch' || !found.differences.some(({ path }) => wanted.has(generalPath(path))))
      return false;
    last = found.differences;
    return true;
  };
  if (!(await differs(one.call))) return { reproduced: false };
  const input = one.call.params?.['arguments'];
  if (input === undefined) return { reproduced: true };
  const fits = await staysValid(input, listings.of(control.target.name, one.group)?.input);
  const shrunk = await shrink(input, (value) => differs(withInput(one, value)), SHRINK_BUDGET, fits);
  const call = withInput(one, shrunk.input);
  return { reproduced: true, minimal: { call, differences: shownOf(last), tried: shrunk.tried } };
}

interface Silent {
  readonly one: Case;
  readonly candidate: Connection;
  readonly left: Answer;
  readonly right: Answer;
  readonly difference: Difference;
  readonly again: AskAgain | undefined;
}

/** The same for a call that the candidate leaves without an answer. */
export async function smallSilence(
  { one, candidate, left, right, difference, again }: Silent,
  { limits, listings }: { readonly limits: Limits; readonly listings: Listings },
): Promise<Small> {
  const input = one.call.params?.['arguments'];
  if (again === undefined || input === undefined) return { reproduced: true };
  const hangs = right.fault === 'no_answer';
  // Waiting the whole time for each try would take minutes; the one that is told of is given the whole time again.
  const patience = hangs ? Math.min(limits.timeoutMs, Math.max(1_000, left.ms * 20)) : undefined;
  const until = performance.now() + SHRINK_MS;
  const silent = async (value: Json): Promise<boolean> =>
    performance.now() < until && staysSilent(withInput(one, value), candidate, right, again, patience);
  const fits = await staysValid(input, listings.of(candidate.target.name, one.group)?.input);
  const shrunk = await shrink(input, silent, hangs ? HANG_SHRINK_BUDGET : CRASH_SHRINK_BUDGET, fits);
  const call = withInput(one, shrunk.input);
  const stays = shrunk.input === input || !hangs || (await staysSilent(call, candidate, right, again));
  if (!stays) return { reproduced: true };
  return { reproduced: true, minimal: { call, differences: [difference], tried: shrunk.tried } };
}

/** True when the control answers the call and the candidate again does not, in the same way. */
export async function staysSilent(
  call: Call,
  candidate: Connection,
  { fault }: Answer,
  again: AskAgain | undefined,
  timeoutMs?: number,
): Promise<boolean> {
  const pair = await again?.(call, candidate, timeoutMs);
  return pair !== undefined && pair[0].saw.kind !== 'harness_error' && pair[1].fault === fault;
}

const withInput = ({ call }: Case, value: Json): Call => ({ ...call, params: { ...call.params, arguments: value } });

/** Valid stays valid: an input that is refused for another reason would lead the reader astray, too. */
async function staysValid(
  input: Json,
  validate: ValidateLater | undefined,
): Promise<(value: Json) => boolean | Promise<boolean>> {
  if (validate === undefined) return () => true;
  const wasValid = (await validate(input)) === undefined;
  return async (value) => ((await validate(value)) === undefined) === wasValid;
}

/** Of very many places the first ones are told. */
export const shownOf = (differences: readonly Difference[]): readonly Difference[] =>
  differences.slice(0, 200).map(({ path, control, candidate }) => ({
    path,
    control: control === undefined ? undefined : cut(control),
    candidate: candidate === undefined ? undefined : cut(candidate),
  }));
