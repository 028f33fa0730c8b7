/**
 * A project outside of this repository that depends on the packed package: the files of `test/package/consumer`, with
 * everything installed from the registry, or with what this repository has installed.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify, stripVTControlCharacters } from 'node:util';
import { OFFLINE_ENV, PROJECT_ROOT } from '../../../scripts/lib/wrangler.ts';

const run = promisify(execFile);

export interface Ran {
  readonly code: number;
  readonly output: string;
}

export interface Project extends AsyncDisposable {
  readonly folder: string;
  /** Runs a JavaScript file of an installed package, or of the project, to its end, with the given Node or this one. */
  readonly node: (args: readonly string[], env?: Readonly<Record<string, string>>, program?: string) => Promise<Ran>;
}

/** @returns The path of the tarball, made anew. */
export async function packTarball(): Promise<string> {
  const { stdout } = await run(process.execPath, ['scripts/pack.ts'], { cwd: PROJECT_ROOT });
  return stdout.trim();
}

/** @param install `registry` installs what package.json says; `linked` needs no network. */
export async function createProject(tarball: string, install: 'registry' | 'linked'): Promise<Project> {
  const folder = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-consumer-'));
  await cp(path.join(PROJECT_ROOT, 'test/package/consumer'), folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(await manifest(tarball), undefined, 2));
  await (install === 'registry' ? installFromRegistry(folder) : link(folder, tarball));
  return {
    folder,
    node: (args, env = {}, program = process.execPath) => runIn(folder, program, args, env),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

async function manifest(tarball: string): Promise<object> {
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(path.join(PROJECT_ROOT, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>;
  const some = (all: Readonly<Record<string, string>>, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, all[name]]));
  return {
    name: 'my-server',
    private: true,
    type: 'module',
    dependencies: {
      ...some(dependencies, ['agents', '@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'zod']),
      'hybrid-mcp': `file:${tarball}`,
    },
    devDependencies: some(devDependencies, ['@cloudflare/vitest-plugin', 'typescript', 'vitest', 'wrangler']),
  };
}

async function installFromRegistry(folder: string): Promise<void> {
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--strict-peer-deps', '--loglevel=error'];
  await run('npm', args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
}

/** The package itself is a real folder, so that it finds nothing of this repository but what is installed. */
async function link(folder: string, tarball: string): Promise<void> {
  const modules = path.join(folder, 'node_modules');
  const own = path.join(modules, 'hybrid-mcp');
  await mkdir(own, { recursive: true });
  await run('tar', ['--extract', '--gzip', '--strip-components=1', `--file=${tarball}`, `--directory=${own}`]);
  const installed = path.join(PROJECT_ROOT, 'node_modules');
  for (const name of await readdir(installed)) {
    if (name !== 'hybrid-mcp' && !name.startsWith('.vite'))
      await symlink(path.join(installed, name), path.join(modules, name));
  }
}

async function runIn(
  cwd: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const { VITEST: _vitest, VITEST_MODE: _mode, NODE_ENV: _nodeEnv, ...own } = process.env;
  const surroundings = { ...own, ...OFFLINE_ENV, NO_COLOR: '1', ...env };
  try {
    const { stdout, stderr } = await run(program, args, { cwd, env: surroundings, maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, output: stripVTControlCharacters(stdout + stderr) };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { code, output: stripVTControlCharacters(stdout + stderr) };
  }
}
