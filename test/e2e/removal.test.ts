/**
 * The end of the migration, on a copy: without src/legacy, its binding and the lines of the entry that name it, the
 * Worker builds and passes every test that does not name the legacy lane.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { OFFLINE_ENV, PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';

const run = promisify(execFile);
const MINUTES_MS = 60_000;
/** Suites that need no server of their own: the copy is checked with what is quick. */
const SUITES = ['workerd', 'contract', 'alone', 'node'] as const;
/** The half itself, and what the tests have for it alone. */
const HALF = /^src\/legacy\/|^test\/fixture\/legacy-half\.ts$|^test\/support\/agents\.ts$/;
const ENTRIES = [
  'examples/desk/worker.ts',
  'test/fixture/worker.ts',
  'test/fixture/random.ts',
  'test/conformance/worker.ts',
  'test/fuzz/leaky.ts',
  'test/fuzz/target.ts',
] as const;
/** The one place that says which lanes there are, for tests. */
const LANES = 'src/contract/wire.ts';
const CONFIGURATIONS = [
  'wrangler.toml',
  'test/fixture/wrangler.toml',
  'test/conformance/wrangler.toml',
  'test/fuzz/leaky.toml',
  'test/fuzz/target.toml',
] as const;
/** What only tests of the half itself and of its objects say: they go with it. */
const NAMES_LEGACY = /src\/legacy\/|fixture\/legacy-half\.ts|env\.LEGACY_AGENT|support\/agents\.ts/;

let copy = '';

/** Runs a program of the project in the copy and gives what it printed, also when it fails. */
async function inCopy(command: string, ...args: string[]): Promise<{ ok: boolean; output: string }> {
  const env = {
    ...process.env,
    ...OFFLINE_ENV,
    NO_COLOR: '1',
    PATH: `${path.join(PROJECT_ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
  };
  try {
    const { stdout, stderr } = await run(command, args, { cwd: copy, env, maxBuffer: 64 * 1024 * 1024 });
    return { ok: true, output: stdout + stderr };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { ok: false, output: stdout + stderr };
  }
}

/** Every test of the copy that does not name the half, of the suites and files that the arguments say. */
async function runTests(...chosen: string[]) {
  const report = path.join(copy, 'report.json');
  await rm(report, { force: true });
  const reporter = ['--reporter=json', `--outputFile.json=${report}`];
  const { ok, output } = await inCopy('vitest', 'run', ...chosen, '--testNamePattern', '^(?!.*legacy).*$', ...reporter);
  const text = await readFile(report, 'utf8').catch(() => output);
  const { numPassedTests, testResults } = JSON.parse(text) as {
    numPassedTests: number;
    testResults: {
      status: string;
      name: string;
      message: string;
      assertionResults: { status: string; fullName: string }[];
    }[];
  };
  const broken = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, message, assertionResults }) => ({
      file: path.relative(copy, name),
      message,
      tests: assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    }));
  return { passed: numPassedTests, ok, broken };
}

async function copyProject(): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT_ROOT,
  });
  const files = stdout.split('\n').filter((file) => file !== '' && !HALF.test(file));
  for (const file of files) {
    await mkdir(path.dirname(path.join(copy, file)), { recursive: true });
    await cp(path.join(PROJECT_ROOT, file), path.join(copy, file));
  }
  await symlink(path.join(PROJECT_ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  return files;
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const target = path.join(copy, file);
  await writeFile(target, change(await readFile(target, 'utf8')));
}

const withoutLegacyLines = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/legacy/i.test(line))
    .join('\n');

const withoutLegacyBinding = (text: string): string =>
  `${text.replaceAll(/(#[^\n]*\n)?\[\[durable_objects\.bindings\]\]\nname = "\w+"\nclass_name = "\w+Agent"\n/g, '')}
[[migrations]]
tag = "without-legacy"
deleted_classes = ${JSON.stringify([...new Set(text.match(/\w+Agent(?=")/g))])}
`;

describe('a copy without the other half', () => {
  beforeAll(async () => {
    copy = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-removal-'));
    const files = await copyProject();
    for (const file of ENTRIES) await edit(file, withoutLegacyLines);
    for (const file of CONFIGURATIONS) await edit(file, withoutLegacyBinding);
    await edit(LANES, (text) =>
      text.replace("['legacy', 'compat', 'modern'] as const", "['compat', 'modern'] as const"),
    );
    for (const file of files.filter((name) => /^test\/.*\.test\.ts$/.test(name))) {
      if (NAMES_LEGACY.test(await readFile(path.join(copy, file), 'utf8'))) await rm(path.join(copy, file));
    }
  }, MINUTES_MS);

  afterAll(() => rm(copy, { recursive: true, force: true }));

  it('has correct types', { timeout: 2 * MINUTES_MS }, async ({ expect }) => {
    await inCopy('wrangler', 'types');
    expect(await inCopy('tsc', '--build', 'tsconfig.worker.json')).toEqual({ ok: true, output: '' });
  });

  it('can be deployed', { timeout: 2 * MINUTES_MS }, async ({ expect }) => {
    const { ok, output } = await inCopy('wrangler', 'deploy', '--dry-run', '--outdir', path.join(copy, 'dist'));
    expect({ ok, named: /legacy/i.test(output) }).toEqual({ ok: true, named: false });
    expect(await readFile(path.join(copy, 'dist/worker.js'), 'utf8')).not.toContain('@modelcontextprotocol/sdk/');
  });

  it('passes every test that does not name it', { timeout: 4 * MINUTES_MS }, async ({ expect }) => {
    const left = await runTests(...SUITES.flatMap((suite) => ['--project', suite]));
    expect(left.broken).toEqual([]);
    expect(left.ok).toBe(true);
    expect(left.passed).toBeGreaterThan(1_000);
  });
});
