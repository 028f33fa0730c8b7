/**
 * `npm test`: every check there is, each step even after a failure, and one closing line with the sum.
 *
 * Types, format, lint, dead code and the bundle count as one check each; every test of every suite counts as one. A file
 * that could not load counts as failed, and so does a suite that ran nothing. One suite alone: `npm run test:node`,
 * `test:workerd`, `test:contract` or `test:e2e`; arguments after `--` go to vitest there.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import * as v from 'valibot';
import { OFFLINE_ENV, PROJECT_ROOT } from './lib/wrangler.ts';

/** The projects of vitest.config.ts; each has its folder of this name under test/. */
const SUITES = ['workerd', 'contract', 'own-agent', 'node', 'e2e', 'package'] as const;

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const PASSED: Counts = { passed: 1, failed: 0, skipped: 0 };
const FAILED: Counts = { passed: 0, failed: 1, skipped: 0 };

async function runAll(scratch: string): Promise<Counts[]> {
  // First and alone: the types of the Worker, which the type checker and the linter read.
  const generated = await step('Types of the Worker', 'npm', ['run', '--silent', 'types']);
  const [checked, tested] = await Promise.all([checks(scratch), tests(path.join(scratch, 'vitest.json'))]);
  return [generated, ...checked, ...tested];
}

/** One after the other, beside the tests, which wait for much of their time. */
async function checks(scratch: string): Promise<Counts[]> {
  return [
    await step('Types', 'tsc', ['--build']),
    await step('Format', 'oxfmt', ['--check']),
    await step('Lint', 'oxlint', []),
    await step('Dead code', 'knip', []),
    await step('Bundle', 'wrangler', ['deploy', '--dry-run', '--outdir', path.join(scratch, 'bundle')]),
  ];
}

/** Runs one check and prints its output as one block, so that steps may run side by side. */
async function step(title: string, command: string, args: readonly string[]): Promise<Counts> {
  const startedAt = performance.now();
  let output = '';
  const code = await run(command, args, (text) => {
    output += text;
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`\n== ${title}: ${code === 0 ? 'passed' : 'FAILED'} (${seconds} s)`);
  if (code !== 0) console.log(`$ ${[command, ...args].join(' ')}\n${plainUnlessTerminal(output).trimEnd()}`);
  return code === 0 ? PASSED : FAILED;
}

/** The linter and the formatter colour their output even into a pipe. */
function plainUnlessTerminal(text: string): string {
  return process.stdout.isTTY ? text : stripVTControlCharacters(text);
}

const Report = v.object({
  testResults: v.array(
    v.object({
      name: v.string(),
      status: v.string(),
      assertionResults: v.array(v.object({ status: v.string() })),
    }),
  ),
});

async function tests(reportFile: string): Promise<Counts[]> {
  console.log('\n== Tests');
  const code = await run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]);
  const files = v.safeParse(
    v.pipe(v.string(), v.parseJson(), Report),
    await readFile(reportFile, 'utf8').catch(() => ''),
  );
  if (!files.success) {
    console.log('vitest wrote no report');
    return [FAILED];
  }

  const counts = files.output.testResults.map(countFile);
  for (const suite of SUITES) {
    const folder = path.join(PROJECT_ROOT, 'test', suite) + path.sep;
    const executed = files.output.testResults
      .filter((file) => file.name.startsWith(folder))
      .map(countFile)
      .reduce((sum, { passed, failed }) => sum + passed + failed, 0);
    if (executed === 0) {
      console.log(`suite ${suite} ran nothing`);
      counts.push(FAILED);
    }
  }
  if (code !== 0 && counts.every(({ failed }) => failed === 0)) {
    console.log('vitest failed outside of its tests');
    counts.push(FAILED);
  }
  return counts;
}

function countFile(file: v.InferOutput<typeof Report>['testResults'][number]): Counts {
  const having = (...statuses: string[]): number =>
    file.assertionResults.filter(({ status }) => statuses.includes(status)).length;
  const failed = having('failed');
  return {
    passed: having('passed'),
    // A file that failed without a failed test did not load, or failed in a hook.
    failed: failed === 0 && file.status === 'failed' ? 1 : failed,
    skipped: having('skipped', 'pending', 'todo', 'disabled'),
  };
}

function closingLine(counts: readonly Counts[]): 0 | 1 {
  const sum = (key: keyof Counts): number => counts.reduce((total, one) => total + one[key], 0);
  const skipped = sum('skipped');
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
  return sum('failed') === 0 ? 0 : 1;
}

/** Without `collect` the output goes straight to the terminal. */
function run(command: string, args: readonly string[], collect?: (text: string) => void): Promise<number> {
  return new Promise((resolve) => {
    const output = collect === undefined ? 'inherit' : 'pipe';
    const child = spawn(command, args, {
      cwd: PROJECT_ROOT,
      env: { ...process.env, ...OFFLINE_ENV, ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }) },
      stdio: ['ignore', output, output],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => collect?.(text));
    }
    child.once('error', (error) => {
      collect?.(error.message);
      resolve(127);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}

const scratch = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-test-'));
try {
  process.exitCode = closingLine(await runAll(scratch));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
