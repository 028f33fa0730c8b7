/** What makes a run of the conformance suite fail. */
import { describe, it } from 'vitest';
import { verdictOn } from '../../scripts/lib/conformance-runs.ts';
import { requirementSet, type ScenarioResult } from '../../scripts/lib/conformance.ts';

const passed: ScenarioResult = { scenario: 'ping', passed: 2, failed: [], messages: [] };
const failing: ScenarioResult = {
  scenario: 'ping',
  passed: 1,
  failed: ['a', 'b'],
  messages: ['a: no answer', 'b: late'],
};
const row = { scenario: 'ping', checks: ['a', 'b'], why: 'because' };

describe('the verdict on a scenario', () => {
  it('is good where it passes, and where it fails as its row says', ({ expect }) => {
    expect(verdictOn(passed, undefined)).toBeUndefined();
    expect(verdictOn(failing, row)).toBeUndefined();
    expect(verdictOn(failing, { ...row, checks: 'any' })).toBeUndefined();
  });

  it('is bad where it did not run', ({ expect }) => {
    expect(verdictOn(undefined, undefined)).toBe('did not run');
    expect(verdictOn(undefined, row)).toBe('did not run');
  });

  it('is bad where it fails without a row, or otherwise than its row says', ({ expect }) => {
    expect(verdictOn(failing, undefined)).toBe('a: no answer\nb: late');
    expect(verdictOn(failing, { ...row, checks: ['a'] })).toBe(
      'fails otherwise than its row says: a: no answer\nb: late',
    );
  });

  it('is bad where a row is stale', ({ expect }) => {
    expect(verdictOn(passed, row)).toBe('no longer fails: remove its row');
    expect(verdictOn(passed, { ...row, checks: 'any' })).toBe('no longer fails: remove its row');
  });
});

describe('the list of requirements', () => {
  it('is read from the suite, the server side only', ({ expect }) => {
    const { required, unscored } = requirementSet('2025-11-25');
    expect([required[0], required.at(-1)]).toEqual(['server-initialize', 'dns-rebinding-protection']);
    expect(unscored).toEqual(['server-session-lifecycle', 'json-schema-2020-12', 'server-sse-polling']);
  });
});
