/**
 * Runs the official conformance suite's server scenarios of one requirement set against a URL, and reads what it found.
 * The suite runs as its own program, since it exports nothing. Judges nothing; see ./conformance-runs.ts.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import * as v from 'valibot';

export type Revision = '2025-11-25' | '2026-07-28';

/** What the suite requires of a server, and what it runs beside that for information. */
export interface RequirementSet {
  readonly required: readonly string[];
  readonly unscored: readonly string[];
}

export interface ScenarioResult {
  readonly scenario: string;
  readonly passed: number;
  /** The ids of checks that failed, or warned: the suite's own baseline counts both. Sorted, each once. */
  readonly failed: readonly string[];
  /** What the suite says about the failed checks. */
  readonly messages: readonly string[];
}

const require = createRequire(import.meta.url);
const PROGRAM = require.resolve('@modelcontextprotocol/conformance/dist/index.js');

/** Reads the suite's own list. */
export function requirementSet(revision: Revision): RequirementSet {
  const text = readFileSync(path.join(PROGRAM, `../../requirements/${revision}.yaml`), 'utf8');
  const server = /^server:\n((?: {2}- .+\n)+)/m.exec(text)?.[1] ?? '';
  return {
    required: [...server.matchAll(/^ {2}- (.+)$/gm)].map(([, name = '']) => name),
    unscored: [...text.matchAll(/^ {2}- scenario: (.+)\n {4}leg: server$/gm)].map(([, name = '']) => name),
  };
}

/** @param scratch An empty folder, for the suite to write to. */
export async function runScenarios(url: string, revision: Revision, scratch: string): Promise<ScenarioResult[]> {
  const output = await runProgram(['server', '--url', url, '--requirements', revision, '-o', scratch]);
  const folders = await readdir(scratch).catch(() => [] as string[]);
  if (folders.length === 0) throw new Error(`The conformance suite ran nothing. It printed:\n${output}`);
  return Promise.all(
    folders.map(async (folder) => {
      const checks = v.parse(Checks, await readFile(path.join(scratch, folder, 'checks.json'), 'utf8'));
      return resultOf(folder.replace(FOLDER, '$1'), checks);
    }),
  );
}

/** `server-<scenario>-<time>`. */
const FOLDER = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

const Checks = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ id: v.string(), status: v.string(), errorMessage: v.optional(v.string()) })),
);

function resultOf(scenario: string, checks: v.InferOutput<typeof Checks>): ScenarioResult {
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  // The suite calls a scenario passed in which it found nothing to check.
  if (passed + failed.length === 0) failed.push({ id: 'nothing-checked', status: 'FAILURE' });
  return {
    scenario,
    passed,
    failed: [...new Set(failed.map(({ id }) => id))].toSorted(),
    messages: failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? 'no message'}`),
  };
}

/** Its exit code is left out: it knows no reasons, and the checks it wrote say more. */
function runProgram(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}
