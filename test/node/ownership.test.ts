/** The hand-off's law, by model: whatever is repeated, delayed, lost or cut short, one owner at most and no count lost. */
import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  adopt,
  askerOf,
  FIRST_OWNER,
  NEVER_OWNER,
  release,
  type Asker,
  type Holding,
  type Release,
  type States,
} from '../../src/shared/state/ownership.ts';

type Side = 'agent' | 'object';
const FOUR: States = { counter: { v: 1, value: 4 } };
const other = (side: Side): Side => (side === 'agent' ? 'object' : 'agent');
const valueOf = ({ states }: Holding): number => Number(states?.['counter']?.value ?? 0);

/** Two holders, and the requests and answers that are on their way from and to each. */
class System {
  readonly holdings: Record<Side, Holding> = { agent: FIRST_OWNER, object: NEVER_OWNER };
  readonly asked: Record<Side, Asker[]> = { agent: [], object: [] };
  readonly onTheWay: Record<Side, Release[]> = { agent: [], object: [] };
  acknowledged = 0;

  owners(): Side[] {
    return (['agent', 'object'] as const).filter((side) => this.holdings[side].owner);
  }

  /** `side` asks the other for the state, which only one who does not own it does. */
  ask(side: Side): void {
    if (!this.holdings[side].owner) this.asked[side].push(askerOf(this.holdings[side]));
  }

  /** The other hears any of the requests of `side`, however old, and its answer is on its way. */
  hear(side: Side, which: number, keep: boolean): void {
    const requests = this.asked[side];
    const request = requests[which % requests.length];
    if (request === undefined) return;
    if (!keep) requests.splice(requests.indexOf(request), 1);
    const { next, answer } = release(this.holdings[other(side)], request);
    this.holdings[other(side)] = next;
    this.onTheWay[side].push(answer);
  }

  /** Any of the answers arrives, however old. */
  arrive(side: Side, which: number, keep: boolean): void {
    const answers = this.onTheWay[side];
    const answer = answers[which % answers.length];
    if (answer === undefined) return;
    if (!keep) answers.splice(answers.indexOf(answer), 1);
    this.holdings[side] = adopt(this.holdings[side], answer);
  }

  increment(side: Side): void {
    const holding = this.holdings[side];
    if (!holding.owner) return;
    this.holdings[side] = { ...holding, states: { counter: { v: 1, value: valueOf(holding) + 1 } } };
    this.acknowledged += 1;
  }

  /** Brings the state to `side` with nothing going wrong, as the next call would. */
  settle(side: Side): Holding {
    if (!this.holdings[side].owner) {
      const { next, answer } = release(this.holdings[other(side)], askerOf(this.holdings[side]));
      this.holdings[other(side)] = next;
      this.holdings[side] = adopt(this.holdings[side], answer);
    }
    return this.holdings[side];
  }
}

const side = fc.constantFrom<Side>('agent', 'object');
const step = fc.oneof(
  fc.record({ do: fc.constant('ask' as const), side }),
  fc.record({ do: fc.constant('hear' as const), side, which: fc.nat(5), keep: fc.boolean() }),
  fc.record({ do: fc.constant('arrive' as const), side, which: fc.nat(5), keep: fc.boolean() }),
  fc.record({ do: fc.constant('increment' as const), side }),
  fc.record({ do: fc.constant('lose' as const), side }),
);

describe('ownership', () => {
  it('has one owner at most, and the next owner has every acknowledged increment', ({ expect }) => {
    let increments = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), side, (steps, last) => {
        const system = new System();
        for (const action of steps) {
          if (action.do === 'ask') system.ask(action.side);
          if (action.do === 'hear') system.hear(action.side, action.which, action.keep);
          if (action.do === 'arrive') system.arrive(action.side, action.which, action.keep);
          if (action.do === 'increment') system.increment(action.side);
          if (action.do === 'lose') system.onTheWay[action.side].length = 0;
          expect(system.owners().length).toBeLessThanOrEqual(1);
        }
        const settled = system.settle(last);
        increments += system.acknowledged;
        expect({ owner: settled.owner, value: valueOf(settled) }).toEqual({ owner: true, value: system.acknowledged });
      }),
      { numRuns: 10_000 },
    );
    expect(increments).toBeGreaterThan(3_000);
  });

  it('offers the same epoch again to one who asks again', ({ expect }) => {
    const first = release({ epoch: 1, owner: true, states: FOUR }, askerOf(NEVER_OWNER));
    expect(first.answer).toEqual({ epoch: 2, states: FOUR });
    expect(release(first.next, askerOf(NEVER_OWNER)).answer).toEqual({ epoch: 2, states: FOUR });
  });

  it('refuses a late answer after the state was taken back', ({ expect }) => {
    const released = release({ epoch: 1, owner: true, states: FOUR }, askerOf(NEVER_OWNER));
    const back = release(NEVER_OWNER, askerOf(released.next));
    expect(back.answer).toEqual({ epoch: 3 });
    expect(adopt(released.next, back.answer)).toEqual({ epoch: 3, owner: true, states: FOUR });
    expect(adopt(back.next, released.answer)).toEqual({ epoch: 2, owner: false });
  });
});
