/** Serves the catalogue of test/conformance with `wrangler dev` and makes every run of the official suite against it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runScenarios, type ScenarioResult } from './conformance.ts';
import { CONFORMANCE_RUNS, type ConformanceRun } from './conformance-runs.ts';
import { startDevServer } from './dev-server.ts';

export interface FinishedRun extends ConformanceRun {
  readonly results: readonly ScenarioResult[];
  readonly seconds: number;
}

export async function runConformance(): Promise<FinishedRun[]> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-conformance-'));
  try {
    await using server = await startDevServer({ config: 'test/conformance/wrangler.toml' });
    const finish = async (run: ConformanceRun): Promise<FinishedRun> => {
      const startedAt = performance.now();
      const results = await runScenarios(`${server.url}${run.path}`, run.revision, path.join(scratch, run.lane));
      return { ...run, results, seconds: (performance.now() - startedAt) / 1000 };
    };
    // The 2026 scenarios give some answers half a second, so they run without company; the others wait for theirs.
    const [first, ...others] = CONFORMANCE_RUNS;
    if (first === undefined) throw new TypeError('There is no run');
    return [await finish(first), ...(await Promise.all(others.map(finish)))];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
