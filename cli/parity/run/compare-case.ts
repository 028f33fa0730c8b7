/**
 * Asks every target one call and judges the answers. A difference is believed only when it stays: the control is asked
 * again first, and what varies there is noise. A believed one is made small, once for each kind.
 */
import { answerKind, type AnswerKind } from '../../../src/parity/answer-kind.ts';
import type { Difference } from '../../../src/parity/compare.ts';
import { cut } from '../../../src/parity/cut.ts';
import { differencesOf, judge, type Judgement, type Rules } from '../../../src/parity/judge.ts';
import { generalPath } from '../../../src/parity/path.ts';
import type { Case } from '../cases/case.ts';
import type { Answer, Connection } from '../targets/connect.ts';
import type { SchemaWork } from '../schemas/schema-work.ts';
import type { Limits } from '../targets/open.ts';
import type { FaultReason } from '../targets/wire.ts';
import { isSilent, type Breaker } from './breaker.ts';
import { replayCommand, requestLine } from './help.ts';
import type { Listings } from './listing.ts';
import { shownOf, smallCall, smallSilence, staysSilent, type Small } from './make-small.ts';
import { SHOWN_FAILURES, type RunOptions } from './options.ts';
import { Turns } from './pool.ts';
import type { Failure } from './report.ts';
import { ask, type AskAgain, type Session } from './session.ts';
import { sideOf } from './side.ts';
import { Timing } from './timing.ts';
import type { Tally } from './tally.ts';

export interface Judged {
  readonly case: Case;
  readonly candidate: string;
  readonly judgement: Judgement;
  /** What kind of answer each side gave; undefined where it gave none. */
  readonly answers: { readonly control: AnswerKind | undefined; readonly candidate: AnswerKind | undefined };
}

export interface Parts {
  readonly options: RunOptions;
  readonly limits: Limits;
  readonly work: SchemaWork;
  readonly rules: Rules;
  readonly breaker: Breaker;
  readonly listings: Listings;
  readonly tally: Tally;
  /** Ends the run, with a report of what was seen until then. */
  readonly signal?: AbortSignal | undefined;
  readonly onJudged: (judged: Judged) => void | Promise<void>;
}

/**
 * How a call stands among others: `crowd` side by side with others, `alone` asked again by itself because it was left
 * without an answer in a crowd, `fresh` by itself in sessions of its own.
 */
export type Standing = 'crowd' | 'alone' | 'fresh';
/**
 * What became of a case: `silent` was judged and a target said nothing to it, `unasked` was not worth asking. In a crowd
 * silence says nothing of a call, so the case was not judged.
 */
export type Outcome =
  | 'judged'
  | 'silent'
  | 'unasked'
  /** A session was lost before the call did anything; it was not judged. */
  | { readonly lost: string }
  | { readonly target: string; readonly fault: FaultReason; readonly cause: string };

/** A call, and what both sides answered to it. */
interface Compared {
  readonly one: Case;
  readonly control: Connection;
  readonly left: Answer;
  readonly candidate: Connection;
  readonly right: Answer;
  /** Missing where the call cannot be repeated. */
  readonly again: AskAgain | undefined;
}

/** A second that passes shows what tells the time in seconds. */
export const NEXT_SECOND_MS = 1_100;

export class Comparer {
  readonly failures: Failure[] = [];
  moreFailures = 0;
  readonly #parts: Parts;
  readonly #turns = new Turns();
  readonly #kinds = new Map<string, number>();
  /** By its kind, what is told with an input that the schema refuses; one with a valid input takes its place. */
  readonly #refused = new Map<string, Failure>();
  readonly #waited = new Set<string>();
  readonly #timing: Timing;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timing = new Timing(parts.options.slower, this.#turns);
  }

  /** One call of the control, asked again: what differs is noise. */
  async askAgain({ group, call }: Case, control: Connection, first: Answer): Promise<void> {
    const { breaker, rules } = this.#parts;
    const second = await ask(control, group, call, breaker, false);
    if (first.saw.kind === 'harness_error' || second.saw.kind === 'harness_error') return;
    rules.noise.add(group, differencesOf(group, sideOf(control, first), sideOf(control, second), rules.sanitize));
  }

  /**
   * @param again Missing where the call stands in a sequence and cannot be repeated.
   * @param mayBeLost Whether a lost session is to be told and not judged.
   */
  async compare(
    one: Case,
    session: Session,
    again: AskAgain | undefined,
    standing: Standing,
    mayBeLost = false,
  ): Promise<Outcome> {
    const { breaker } = this.#parts;
    const closed = (each: Connection): string | undefined => breaker.closed(each.target.name, one.group);
    if (closed(session.control) !== undefined || session.candidates.every(closed)) return 'unasked';
    const [control, ...others] = await Promise.all(
      [session.control, ...session.candidates].map((each) =>
        ask(each, one.group, one.call, breaker, standing !== 'crowd'),
      ),
    );
    if (control === undefined) return 'unasked';
    const connections = [session.control, ...session.candidates];
    const lostAt = [control, ...others].findIndex((each) => each.fault === 'session_lost');
    if (mayBeLost && lostAt !== -1) return { lost: connections[lostAt]?.target.name ?? '' };
    const at = [control, ...others].findIndex(isSilent);
    const { saw, fault } = [control, ...others][at] ?? {};
    if (standing === 'crowd' && fault !== undefined && saw?.kind === 'harness_error')
      return { target: connections[at]?.target.name ?? '', fault, cause: saw.cause };
    await this.judgeAll(one, session, control, others, again, standing);
    return at === -1 ? 'judged' : 'silent';
  }

  async judgeAll(
    one: Case,
    session: Session,
    control: Answer,
    others: readonly Answer[],
    again: AskAgain | undefined,
    standing: Standing,
  ): Promise<void> {
    const { tally, listings, rules } = this.#parts;
    const kind = answerKind(control.saw);
    tally.call(one, kind);
    await this.#heard(one, session.control, control);
    listings.envelope(session.control.target.name, one.call, control.envelope ?? [], rules.allowed);
    this.#failed(one, session.control, control);
    for (const [at, candidate] of session.candidates.entries()) {
      const answer = others[at];
      if (answer === undefined) continue;
      await this.#heard(one, candidate, answer);
      const compared = { one, control: session.control, left: control, candidate, right: answer, again };
      const judgement = (await this.#silence(compared, standing)) ?? (await this.#judge(compared));
      if (judgement.verdict === 'harness_error') this.#failed(one, candidate, answer);
      tally.verdict(one.group, candidate.target.name, judgement.verdict);
      await this.#parts.onJudged({
        case: one,
        candidate: candidate.target.name,
        judgement,
        answers: { control: kind, candidate: answerKind(answer.saw) },
      });
    }
  }

  /** True from the second time on that a difference of a kind is told. */
  knows(kind: string): boolean {
    const seen = this.#kinds.get(kind) ?? 0;
    this.#kinds.set(kind, seen + 1);
    return seen > 0;
  }

  /** What a scenario expects and a target, be it the control, does not answer. */
  missed(
    one: Case,
    control: Connection,
    target: Connection,
    { saw }: Answer,
    differences: readonly Difference[],
  ): void {
    const { options, tally } = this.#parts;
    tally.missed += 1;
    const help = {
      replay: replayCommand(control.target, target.target, one.call, options),
      controlRequest: requestLine(control, one.call),
      candidateRequest: requestLine(target, one.call),
    };
    const { id, group, call } = one;
    const note = 'The first side is what the scenario expects.';
    this.failures.push({ id, group, candidate: target.target.name, call, differences, control: saw, saw, help, note });
  }

  async #heard({ group, call }: Case, { target }: Connection, { saw, ms }: Answer): Promise<void> {
    const kind = answerKind(saw);
    if (kind === undefined) return;
    this.#parts.tally.answered(group, target.name, kind);
    this.#parts.tally.time(group, target.name, ms);
    await this.#parts.listings.check(target.name, call, saw, this.#parts.rules.allowed);
  }

  #failed({ group }: Case, { target }: Connection, { saw, fault }: Answer): void {
    if (fault === undefined || saw.kind !== 'harness_error') return;
    this.#parts.breaker.note({ target: target.name, where: group, reason: fault, cause: saw.cause });
  }

  /** The control answered and the candidate ended or hung: a difference, and nothing that the harness could not do. */
  async #silence(compared: Compared, standing: Standing): Promise<Judgement | undefined> {
    const { one, left, candidate, right, again } = compared;
    const ends = right.fault === 'died' || right.fault === 'no_answer';
    if (!ends || left.saw.kind === 'harness_error' || right.saw.kind !== 'harness_error') return undefined;
    // In a crowd and alone is twice already; in sessions of its own the second time is now.
    if (standing === 'fresh' && !(await staysSilent(one.call, candidate, right, again))) return undefined;
    const difference = {
      path: 'answer',
      control: left.saw.kind,
      candidate: `none (${right.fault}): ${right.saw.cause}`,
    };
    const allowed = this.#parts.rules.allowed.explain(one.group, candidate.target.name, difference);
    const judgement = { differences: [difference], allowed: [], noisy: [] };
    if (allowed !== undefined)
      return { ...judgement, verdict: 'known_difference', differences: [], allowed: [allowed.id] };
    const believed: Judgement = { ...judgement, verdict: 'mismatch' };
    const shrinkTo = (): Promise<Small> =>
      smallSilence({ one, candidate, left, right, difference, again }, this.#parts);
    return this.#believe(compared, believed, shrinkTo);
  }

  async #judge(compared: Compared): Promise<Judgement> {
    const { one, control, left, candidate, right, again } = compared;
    const { rules } = this.#parts;
    const first = judge(one.group, sideOf(control, left), sideOf(candidate, right), rules);
    if (first.verdict !== 'mismatch') {
      if (first.verdict === 'harness_error' || again === undefined) return first;
      const slow = await this.#timing.judge(one, left, candidate, right, again);
      if (slow === undefined) return first;
      // A tool that is known to be slow there is counted and not told again.
      const judged: Judgement = { ...first, verdict: 'mismatch', differences: [slow.difference] };
      return slow.told ? judged : this.#believe({ ...compared, again: undefined }, judged);
    }
    return this.#turns.take(one.group, () => this.#doubt(compared));
  }

  /** In turn for each tool, so that what one call teaches about noise is known to the next. */
  async #doubt(compared: Compared): Promise<Judgement> {
    const { one, control, left, candidate, right, again } = compared;
    const { rules } = this.#parts;
    const known = judge(one.group, sideOf(control, left), sideOf(candidate, right), rules);
    if (known.verdict !== 'mismatch') return known;
    if (again === undefined || this.#kinds.has(kindOf(one, candidate, known.differences)))
      return this.#believe(compared, known);
    if (!this.#waited.has(one.group)) {
      this.#waited.add(one.group);
      await new Promise((resolve) => setTimeout(resolve, NEXT_SECOND_MS));
    }
    for (let time = 0; time < 2; time += 1) {
      const pair = await again(one.call, candidate);
      if (pair === undefined || pair[0].saw.kind === 'harness_error') break;
      rules.noise.add(
        one.group,
        differencesOf(one.group, sideOf(control, left), sideOf(control, pair[0]), rules.sanitize),
      );
    }
    const judged = judge(one.group, sideOf(control, left), sideOf(candidate, right), rules);
    return judged.verdict === 'mismatch' ? this.#believe(compared, judged) : judged;
  }

  async #believe(
    { one, control, left, candidate, right, again }: Compared,
    judged: Judgement,
    shrinkTo?: () => Promise<Small>,
  ): Promise<Judgement> {
    const kind = kindOf(one, candidate, judged.differences);
    const place = `${one.group}\n${candidate.target.name}`;
    const isKnown = this.knows(kind);
    const refused = isKnown && one.kind === 'valid' ? this.#refused.get(kind) : undefined;
    const isTold = isKnown || (this.#kinds.get(place) ?? 0) >= SHOWN_FAILURES;
    if (isTold) this.moreFailures += 1;
    if (isTold && refused === undefined) return judged;
    if (refused !== undefined) this.#refused.delete(kind);
    else this.#kinds.set(place, (this.#kinds.get(place) ?? 0) + 1);
    const small =
      shrinkTo !== undefined
        ? await shrinkTo()
        : again === undefined
          ? {}
          : await smallCall({ one, control, candidate, judged, again }, this.#parts);
    const call = small.minimal?.call ?? one.call;
    const { options } = this.#parts;
    const failure: Failure = {
      id: one.id,
      group: one.group,
      candidate: candidate.target.name,
      ...(one.kind !== undefined && { kind: one.kind }),
      call: one.call,
      differences: shownOf(judged.differences),
      control: cut({ ...left.saw }),
      saw: cut({ ...right.saw }),
      ...small,
      help: {
        replay: replayCommand(control.target, candidate.target, call, options),
        controlRequest: requestLine(control, call),
        candidateRequest: requestLine(candidate, call),
      },
    };
    if (refused !== undefined) this.failures[this.failures.indexOf(refused)] = failure;
    else this.failures.push(failure);
    if (one.kind === 'near-valid' || one.kind === 'hostile') this.#refused.set(kind, failure);
    return judged;
  }
}

const kindOf = ({ group }: Case, candidate: Connection, differences: readonly Difference[]): string =>
  [group, candidate.target.name, ...new Set(differences.map(({ path }) => generalPath(path)))].join('\n');
