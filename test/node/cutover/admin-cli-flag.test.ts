/** What a change makes of a flag: rules in an order that reaches them all, and nobody moved back by accident. */
import { describe, it } from 'vitest';
import { cohortOf, cohortText, conditionsOf, includes, readClient, readCohort } from '../../../cli/cutover/cohort.ts';
import {
  cohortsOf,
  ramp,
  rampOf,
  setCohort,
  setStage,
  unsetCohort,
  type FlagState,
  type Rule,
} from '../../../cli/cutover/flag.ts';
import { nextTag } from '../../../cli/cutover/last-steps.ts';
import { shown, table } from '../../../cli/cutover/table.ts';

const PLAIN: FlagState = { default_variation: 'legacy', rules: [] };
const FOREIGN: Rule = {
  conditions: [{ attribute: 'country', operator: 'in', value: ['NL'] }],
  serve_variation: 'shadow',
};
const RAMP: Rule = {
  conditions: [{ attribute: 'targetingKey', operator: 'not_equals', value: '' }],
  serve_variation: 'stateless',
  rollout: { percentage: 25, attribute: 'targetingKey' },
};
const by = 'targetingKey';
const stages = ({ rules }: FlagState): string[] =>
  rules.map((rule) => {
    const cohort = cohortOf(rule.conditions);
    return cohort === undefined ? (rule.rollout === undefined ? 'foreign' : 'ramp') : cohortText(cohort);
  });

describe('a ramp', () => {
  it('is one guarded rule, the last', ({ expect }) => {
    const flag = ramp({ ...PLAIN, rules: [FOREIGN] }, { stage: 'stateless', percent: 25, by });
    expect(flag).toEqual({ default_variation: 'legacy', rules: [FOREIGN, RAMP] });
    expect(rampOf(flag)).toEqual({ stage: 'stateless', percent: 25, by });
  });

  it('goes on in the same rule', ({ expect }) => {
    const flag = ramp({ ...PLAIN, rules: [RAMP] }, { stage: 'stateless', percent: 50.25, by });
    expect(flag.rules).toEqual([{ ...RAMP, rollout: { percentage: 50.25, attribute: by } }]);
  });

  it('takes over one that was made with wrangler rollout', ({ expect }) => {
    const rollout: Rule = { conditions: [], serve_variation: 'stateless', rollout: { percentage: 5 } };
    expect(rampOf({ ...PLAIN, rules: [rollout] })).toEqual({ stage: 'stateless', percent: 5, by });
    expect(ramp({ ...PLAIN, rules: [rollout] }, { stage: 'stateless', percent: 25, by }).rules).toEqual([RAMP]);
  });

  it.for<[string, FlagState, { stage: string; percent: number; by: string }, string]>([
    [
      'another is under way',
      { ...PLAIN, rules: [RAMP] },
      { stage: 'shadow', percent: 5, by },
      'A ramp to stateless is under way, at 25 %',
    ],
    [
      'the key changes',
      { ...PLAIN, rules: [RAMP] },
      { stage: 'stateless', percent: 50, by: 'subject' },
      'The ramp shares clients out by targetingKey, not by subject',
    ],
    ['everybody is there', PLAIN, { stage: 'legacy', percent: 50, by }, 'Everybody is at stage legacy already'],
  ])('is refused where %s', ([, flag, to, message], { expect }) => {
    expect(() => ramp(flag, to)).toThrow(message);
  });

  it.for([
    ['under way', [RAMP]],
    ['of nobody, as it was written once', [{ ...RAMP, rollout: { percentage: 0, attribute: by } }]],
    ['that there is none of', []],
  ] as const)('to 0 leaves no rule: one %s', ([, rules], { expect }) => {
    const none = ramp({ ...PLAIN, rules: [FOREIGN, ...rules] }, { stage: 'stateless', percent: 0, by });
    expect(none).toEqual({ default_variation: 'legacy', rules: [FOREIGN] });
    expect(rampOf(ramp(none, { stage: 'shadow', percent: 5, by }))).toEqual({ stage: 'shadow', percent: 5, by });
  });

  it('of a cohort to 0 leaves no rule, and takes none away that says something else', ({ expect }) => {
    const flag = setCohort({ ...PLAIN, rules: [RAMP] }, { client: 'a' }, 'stateless', { percent: 10, by });
    expect(setCohort(flag, { client: 'a' }, 'stateless', { percent: 0, by }).rules).toEqual([RAMP]);
    expect(() => setCohort(flag, { client: 'a' }, 'shadow', { percent: 0, by })).toThrow(
      'client a has the stage stateless, not shadow',
    );
  });

  it('ends when everybody is given a stage; cohorts and foreign rules stay', ({ expect }) => {
    const cohort = setCohort(PLAIN, { client: 'old' }, 'legacy').rules;
    expect(setStage({ ...PLAIN, rules: [...cohort, FOREIGN, RAMP] }, 'stateless')).toEqual({
      default_variation: 'stateless',
      rules: [...cohort, FOREIGN],
    });
  });
});

describe('a cohort', () => {
  it('comes before the ramp, and the more is said the earlier', ({ expect }) => {
    let flag: FlagState = { ...PLAIN, rules: [RAMP] };
    flag = setCohort(flag, { client: 'a' }, 'shadow');
    flag = setCohort(flag, { client: 'a', version: '1.*' }, 'stateless');
    flag = setCohort(flag, { era: '2025' }, 'legacy');
    flag = setCohort(flag, { client: 'a', version: '1.2', era: '2025' }, 'gone');
    expect(stages(flag)).toEqual(['client a/1.2, era 2025', 'client a/1.*', 'client a', 'era 2025', 'ramp']);
  });

  it('has one rule, whatever it was given before', ({ expect }) => {
    const flag = setCohort(setCohort(PLAIN, { client: 'a' }, 'shadow'), { client: 'a' }, 'stateless', {
      percent: 10,
      by,
    });
    expect(flag.rules).toEqual([
      {
        conditions: [{ attribute: 'clientName', operator: 'equals', value: 'a' }],
        serve_variation: 'stateless',
        rollout: { percentage: 10, attribute: 'targetingKey' },
      },
    ]);
    expect(cohortsOf(flag)).toEqual([{ cohort: { client: 'a' }, stage: 'stateless', percent: 10 }]);
  });

  it('is taken out again, and an unknown one names the known', ({ expect }) => {
    const flag = setCohort({ ...PLAIN, rules: [FOREIGN, RAMP] }, { client: 'a' }, 'shadow');
    expect(unsetCohort(flag, { client: 'a' }).rules).toEqual([FOREIGN, RAMP]);
    expect(() => unsetCohort(flag, { client: 'b' })).toThrow('The flag has no rule for client b');
  });

  it.for([
    [{ client: 'a' }, [{ attribute: 'clientName', operator: 'equals', value: 'a' }]],
    [
      { client: 'a', version: '1.*' },
      [
        { attribute: 'clientName', operator: 'equals', value: 'a' },
        { attribute: 'clientVersion', operator: 'starts_with', value: '1.' },
      ],
    ],
    [
      { era: '2026' as const, subject: 's' },
      [
        { attribute: 'era', operator: 'equals', value: '2026' },
        { attribute: 'subject', operator: 'equals', value: 's' },
      ],
    ],
  ] as const)('%o is read back from its conditions', ([cohort, conditions], { expect }) => {
    expect(conditionsOf(cohort)).toEqual(conditions);
    expect(cohortOf(conditions)).toEqual(cohort);
  });

  it.for([
    ['nothing', []],
    ['another attribute', [{ attribute: 'country', operator: 'equals', value: 'NL' }]],
    ['another operator', [{ attribute: 'clientName', operator: 'contains', value: 'a' }]],
    ['the same twice', Array.from({ length: 2 }, () => ({ attribute: 'era', operator: 'equals', value: '2025' }))],
    ['a group', [{ logical_operator: 'OR', clauses: [] }]],
  ] as const)('is not seen in a rule with %s', ([, conditions], { expect }) => {
    expect(cohortOf(conditions)).toBeUndefined();
  });

  it.for([
    ['claude-code', { client: 'claude-code' }],
    ['claude-code/1.2.3', { client: 'claude-code', version: '1.2.3' }],
    ['@scope/client', { client: '@scope/client' }],
    ['@scope/client/v2', { client: '@scope/client', version: 'v2' }],
    ['a/1.*', { client: 'a', version: '1.*' }],
    ['a/*', { client: 'a' }],
  ] as const)('is written %s', ([text, cohort], { expect }) => {
    expect(readClient(text)).toEqual(cohort);
  });

  it.for(['', ' ', 'a/'])('is not written "%s"', (text, { expect }) => {
    expect(() => readClient(text)).toThrow('names no client');
  });

  it('of another era is refused', ({ expect }) => {
    expect(() => readCohort({ era: '2024' })).toThrow('--era "2024" is not known');
    expect(readCohort({})).toBeUndefined();
  });

  it('includes clients of the census', ({ expect }) => {
    const row = { name: 'a', version: '1.2.3', era: '2025' };
    expect(
      [{ client: 'a' }, { client: 'a', version: '1.*' }, { era: '2025' as const }].map((one) => includes(one, row)),
    ).toEqual([true, true, true]);
    expect(
      [{ client: 'b' }, { client: 'a', version: '1.2' }, { era: '2026' as const }].map((one) => includes(one, row)),
    ).toEqual([false, false, false]);
  });
});

describe('what is shown', () => {
  it('cannot act on the terminal', ({ expect }) => {
    expect(shown('a\u001B[31m\u202Eb\nc')).toBe('a[31mbc');
    expect(table(['x', 'y'], [['1', '22']])).toBe('x  y\n-  --\n1  22');
  });

  it('cannot look like another column', ({ expect }) => {
    expect(shown('x  2025  ready')).toBe('x 2025 ready');
    expect(shown('x\u00A0\u3000\u2003ready')).toBe('x ready');
    expect(shown('x\u3164\u3164ready')).toBe('xready');
  });

  it.for<[readonly string[], RegExp]>([
    [['v1'], /^v2$/],
    [['v9', 'v10'], /^v11$/],
    [[], /^v1$/],
    [['v2', 'v1'], /^delete-legacy-/],
    [['2026-01'], /^delete-legacy-\d{4}-\d\d-\d\d$/],
  ])('is, after the tags %o, a tag that there is not', ([tags, next], { expect }) => {
    expect(nextTag(tags)).toMatch(next);
  });
});
