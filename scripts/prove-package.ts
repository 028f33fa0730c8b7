/**
 * `npm run prove:package`: the tests of the packed package with everything installed from the registry into a project of
 * its own, once on this Node with the oldest supported Node for what runs outside of the Worker's tools, and once on the
 * newest Node. wrangler and vitest themselves need Node 22, so on Node 20 a project compiles, runs the contract against a
 * served Worker, and uses the command.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from './lib/wrangler.ts';

const run = promisify(execFile);
const OLDEST = '20';

/** A Node of this version, by the package of that name, and what it says of itself. */
async function installNode(folder: string, version: string): Promise<{ program: string; version: string }> {
  const home = path.join(folder, version);
  await mkdir(home);
  await writeFile(path.join(home, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await run('npm', [...args, `node@${version}`], { cwd: home });
  const program = path.join(home, 'node_modules/node/bin/node');
  const { stdout } = await run(program, ['--version']);
  return { program, version: stdout.trim() };
}

/** The tests of the package, by this Node. */
function test(node: string, env: Readonly<Record<string, string>>): Promise<number> {
  const vitest = path.join(PROJECT_ROOT, 'node_modules/vitest/vitest.mjs');
  const child = spawn(node, [vitest, 'run', '--project', 'package'], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...env, PACKAGE_INSTALL: 'registry' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

const folder = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-nodes-'));
try {
  const [oldest, newest] = [await installNode(folder, OLDEST), await installNode(folder, 'latest')];
  console.log(`\n== Served by Node ${process.version}, used on Node ${oldest.version}`);
  const first = await test(process.execPath, { PACKAGE_NODE: oldest.program });
  console.log(`\n== Served by Node ${newest.version}, used there as well`);
  const second = await test(newest.program, {});
  process.exitCode = first === 0 && second === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
