/** What the outcome of the demo is worth as an exit code, and what it says when its rows have to be mended. */
import { describe, it } from 'vitest';
import { renderReport } from '../../../cli/demo/render.ts';
import { exitCodeOf, type DemoReport } from '../../../cli/demo/report.ts';

const COUNTS = { match: 9, known_difference: 1, mismatch: 0, harness_error: 0, inconclusive: 0 };
const EQUAL: DemoReport = {
  url: 'http://localhost',
  lanes: [],
  rows: [],
  counts: COUNTS,
  uncovered: [],
  stale: [],
};

describe('the exit code of the demo', () => {
  it.for([
    { when: 'all is equal but for known differences', report: EQUAL, code: 0 },
    { when: 'a lane differs', report: { ...EQUAL, counts: { ...COUNTS, mismatch: 1 } }, code: 1 },
    { when: 'a lane could not be asked', report: { ...EQUAL, counts: { ...COUNTS, harness_error: 1 } }, code: 2 },
    { when: 'a call was inconclusive', report: { ...EQUAL, counts: { ...COUNTS, inconclusive: 1 } }, code: 2 },
    { when: 'both happened', report: { ...EQUAL, counts: { ...COUNTS, mismatch: 1, harness_error: 1 } }, code: 1 },
    { when: 'a listed tool has no row', report: { ...EQUAL, uncovered: ['mine'] }, code: 1 },
    { when: 'a known difference did not happen', report: { ...EQUAL, stale: ['old'] }, code: 1 },
  ] as const)('is $code when $when', ({ report, code }, { expect }) => {
    expect(exitCodeOf(report)).toBe(code);
  });

  it('comes with how often each verdict was reached that it depends on', ({ expect }) => {
    expect(renderReport({ ...EQUAL, counts: { ...COUNTS, mismatch: 2, harness_error: 3, inconclusive: 4 } })).toContain(
      '9 match, 1 known difference, 2 mismatch, 3 harness error, 4 inconclusive',
    );
  });

  it('comes with what to do about rows', ({ expect }) => {
    const text = renderReport({ ...EQUAL, uncovered: ['mine'], stale: ['old'] });
    expect(text).toContain('No row calls the tool mine. Add one to cli/demo/rows.ts.');
    expect(text).toContain('The known difference old did not happen. Delete it from known-differences.ts.');
  });
});
