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

/** @param config Of the Worker that has what the suite expects. */
export async function runConformance(
  runs: readonly ConformanceRun[] = CONFORMANCE_RUNS,
  config = CATALOGUE,
): Promise<FinishedRun[]> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-conformance-'));
  const finish = async (run: ConformanceRun, url: string): Promise<FinishedRun> => {
    const startedAt = performance.now();
    const results = await runScenarios(`${url}${run.path}`, run.revision, path.join(scratch, run.lane));
    return { ...run, results, seconds: (performance.now() - startedAt) / 1000 };
  };
  const alone = async (run: ConformanceRun): Promise<FinishedRun> => {
    await using server = await startDevServer({ config, ...(run.vars !== undefined && { vars: run.vars }) });
    return await finish(run, server.url);
  };
  try {
    await using server = await startDevServer({ config });
    // The 2026 scenarios give some answers half a second, so they run without company; the others wait for theirs.
    const [first, ...others] = runs;
    if (first === undefined) throw new TypeError('There is no run');
    const rest = (run: ConformanceRun): Promise<FinishedRun> =>
      run.vars === undefined ? finish(run, server.url) : alone(run);
    return [await finish(first, server.url), ...(await Promise.all(others.map(rest)))];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const CATALOGUE = 'test/conformance/wrangler.toml';
