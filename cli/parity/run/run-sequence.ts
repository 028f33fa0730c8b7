/**
 * Plays generated sequences on every target, each time in new sessions, and on the control once more afterwards: what
 * differs there varies by itself, a server's own memory among it. A difference is believed when it comes again, and the
 * sequence is made small like a call.
 */
import { answerKind } from '../../../src/parity/answer-kind.ts';
import type { Difference } from '../../../src/parity/compare.ts';
import { differencesOf, judge, type Judgement, type Side } from '../../../src/parity/judge.ts';
import { generalPath } from '../../../src/parity/path.ts';
import { shrink } from '../../../src/parity/shrink.ts';
import { isPlainObject, type Json } from '../../../src/shared/json.ts';
import type { Case } from '../cases/case.ts';
import { callOf, valueAt, withNames, type Scenario, type Step } from '../cases/scenario.ts';
import type { Answer, Connection } from '../targets/connect.ts';
import type { Target } from '../targets/target.ts';
import { sideOf } from './side.ts';
import { sequenceHelp } from './help.ts';
import { SEQUENCE_SHRINK_BUDGET, SHRINK_MS } from './options.ts';
import { once, targetsOf } from './sessions.ts';
import { stopped, type Running } from './running.ts';
import { open } from './session.ts';

/** What a target answered to each step, as far as it answered. */
type Played = readonly Side[];

export async function runSequence(sequence: Scenario, running: Running): Promise<void> {
  const { options, parts, session: main } = running;
  const candidates = targetsOf(options, main);
  const [control, ...others] = await Promise.all(
    [options.control, ...candidates].map((target) => play(sequence.steps, target, running)),
  );
  const again = await play(sequence.steps, options.control, running);
  if (control === undefined || again === undefined) return;
  learn(sequence.steps, control, again, running);
  const differed = new Set<string>();
  for (const [at, step] of sequence.steps.entries()) {
    const left = control[at];
    if (left === undefined) break;
    parts.tally.call(caseOf(sequence, step, at), answerKind(left.saw));
    count(step, options.control.name, left, running);
    for (const [index, { name }] of candidates.entries()) {
      const right = others[index]?.[at];
      count(step, name, right, running);
      // What follows a difference differs because of it.
      if (right === undefined || differed.has(name)) continue;
      const first = judged(step, left, right, running);
      const verdict =
        first.verdict === 'mismatch' && !(await believe(sequence, at, first, control, candidates[index], running))
          ? 'inconclusive'
          : first.verdict;
      parts.tally.verdict(groupOf(step), name, verdict);
      await parts.onJudged({
        case: caseOf(sequence, step, at),
        candidate: name,
        judgement: { ...first, verdict },
        answers: { control: undefined, candidate: undefined },
      });
      if (verdict === 'mismatch') differed.add(name);
    }
  }
}

const groupOf = ({ tool = '' }: Step): string => `sequence of ${tool}`;
const caseOf = ({ name }: Scenario, step: Step, at: number): Case => ({
  id: `${name}, step ${at + 1}`,
  group: groupOf(step),
  source: 'scenario',
  call: callOf(step, new Map()),
});

/** So that a sequence which gets nowhere is seen to get nowhere. */
function count(step: Step, target: string, side: Side | undefined, { parts: { tally } }: Running): void {
  const kind = side === undefined ? undefined : answerKind(side.saw);
  if (kind !== undefined) tally.answered(groupOf(step), target, kind);
}

function learn(steps: readonly Step[], left: Played, right: Played, { parts: { rules } }: Running): void {
  for (const [at, step] of steps.entries()) {
    const [one, other] = [left[at], right[at]];
    if (one === undefined || other === undefined) return;
    rules.noise.add(groupOf(step), differencesOf(groupOf(step), one, other, rules.sanitize));
  }
}

function judged(step: Step, left: Side, right: Side, { parts: { rules } }: Running): Judgement {
  if (left.saw.kind === 'harness_error' || right.saw.kind !== 'harness_error')
    return judge(groupOf(step), left, right, rules);
  const difference = { path: 'answer', control: left.saw.kind, candidate: `none: ${right.saw.cause}` };
  return { verdict: 'mismatch', differences: [difference], allowed: [], noisy: [] };
}

/** True when the difference comes again and so belongs to the candidate; then it is told, made small. */
async function believe(
  sequence: Scenario,
  at: number,
  first: Judgement,
  control: Played,
  candidate: Target | undefined,
  running: Running,
): Promise<boolean> {
  const { options, comparer } = running;
  if (candidate === undefined) return false;
  const wanted = new Set(first.differences.map(({ path }) => generalPath(path)));
  let last: { step: Step; at: number; left: Side; right: Side; differences: readonly Difference[] } | undefined;
  const until = performance.now() + SHRINK_MS;
  const differs = async (steps: readonly Step[]): Promise<boolean> => {
    const [left, right] = await Promise.all([play(steps, options.control, running), play(steps, candidate, running)]);
    if (left === undefined || right === undefined) return false;
    if (steps === sequence.steps) learn(steps, control, left, running);
    for (const [index, step] of steps.entries()) {
      const [one, other] = [left[index], right[index]];
      if (one === undefined || other === undefined) return false;
      const found = judged(step, one, other, running);
      if (found.verdict !== 'mismatch' || !found.differences.some(({ path }) => wanted.has(generalPath(path))))
        continue;
      last = { step, at: index, left: one, right: other, differences: found.differences };
      return true;
    }
    return false;
  };
  const known = `${groupOf(sequence.steps[at] ?? {})}\n${candidate.name}\n${[...wanted].join('\n')}`;
  if (comparer.knows(known)) {
    comparer.moreFailures += 1;
    return true;
  }
  if (!(await differs(sequence.steps))) return false;
  const upTo = sequence.steps.slice(0, at + 1);
  const small = await shrink(
    upTo as unknown as Json,
    async (value) => performance.now() < until && differs(value as unknown as readonly Step[]),
    SEQUENCE_SHRINK_BUDGET,
    (value) => isSequence(value, sequence.steps),
  );
  const steps = small.input as unknown as readonly Step[];
  // The last try need not have been the one that was kept.
  if (!(await differs(steps)) || last === undefined) return false;
  const call = callOf(last.step, new Map());
  comparer.failures.push({
    id: `${sequence.name}, step ${at + 1}`,
    group: groupOf(last.step),
    candidate: candidate.name,
    call,
    differences: last.differences,
    control: last.left.saw,
    saw: last.right.saw,
    minimal: { call, differences: last.differences, tried: small.tried },
    sequence: steps.map((step) => ({ session: step.session ?? 'a', call: callOf(step, new Map()) })),
    reproduced: true,
    help: sequenceHelp(options.control, candidate, { ...sequence, steps }, options),
  });
  return true;
}

/** Still a sequence of the same tools in the same sessions. */
function isSequence(value: Json, from: readonly Step[]): boolean {
  const tools = new Set(from.map(({ tool }) => tool));
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (step: Json) =>
        isPlainObject(step) &&
        typeof step['tool'] === 'string' &&
        tools.has(step['tool']) &&
        (step['session'] === 'a' || step['session'] === 'b') &&
        isPlainObject(step['arguments']) &&
        from.some(
          ({ tool, capture }) => tool === step['tool'] && JSON.stringify(capture) === JSON.stringify(step['capture']),
        ),
    )
  );
}

/** Undefined when the target could not be opened or the control did not answer. */
async function play(steps: readonly Step[], target: Target, running: Running): Promise<Played | undefined> {
  const { parts, session: main, options } = running;
  if (stopped(running, main)) return undefined;
  const sessions = new Map<string, Connection>();
  const captured = new Map<string, Json>();
  const played: Side[] = [];
  try {
    for (const step of steps) {
      const name = step.session ?? 'a';
      const connection = sessions.get(name) ?? (await open(target, once(parts.limits), parts.breaker));
      if (connection === undefined) return undefined;
      sessions.set(name, connection);
      const answer: Answer = await connection.ask(callOf(step, captured));
      for (const [key, path] of Object.entries(step.capture ?? {})) {
        const value = valueAt(answer.saw, path);
        if (value !== undefined) captured.set(key, value);
      }
      const saw = withNames(answer.saw, captured);
      if (saw.kind === 'harness_error') {
        const reason = answer.fault ?? 'garbage';
        const silent = target !== options.control && (reason === 'died' || reason === 'no_answer');
        if (silent) played.push({ target: target.name, era: connection.era, saw });
        else parts.breaker.note({ target: target.name, where: groupOf(step), reason, cause: saw.cause });
        return played;
      }
      played.push(sideOf(connection, { ...answer, saw }));
    }
    return played;
  } finally {
    await Promise.all([...sessions.values()].map((each) => each.close()));
  }
}
