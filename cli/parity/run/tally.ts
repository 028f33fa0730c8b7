/**
 * Counts what was seen, in memory that grows with the number of tools and of distinct inputs' fingerprints and not with
 * the number of calls or the size of answers.
 */
import { NO_ANSWERS, type AnswerKind } from '../../../src/parity/answer-kind.ts';
import type { Verdict } from '../../../src/parity/compare.ts';
import type { Case } from '../cases/case.ts';
import { NO_COUNTS, type Counts, type GroupReport } from './report.ts';

interface Group {
  tool: boolean;
  calls: number;
  /** Fingerprints of the inputs, and whether the control answered them with a result. */
  readonly inputs: Map<number, boolean>;
  readonly answers: Map<string, Record<AnswerKind, number>>;
  readonly candidates: Map<string, Record<Verdict, number>>;
  readonly times: Map<string, Histogram>;
}

export class Tally {
  readonly #groups = new Map<string, Group>();
  readonly #candidates: readonly string[];
  total = 0;
  /** Expectations of scenarios that a target did not meet. */
  missed = 0;

  constructor(candidates: readonly string[]) {
    this.#candidates = candidates;
  }

  /**
   * Once for a case, however many candidates are asked.
   * @param kind What the control answered; undefined where it did not.
   */
  call({ group, call }: Case, kind: AnswerKind | undefined): void {
    const counted = this.#group(group);
    counted.calls += 1;
    counted.tool ||= call.method === 'tools/call' && call.params?.['name'] === group;
    const input = fingerprint(JSON.stringify(call.params ?? {}));
    counted.inputs.set(input, kind === 'result' || counted.inputs.get(input) === true);
    this.total += 1;
  }

  verdict(group: string, candidate: string, verdict: Verdict): void {
    const counts = this.#group(group).candidates.get(candidate);
    if (counts !== undefined) counts[verdict] += 1;
  }

  answered(group: string, target: string, kind: AnswerKind): void {
    const { answers } = this.#group(group);
    const counts = answers.get(target) ?? { ...NO_ANSWERS };
    answers.set(target, counts);
    counts[kind] += 1;
  }

  time(group: string, target: string, ms: number): void {
    const { times } = this.#group(group);
    const histogram = times.get(target) ?? new Histogram();
    times.set(target, histogram);
    histogram.add(ms);
  }

  counts(): Counts {
    const sum = { ...NO_COUNTS };
    for (const { candidates } of this.#groups.values())
      for (const counts of candidates.values())
        for (const verdict of Object.keys(sum) as Verdict[]) sum[verdict] += counts[verdict];
    return sum;
  }

  groups(noisyPaths: (group: string) => readonly string[]): readonly GroupReport[] {
    return [...this.#groups].map(([group, { tool, calls, inputs, answers, candidates, times }]) => ({
      group,
      tool,
      calls,
      distinctInputs: inputs.size,
      succeededInputs: [...inputs.values()].filter(Boolean).length,
      answers: Object.fromEntries([...answers].map(([target, counts]) => [target, { ...counts }])),
      candidates: [...candidates].map(([name, counts]) => ({ name, counts: { ...counts } })),
      noisyPaths: noisyPaths(group),
      times: Object.fromEntries(
        [...times].map(([target, histogram]) => [target, { p50: histogram.at(0.5), p95: histogram.at(0.95) }]),
      ),
    }));
  }

  #group(name: string): Group {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const candidates = new Map(this.#candidates.map((candidate) => [candidate, { ...NO_COUNTS }]));
    const made: Group = { tool: false, calls: 0, inputs: new Map(), answers: new Map(), candidates, times: new Map() };
    this.#groups.set(name, made);
    return made;
  }
}

/** Steps of 2^(1/32), which is 2 %: exact to the two digits that are given out. */
class Histogram {
  readonly #buckets = new Uint32Array(24 * STEPS_PER_OCTAVE);
  #count = 0;

  add(ms: number): void {
    const at = Math.round(Math.log2(Math.max(ms, SHORTEST_MS) / SHORTEST_MS) * STEPS_PER_OCTAVE);
    const bucket = Math.min(at, this.#buckets.length - 1);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#count += 1;
  }

  at(share: number): number {
    let left = Math.ceil(this.#count * share);
    for (const [bucket, count] of this.#buckets.entries()) {
      left -= count;
      if (left <= 0) return Number((SHORTEST_MS * 2 ** (bucket / STEPS_PER_OCTAVE)).toPrecision(2));
    }
    return 0;
  }
}

const STEPS_PER_OCTAVE = 32;
/** Times are told from each other from here up. */
const SHORTEST_MS = 0.01;

/** 53 bits of a text (cyrb53): a collision among a million inputs is a matter of one in ten thousand. */
export function fingerprint(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
