/**
 * When a slow answer is a difference: the candidate took much longer than the control, and did so again every time both
 * were asked again. One slow answer on a busy machine is none.
 */
import type { Difference } from '../../../src/parity/compare.ts';
import type { Case } from '../cases/case.ts';
import type { Answer, Connection } from '../targets/connect.ts';
import type { Slower } from './options.ts';
import type { Turns } from './pool.ts';
import type { AskAgain } from './session.ts';

const CONFIRMATIONS = 3;
/** A tool that turned out not to be slow so many times is no longer asked again for it. */
const MOST_DOUBTS = 3;

export interface Slow {
  readonly difference: Difference;
  /** False for the first of a tool and candidate. */
  readonly told: boolean;
}

export class Timing {
  readonly #slower: Slower;
  readonly #turns: Turns;
  readonly #slow = new Set<string>();
  readonly #doubts = new Map<string, number>();

  constructor(slower: Slower, turns: Turns) {
    this.#slower = slower;
    this.#turns = turns;
  }

  async judge(
    one: Case,
    left: Answer,
    candidate: Connection,
    right: Answer,
    again: AskAgain,
  ): Promise<Slow | undefined> {
    if (!this.#isSlow(left.ms, right.ms)) return undefined;
    const key = `${one.group}\n${candidate.target.name}`;
    // All in one turn: asked side by side, each would be slow because of the others.
    return this.#turns.take('timing', async (): Promise<Slow | undefined> => {
      if (this.#slow.has(key)) return { difference: differenceOf(left.ms, right.ms), told: true };
      if ((this.#doubts.get(key) ?? 0) >= MOST_DOUBTS) return undefined;
      for (let time = 0; time < CONFIRMATIONS; time += 1) {
        const pair = await again(one.call, candidate);
        const fine = pair === undefined || pair.some(({ saw }) => saw.kind === 'harness_error');
        if (fine || !this.#isSlow(pair[0].ms, pair[1].ms)) {
          this.#doubts.set(key, (this.#doubts.get(key) ?? 0) + 1);
          return undefined;
        }
      }
      this.#slow.add(key);
      return { difference: differenceOf(left.ms, right.ms), told: false };
    });
  }

  #isSlow(control: number, candidate: number): boolean {
    const { factor, byMs } = this.#slower;
    return candidate > control * factor && candidate - control > byMs;
  }
}

const differenceOf = (control: number, candidate: number): Difference => ({
  path: 'time',
  control: `${control.toFixed(1)} ms`,
  candidate: `${candidate.toFixed(1)} ms`,
});
