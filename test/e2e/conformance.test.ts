/** The official conformance suite against the catalogue that it expects, served by `wrangler dev` on all three lanes. */
import { beforeAll, describe, it } from 'vitest';
import { CONFORMANCE_RUNS, verdictOn, type AllowedFailure } from '../../scripts/lib/conformance-runs.ts';
import { runConformance, type FinishedRun } from '../../scripts/lib/conformance-server.ts';
import { requirementSet } from '../../scripts/lib/conformance.ts';

let finished: readonly FinishedRun[] = [];

beforeAll(async () => {
  finished = await runConformance();
}, 180_000);

describe.each(CONFORMANCE_RUNS)('$lane at $revision', ({ lane, revision, ...run }) => {
  const { required, unscored } = requirementSet(revision);
  const results = () => finished.find((other) => other.lane === lane)?.results ?? [];
  const verdict = (scenario: string, allowed: readonly AllowedFailure[]): string | undefined =>
    verdictOn(
      results().find((result) => result.scenario === scenario),
      allowed.find((row) => row.scenario === scenario),
    );

  it('runs every scenario that there is, and no row names another', ({ expect }) => {
    expect({ required: required.length, unscored: unscored.length }).toEqual({
      required: run.required,
      unscored: run.unscored,
    });
    const ran = results().map(({ scenario }) => scenario);
    expect(ran.toSorted()).toEqual([...required, ...unscored].toSorted());
    const unknown = [
      ...run.allowed.filter(({ scenario }) => !required.includes(scenario)),
      ...run.allowedUnscored.filter(({ scenario }) => !unscored.includes(scenario)),
    ];
    expect(unknown).toEqual([]);
  });

  it.for(required)('required: %s', (scenario, { expect }) => {
    expect(verdict(scenario, run.allowed)).toBeUndefined();
  });

  it('fails nothing beside that than what its rows say', ({ expect }) => {
    const wrong = unscored.flatMap((scenario) => {
      const found = verdict(scenario, run.allowedUnscored);
      return found === undefined ? [] : [`${scenario}: ${found}`];
    });
    expect(wrong).toEqual([]);
  });
});
