/**
 * `npm run conformance`: the official conformance suite on all three lanes and on a class of one's own, with what fails and
 * why it may. Ends with 1 where something fails otherwise than scripts/lib/conformance-runs.ts says. The runs of the lanes are
 * part of `npm test`.
 */
import process from 'node:process';
import { OWN_AGENT_RUNS, verdictOn, type AllowedFailure } from './lib/conformance-runs.ts';
import { runConformance, type FinishedRun } from './lib/conformance-server.ts';
import { requirementSet } from './lib/conformance.ts';

function printRun(run: FinishedRun): boolean {
  const { required, unscored } = requirementSet(run.revision);
  const scored = printScenarios(run, required, run.allowed);
  const beside = printScenarios(run, unscored, run.allowedUnscored);
  console.log(
    `${run.lane} (${run.path}, ${run.revision}): ${scored.passed} of ${required.length} required scenarios pass, ` +
      `${beside.passed} of ${unscored.length} others (${run.seconds.toFixed(1)} s)\n`,
  );
  return scored.asExpected && beside.asExpected && required.length === run.required && unscored.length === run.unscored;
}

function printScenarios(
  { results }: FinishedRun,
  scenarios: readonly string[],
  allowed: readonly AllowedFailure[],
): { passed: number; asExpected: boolean } {
  let passed = 0;
  let asExpected = true;
  for (const scenario of scenarios) {
    const result = results.find((other) => other.scenario === scenario);
    const row = allowed.find((other) => other.scenario === scenario);
    const problem = verdictOn(result, row);
    if (result?.failed.length === 0) passed += 1;
    else console.log(`  ${scenario} fails: ${row?.why ?? 'not allowed'}`);
    if (problem === undefined) continue;
    asExpected = false;
    console.log(`  ${scenario}: ${problem}`);
  }
  return { passed, asExpected };
}

const finished = [
  ...(await runConformance()),
  ...(await runConformance(OWN_AGENT_RUNS, 'test/conformance/own-agent/wrangler.toml')),
];
process.exitCode = finished.map(printRun).every(Boolean) ? 0 : 1;
