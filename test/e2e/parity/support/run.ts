/** Runs of the comparison with the settings that the tests share. */
import path from 'node:path';
import process from 'node:process';
import type { RunOptions } from '../../../../cli/parity/run/options.ts';
import type { RunReport } from '../../../../cli/parity/run/report.ts';
import { runParity, type Hooks } from '../../../../cli/parity/run/run.ts';
import type { Address, EraChoice, Target } from '../../../../cli/parity/targets/target.ts';

export const COPY_SERVER = path.resolve(import.meta.dirname, 'copy-server.ts');

export const at = (url: string): Address => ({ kind: 'http', url });
export const program = (...args: readonly string[]): Address => ({
  kind: 'stdio',
  command: [process.execPath, '--no-warnings', ...args],
});

export const target = (name: string, address: Address, era: EraChoice = '2025'): Target => ({
  name,
  address,
  era,
  headers: {},
});

export function compareTwo(
  control: Address,
  candidate: Address,
  options: Partial<RunOptions> = {},
  hooks: Hooks = {},
): Promise<RunReport> {
  return runParity(
    {
      control: target('control', control),
      candidates: [target('candidate', candidate)],
      cases: 40,
      seed: 1,
      concurrency: 8,
      // A busy machine is slow; only what is to hang gets a short time.
      timeoutMs: 20_000,
      connectTimeoutMs: 20_000,
      selection: { only: [], skip: [], allowWrites: false },
      scenarios: [],
      recorded: [],
      allowed: [],
      sanitize: { names: ['handle'], paths: [] },
      failOn: 'non-breaking',
      slower: { factor: 3, byMs: 300 },
      ...options,
    },
    hooks,
  );
}
