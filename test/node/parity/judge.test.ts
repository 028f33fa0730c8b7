/** The verdict on two answers: what is compared, what is taken out before, and what noise and allowed rows explain. */
import { describe, it } from 'vitest';
import { AllowedDifferences, type AllowedDifference } from '../../../src/parity/allowed.ts';
import { judge, type Rules, type Side } from '../../../src/parity/judge.ts';
import { Noise } from '../../../src/parity/noise.ts';
import { generalPath, nameMatches, pathMatches } from '../../../src/parity/path.ts';
import type { Json, JsonObject } from '../../../src/shared/json.ts';

const side = (target: string, result: JsonObject, era: '2025' | '2026' = '2025'): Side => ({
  target,
  era,
  saw: { kind: 'result', result },
});
const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] });
const rules = (over: Partial<Rules> = {}, allowed: readonly AllowedDifference[] = []): Rules => ({
  sanitize: { names: [], paths: [] },
  noise: new Noise(),
  allowed: new AllowedDifferences(allowed, '2026-06-01'),
  ...over,
});
const verdict = (left: JsonObject, right: JsonObject, over: Partial<Rules> = {}) =>
  judge('tool', side('a', left), side('b', right), rules(over));

describe('a pair of answers', () => {
  it('matches when it says the same, whatever the order of its keys', ({ expect }) => {
    expect(verdict({ a: 1, b: 2 }, { b: 2, a: 1 }).verdict).toBe('match');
  });

  it('differs where a value, a field or the order of a list does', ({ expect }) => {
    expect(verdict({ a: 1 }, { a: 2 }).differences).toEqual([{ path: 'result.a', control: 1, candidate: 2 }]);
    expect(verdict({ a: 1 }, {}).differences).toEqual([{ path: 'result.a', control: 1, candidate: undefined }]);
    expect(verdict({ a: [1, 2] }, { a: [2, 1] }).verdict).toBe('mismatch');
  });

  it('differs when one is an error and the other a result', ({ expect }) => {
    const error: Side = { target: 'b', era: '2025', saw: { kind: 'error', error: { code: -32602, message: 'x' } } };
    const judged = judge('tool', side('a', { isError: true }), error, rules());
    expect(judged.verdict).toBe('mismatch');
    expect(judged.differences[0]).toEqual({ path: 'kind', control: 'result', candidate: 'error' });
  });

  it('is a harness error, with the name of the target, when a side could not be asked', ({ expect }) => {
    const gone: Side = { target: 'b', era: '2025', saw: { kind: 'harness_error', cause: 'no answer' } };
    expect(judge('tool', side('a', {}), gone, rules())).toMatchObject({
      verdict: 'harness_error',
      cause: 'b: no answer',
    });
    expect(judge('tool', gone, gone, rules()).verdict).toBe('harness_error');
  });

  it('ignores cache hints between eras, and compares them within one', ({ expect }) => {
    const [old, now] = [side('a', { n: 1 }), side('b', { n: 1, ttlMs: 5000, cacheScope: 'public' }, '2026')];
    expect(judge('tool', old, now, rules()).verdict).toBe('match');
    expect(judge('tool', { ...old, era: '2026' }, now, rules()).verdict).toBe('mismatch');
  });
});

describe('JSON inside text', () => {
  it('is compared as JSON when both sides hold it', ({ expect }) => {
    expect(verdict(text('{"a":1,"b":[2]}'), text('{ "b": [2], "a": 1 }')).verdict).toBe('match');
    expect(verdict(text('{"a":1}'), text('{"a":2}')).differences).toEqual([
      { path: 'result.content.0.text.a', control: 1, candidate: 2 },
    ]);
  });

  it('is text when only one side holds it, and when it is no object and no list', ({ expect }) => {
    expect(verdict(text('{"a":1}'), text('a is 1')).differences[0]?.path).toBe('result.content.0.text');
    expect(verdict(text('1.0'), text('1')).verdict).toBe('mismatch');
  });
});

describe('sanitizers', () => {
  const sanitized = (left: string, right: string, names: Rules['sanitize']['names']) =>
    verdict(text(left), text(right), { sanitize: { names, paths: [] } }).verdict;

  it.for([
    ['timestamp', 'at 2026-01-02T03:04:05.678Z', 'at 2027-05-06T07:08:09+02:00'],
    ['epoch-ms', 'at 1790000000000', 'at 1790000000999'],
    ['duration', 'took 12 ms', 'took 3.5 ms'],
    ['uuid', 'id 00000000-0000-4000-8000-000000000001', 'id 99999999-0000-4000-8000-000000000009'],
    ['ulid', 'id 01ARZ3NDEKTSV4RRFFQ69G5FAV', 'id 01BX5ZZKBKACTAV9WEVGEMMVRZ'],
    ['hex-id', 'id 0123456789abcdef', 'id fedcba9876543210'],
    ['handle', 'h_aaaaaaaaaaaaaaaaaaaaaaaaaaa', 'h_bbbbbbbbbbbbbbbbbbbbbbbbbbb'],
    ['port', 'http://127.0.0.1:8080/x', 'http://127.0.0.1:9090/x'],
  ] as const)('take out a %s, and only when asked', ([name, left, right], { expect }) => {
    expect(sanitized(left, right, [name])).toBe('match');
    expect(sanitized(left, right, [])).toBe('mismatch');
  });

  it('keep apart two names that one side uses as one', ({ expect }) => {
    const [one, two] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
    expect(sanitized(`${one} ${two}`, `${two} ${one}`, ['uuid'])).toBe('match');
    expect(sanitized(`${one} ${two}`, `${one} ${one}`, ['uuid'])).toBe('mismatch');
  });

  it('take out a place of one tool, and keep its type', ({ expect }) => {
    const paths = [{ tool: 'to*', path: 'result.at', as: 'any' as const }];
    expect(verdict({ at: 1 }, { at: 2 }, { sanitize: { names: [], paths } }).verdict).toBe('match');
    expect(verdict({ at: 1 }, { at: 'x' }, { sanitize: { names: [], paths } }).verdict).toBe('mismatch');
    const other = [{ tool: 'other', path: 'result.at', as: 'any' as const }];
    expect(verdict({ at: 1 }, { at: 2 }, { sanitize: { names: [], paths: other } }).verdict).toBe('mismatch');
  });
});

describe('noise', () => {
  const noisy = (...varied: readonly [string, Json | undefined, Json | undefined][]): Noise => {
    const noise = new Noise();
    noise.add(
      'tool',
      varied.map(([path, control, candidate]) => ({ path, control, candidate })),
    );
    return noise;
  };

  it('explains a difference where the control varies, and no other', ({ expect }) => {
    const noise = noisy(['result.at', 1, 2]);
    expect(verdict({ at: 1 }, { at: 9 }, { noise })).toMatchObject({ verdict: 'inconclusive', noisy: ['result.at'] });
    expect(verdict({ at: 1, n: 1 }, { at: 9, n: 2 }, { noise })).toMatchObject({
      verdict: 'mismatch',
      differences: [{ path: 'result.n' }],
    });
  });

  it('does not explain another kind of value', ({ expect }) => {
    expect(verdict({ at: 1 }, { at: 'soon' }, { noise: noisy(['result.at', 1, 2]) }).verdict).toBe('mismatch');
  });

  it('covers a list whose length varies as a whole', ({ expect }) => {
    const noise = noisy(['result.list.2', undefined, 'x']);
    expect(noise.of('tool')).toEqual(['result.list.**']);
    expect(verdict({ list: ['a'] }, { list: ['b', 'c'] }, { noise }).verdict).toBe('inconclusive');
  });
});

describe('allowed differences', () => {
  const row: AllowedDifference = { id: 'r', where: 'tool', path: 'result.*', reason: 'agreed' };
  const judged = (allowed: AllowedDifferences) =>
    judge('tool', side('a', { n: 1 }), side('b', { n: 2 }), rules({ allowed }));

  it('explain the difference that they describe', ({ expect }) => {
    const allowed = new AllowedDifferences(
      [{ ...row, controlValue: 1, candidateValue: 2, candidate: 'b' }],
      '2026-06-01',
    );
    expect(judged(allowed)).toMatchObject({ verdict: 'known_difference', allowed: ['r'] });
    expect(allowed.stale()).toEqual([]);
  });

  it.for([
    { where: 'other' },
    { path: 'result.m' },
    { candidate: 'c' },
    { controlValue: 7 },
    { candidateValue: 7 },
  ] satisfies Partial<AllowedDifference>[])('are stale when they describe another one: %o', (over, { expect }) => {
    const allowed = new AllowedDifferences([{ ...row, ...over }], '2026-06-01');
    expect(judged(allowed).verdict).toBe('mismatch');
    expect(allowed.stale().map(({ id }) => id)).toEqual(['r']);
  });

  it('count on their last day and explain nothing after it', ({ expect }) => {
    const last = new AllowedDifferences([{ ...row, until: '2026-06-01' }], '2026-06-01');
    expect(judged(last).verdict).toBe('known_difference');
    const over = new AllowedDifferences([{ ...row, until: '2026-05-31' }], '2026-06-01');
    expect(judged(over).verdict).toBe('mismatch');
    expect(over.expired().map(({ id }) => id)).toEqual(['r']);
    expect(over.stale()).toEqual([]);
  });

  it('refuse two rows of one id', ({ expect }) => {
    expect(() => new AllowedDifferences([row, row], '2026-06-01')).toThrow('Two allowed differences have the id r');
  });
});

describe('patterns', () => {
  it('name one key with * and any number with **', ({ expect }) => {
    expect(pathMatches('result.content.*.text', 'result.content.0.text')).toBe(true);
    expect(pathMatches('result.*', 'result.a.b')).toBe(false);
    expect(pathMatches('result.**', 'result.a.b')).toBe(true);
    expect(pathMatches('**.text', 'result.content.0.text')).toBe(true);
    expect(pathMatches('result', 'results')).toBe(false);
    expect(nameMatches('get-*', 'get-sum')).toBe(true);
    expect(nameMatches('get.sum', 'get-sum')).toBe(false);
    expect(generalPath('result.hits.3.0.id')).toBe('result.hits.*.*.id');
  });
});
