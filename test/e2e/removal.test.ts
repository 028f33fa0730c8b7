/**
 * The end of the migration, on a copy: the last step of the runbook, taken as the page has it, leaves a project that is
 * green. What needs a legacy half in the tests has Workers of its own, so here the copy is checked by what looks at the
 * shipped Worker, and by that Worker itself; `npm run prove:removal` runs all of `npm test` there.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer } from '../../scripts/lib/dev-server.ts';
import { OFFLINE_ENV, PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';

const run = promisify(execFile);
const MINUTES_MS = 60_000;
const ALL = process.env['REMOVAL'] === 'all';
/** What looks at the shipped Worker and its configuration; `npm run prove:removal` runs every suite. */
const LOOKING = ['desk/shipped', 'bundle', 'migrations', 'packages', 'public-imports', 'docs'].map(
  (name) => `test/node/${name}`,
);
/** What the step edits. The checks of `npm run prove:removal` look at every file. */
/** Of tests too; the last test below checks the types of what the step edits. */
const TYPES = ALL ? ([['correct types, tests included', 'tsc', '--build']] as const) : [];
const EDITED = ALL ? [] : ['examples/desk', 'wrangler.toml'];

let copy = '';

/** Runs a program of the project in the copy and gives what it printed, also when it fails. */
async function inCopy(command: string, ...args: string[]): Promise<{ ok: boolean; output: string }> {
  const { DEV_SERVER_CONFIG: _config, REMOVAL: _removal, ...inherited } = process.env;
  const env = {
    ...inherited,
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

async function copyProject(): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT_ROOT,
  });
  for (const file of stdout.split('\n').filter((name) => name !== '')) {
    await mkdir(path.dirname(path.join(copy, file)), { recursive: true });
    await cp(path.join(PROJECT_ROOT, file), path.join(copy, file));
  }
  await symlink(path.join(PROJECT_ROOT, 'node_modules'), path.join(copy, 'node_modules'));
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const target = path.join(copy, file);
  const before = await readFile(target, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${file} has nothing that the last step takes away`);
  await writeFile(target, after);
}

/** The last step, as docs/runbook.md has it: the migration is the one that the page prints. Taken once, it has nothing to do. */
async function takeTheLastStep(): Promise<void> {
  if (!/legacy/i.test(await readFile(path.join(copy, 'examples/desk/worker.ts'), 'utf8'))) return;
  const page = await readFile(path.join(copy, 'docs/runbook.md'), 'utf8');
  const [, migration = ''] = /^## 10 Retire$.*?^```toml\n(.*?)^```$/ms.exec(page) ?? [];
  if (!migration.includes('deleted_classes')) throw new Error('docs/runbook.md prints no migration for the last step');
  await edit('examples/desk/worker.ts', (text) =>
    text
      .split('\n')
      .filter((line) => !/legacy/i.test(line))
      .join('\n'),
  );
  await edit('wrangler.toml', (text) => {
    const unbound = text.replace(
      /(#[^\n]*\n)?\[\[durable_objects\.bindings\]\]\nname = "LEGACY_AGENT"\n[^\n]+\n\n/,
      '',
    );
    return `${unbound}\n${migration}`;
  });
}

/** What passed, and what did not, by file. */
async function runTests() {
  const report = path.join(copy, 'report.json');
  const { ok, output } = await inCopy(
    'vitest',
    ...['run', '--project', 'node', '--reporter=json', `--outputFile.json=${report}`],
    ...LOOKING,
  );
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

describe('a copy that has taken the last step', () => {
  beforeAll(async () => {
    copy = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-removal-'));
    await copyProject();
    await takeTheLastStep();
    await inCopy('wrangler', 'types');
  }, 2 * MINUTES_MS);

  afterAll(() => rm(copy, { recursive: true, force: true }));

  it.for([
    ...TYPES,
    ['format', 'oxfmt', '--check', ...EDITED],
    ['no complaint of the linter', 'oxlint', ...EDITED],
    ['no dead code', 'knip'],
    ['migrations that keep the rules', 'node', 'scripts/check-migrations.ts'],
  ] as const)('has %s', { timeout: 2 * MINUTES_MS }, async ([, command, ...args], { expect }) => {
    const { ok, output } = await inCopy(command, ...args);
    expect(ok ? '' : output).toBe('');
  });

  it('can be deployed, without SDK v1', { timeout: 2 * MINUTES_MS }, async ({ expect }) => {
    const { ok, output } = await inCopy('wrangler', 'deploy', '--dry-run', '--outdir', path.join(copy, 'dist'));
    expect({ ok, named: /legacy/i.test(output) }).toEqual({ ok: true, named: false });
    expect(await readFile(path.join(copy, 'dist/worker.js'), 'utf8')).not.toContain('@modelcontextprotocol/sdk/');
    await rm(path.join(copy, 'dist'), { recursive: true });
  });

  it('serves what is left, and says where the legacy routes have gone', async ({ expect }) => {
    await using server = await startDevServer({ config: path.join(copy, 'wrangler.toml') });
    const call = async (route: string): Promise<[number, unknown]> => {
      const response = await fetch(server.url + route, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ping', arguments: {} } }),
      });
      return [response.status, await response.text()];
    };
    expect(await call('/mcp')).toEqual([200, expect.stringContaining('"structuredContent"')]);
    expect(await call('/legacy/mcp')).toEqual([410, expect.stringContaining(`has moved to ${server.url}/mcp`)]);
  });

  it(
    'passes every test that looks at the shipped Worker',
    { timeout: (ALL ? 30 : 5) * MINUTES_MS },
    async ({ expect }) => {
      if (ALL) {
        const { ok, output } = await inCopy('node', 'scripts/test.ts');
        const last = output.trimEnd().split('\n').at(-1) ?? '';
        console.log(last);
        expect({ ok, last, output: ok ? '' : output }).toEqual({
          ok: true,
          last: expect.stringMatching(/^\d{4,} passed, 0 failed$/),
          output: '',
        });
        return;
      }
      const left = await runTests();
      expect(left.broken).toEqual([]);
      expect(left.ok).toBe(true);
      expect(left.passed).toBeGreaterThan(30);
    },
  );

  it('can lose the folder of the half as well', { timeout: 3 * MINUTES_MS }, async ({ expect }) => {
    // An own class is answered through the half, so it goes along.
    for (const folder of ['legacy', 'agent']) await rm(path.join(copy, 'src', folder), { recursive: true });
    const only = {
      extends: './tsconfig.worker.json',
      compilerOptions: { incremental: false },
      include: ['src', 'examples/desk'],
    };
    await writeFile(path.join(copy, 'tsconfig.only.json'), JSON.stringify(only));
    expect(await inCopy('tsc', '--project', 'tsconfig.only.json')).toEqual({ ok: true, output: '' });
    expect(await inCopy('wrangler', 'deploy', '--dry-run', '--outdir', path.join(copy, 'dist'))).toMatchObject({
      ok: true,
    });
  });
});
