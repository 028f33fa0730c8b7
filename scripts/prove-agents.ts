/**
 * `npm run prove:agents -- <version …>`: installs versions of `agents` with the SDKs that they pin, each in a copy of this
 * project, and runs the tests there of what the legacy lane relies on in them. Prints a row per version for
 * `src/legacy/agents-versions.json`. `--all` runs every test of the legacy lane inside workerd. Exit code: 0 all of them
 * work, 1 one does not, 2 nothing was run.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs, promisify } from 'node:util';
import { PROJECT_ROOT } from './lib/wrangler.ts';

const run = promisify(execFile);
const SDKS = ['@modelcontextprotocol/sdk', '@modelcontextprotocol/server', '@modelcontextprotocol/client'] as const;
const INTERNALS = 'test/contract/legacy-package-internals.test.ts';
const LARGE = { maxBuffer: 64 * 1024 * 1024 };

interface Proof {
  readonly agents: string;
  readonly sdk: string;
  readonly server: string;
  readonly passed: number;
  readonly failed: readonly string[];
}

/** What the registry says that this version of `agents` needs. */
async function pinnedBy(version: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await run('npm', ['view', `agents@${version}`, 'peerDependencies', '--json'], LARGE);
  const peers = (stdout.trim() === '' ? {} : JSON.parse(stdout)) as Record<string, string>;
  const missing = SDKS.filter((name) => peers[name] === undefined);
  if (missing.length > 0)
    throw new TypeError(`agents ${version} pins no ${missing.join(', ')}: take a version that exists and pins them.`);
  return Object.fromEntries(SDKS.map((name) => [name, peers[name] ?? '']));
}

async function copyProject(to: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT_ROOT,
    ...LARGE,
  });
  for (const file of stdout.split('\n').filter((name) => name !== '')) {
    await mkdir(path.dirname(path.join(to, file)), { recursive: true });
    const source = path.join(PROJECT_ROOT, file);
    // What was deleted and not committed is listed as well.
    if (existsSync(source)) await cp(source, path.join(to, file));
  }
  // Links where the file system can: npm replaces files and does not write into them, but for its own list.
  await run('cp', ['-al', path.join(PROJECT_ROOT, 'node_modules'), to]).catch(() => undefined);
  await rm(path.join(to, 'node_modules/.package-lock.json'), { force: true });
}

async function install(folder: string, versions: Readonly<Record<string, string>>): Promise<void> {
  const file = path.join(folder, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as { dependencies: Record<string, string> };
  await writeFile(file, JSON.stringify({ ...manifest, dependencies: { ...manifest.dependencies, ...versions } }));
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'], {
    cwd: folder,
    ...LARGE,
  });
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

async function prove(version: string, tests: readonly string[]): Promise<Proof> {
  const pinned = await pinnedBy(version);
  const folder = await mkdtemp(path.join(tmpdir(), `hybrid-mcp-agents-${version}-`));
  try {
    await copyProject(folder);
    await install(folder, { agents: version, ...pinned });
    const report = path.join(folder, 'report.json');
    const vitest = path.join(folder, 'node_modules/.bin/vitest');
    const reporter = ['--reporter=json', `--outputFile.json=${report}`];
    const output = await run(vitest, ['run', '--project', 'contract', ...tests, ...reporter], { cwd: folder, ...LARGE })
      .then(({ stdout }) => stdout)
      .catch((error: unknown) => (error as { readonly stdout?: string }).stdout ?? String(error));
    const text = await readFile(report, 'utf8').catch(() => {
      throw new TypeError(`The tests gave no report with agents ${version}:\n${output}`);
    });
    const { numPassedTests, testResults } = JSON.parse(text) as Report;
    const failed = testResults.flatMap(({ message, assertionResults }) => [
      ...(assertionResults.length === 0 ? [message.split('\n')[0] ?? ''] : []),
      ...assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    ]);
    return {
      agents: version,
      sdk: pinned[SDKS[0]] ?? '',
      server: pinned[SDKS[1]] ?? '',
      passed: numPassedTests,
      failed,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false } },
});
if (positionals.length === 0) {
  console.error('Name the versions to try: npm run prove:agents -- 0.24.0 0.32.0 [--all]');
  process.exitCode = 2;
} else {
  const proofs: Proof[] = [];
  for (const version of positionals) {
    const proof = await prove(version, values.all ? ['test/contract/legacy'] : [INTERNALS]);
    proofs.push(proof);
    const { passed, failed, ...row } = proof;
    console.log(JSON.stringify({ ...row, works: passed > 0 && failed.length === 0, failed }));
  }
  process.exitCode = proofs.every(({ passed, failed }) => passed > 0 && failed.length === 0) ? 0 : 1;
}
