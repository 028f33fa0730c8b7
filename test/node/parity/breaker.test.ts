/** When a tool or a target is no longer asked: silence counts alone, refusals count in a row, and an answer takes it back. */
import { describe, it } from 'vitest';
import { Breaker, isSilent } from '../../../cli/parity/run/breaker.ts';
import type { Answer } from '../../../cli/parity/targets/connect.ts';
import { FAULTS, type FaultReason } from '../../../cli/parity/targets/wire.ts';

const failed = (fault: FaultReason): Answer => ({ saw: { kind: 'harness_error', cause: fault }, ms: 1, fault });
const ANSWERED: Answer = { saw: { kind: 'result', result: {} }, ms: 1 };

function breakerAfter(answers: readonly (readonly [string, Answer, boolean])[]): Breaker {
  const breaker = new Breaker();
  for (const [tool, answer, alone] of answers) breaker.saw('candidate', tool, answer, alone);
  return breaker;
}
const times = <Value>(count: number, value: Value): readonly Value[] => Array.from({ length: count }, () => value);

describe('a breaker', () => {
  it('takes silence in a crowd for nothing', ({ expect }) => {
    const breaker = breakerAfter(times(100, ['add', failed('no_answer'), false]));
    expect([breaker.closed('candidate', 'add'), breaker.gone('candidate')]).toEqual([undefined, undefined]);
  });

  it('leaves a tool after three silences alone, and no other tool', ({ expect }) => {
    const breaker = breakerAfter(times(3, ['add', failed('died'), true]));
    expect(breaker.closed('candidate', 'add')).toBe('candidate left 3 calls of it without an answer');
    expect([breaker.closed('candidate', 'search'), breaker.closed('control', 'add')]).toEqual([undefined, undefined]);
  });

  it('leaves a tool after eight refusals in a row, whoever was asked beside', ({ expect }) => {
    const seven = times(7, ['add', failed('refused'), false] as const);
    expect(breakerAfter(seven).closed('candidate', 'add')).toBeUndefined();
    expect(breakerAfter([...seven, ['add', ANSWERED, false], ...seven]).closed('candidate', 'add')).toBeUndefined();
    expect(breakerAfter([...seven, ['add', failed('garbage'), false]]).closed('candidate', 'add')).toBe(
      'candidate refused 8 calls of it in a row',
    );
  });

  it('takes a target for gone after three tools that had to be left, with no answer between', ({ expect }) => {
    const three = (tool: string) => times(3, [tool, failed('no_answer'), true] as const);
    const gone = breakerAfter([...three('a'), ...three('b'), ...three('c')]);
    expect([gone.gone('candidate'), gone.closed('candidate', 'd')]).toEqual([
      'no_answer',
      'candidate is gone: no_answer',
    ]);
    const there = breakerAfter([...three('a'), ...three('b'), ['d', ANSWERED, false], ...three('c')]);
    expect(there.gone('candidate')).toBeUndefined();
  });

  it('takes a target for gone that nobody reaches three times', ({ expect }) => {
    expect(breakerAfter(times(3, ['a', failed('unreachable'), true])).gone('candidate')).toBe('unreachable');
  });

  it('knows silence from the rest', ({ expect }) => {
    expect(FAULTS.filter((fault) => isSilent(failed(fault)))).toEqual(['unreachable', 'died', 'no_answer', 'flood']);
  });

  it('keeps a cause once, with how often', ({ expect }) => {
    const breaker = new Breaker();
    for (const cause of ['first', 'second']) breaker.note({ target: 'a', where: 'add', reason: 'died', cause });
    expect(breaker.errors()).toEqual([{ target: 'a', where: 'add', reason: 'died', cause: 'first', count: 2 }]);
  });
});
