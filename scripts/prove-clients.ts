/**
 * `npm run prove:clients`: installs the client packages of test/clients/packages.ts, each into a folder of its own outside
 * of this project, tries each on every route in a process of its own, and prints what came. `--write` writes
 * test/clients/results.json and docs/clients.md. Arguments: names to choose by; `--folder <dir>` keeps the installations
 * there. Exit code: 0 nothing failed, 1 something did, 2 nothing was tried.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { clientsPage } from '../test/clients/page.ts';
import { CLIENTS, ROUTES, type TriedClient } from '../test/clients/packages.ts';
import type { Tried } from '../test/clients/run.ts';
import { startDevServer, type DevServer } from './lib/dev-server.ts';
import { PROJECT_ROOT } from './lib/wrangler.ts';

const CHILD = path.join(PROJECT_ROOT, 'test/clients/child.ts');
const RESULTS = path.join(PROJECT_ROOT, 'test/clients/results.json');
const PAGE = path.join(PROJECT_ROOT, 'docs/clients.md');
const MARK = '@tried ';
const INSTALL_MS = 300_000;
/** All routes of one client; each step of each has its own bound. */
const CLIENT_MS = 180_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, folder: { type: 'string' } },
});
const home = path.resolve(values.folder ?? path.join(tmpdir(), 'hybrid-mcp-clients'));
const isWhole = positionals.length === 0;
const chosen = CLIENTS.filter(({ name }) => isWhole || positionals.some((part) => name.includes(part)));

/** Without scripts of theirs, and once: a version never changes. Gives the folder. */
async function installed({ name, install, own }: TriedClient): Promise<string> {
  if (own === true) return PROJECT_ROOT;
  const folder = path.join(home, name.toLowerCase().replaceAll(/[^\w.]+/g, '-'));
  if (existsSync(path.join(folder, 'complete'))) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--save-exact'];
  const { code, output } = await run('npm', ['install', ...flags, ...install], folder, INSTALL_MS);
  if (code !== 0) throw new Error(`${name} could not be installed:\n${output}`);
  await writeFile(path.join(folder, 'complete'), '');
  return folder;
}

async function tried(client: TriedClient, folder: string, workers: readonly string[]): Promise<Tried[]> {
  const flags = ['--no-warnings', '--experimental-import-meta-resolve'];
  const { output } = await run(process.execPath, [...flags, CHILD, client.name, folder, ...workers], folder, CLIENT_MS);
  const results = output
    .split('\n')
    .filter((line) => line.startsWith(MARK))
    .map((line) => JSON.parse(line.slice(MARK.length)) as Tried);
  const expected = ROUTES.filter(({ transport }) => client.transports.includes(transport)).length;
  if (results.length === expected) return results;
  throw new Error(`${client.name} ended after ${results.length} of ${expected} routes. It printed:\n${output}`);
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  withinMs: number,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: withinMs });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** One Worker for each set of variables that a route asks for. */
async function startWorkers(): Promise<{ servers: DevServer[]; workers: string[] }> {
  const byVars = new Map<string, DevServer>();
  const workers: string[] = [];
  for (const { vars } of ROUTES) {
    const key = JSON.stringify(vars);
    const server =
      byVars.get(key) ??
      (await startDevServer({ config: 'test/clients/server/wrangler.toml', vars, startTimeoutMs: 90_000 }));
    byVars.set(key, server);
    workers.push(server.url);
  }
  return { servers: [...byVars.values()], workers };
}

function told({ client, route, cells, lanes }: Tried): string {
  const parts = Object.entries(cells).map(([check, { is, says }]) =>
    is === 'pass' ? check : `${check}: ${is === 'not' ? 'no' : 'FAILS'} (${says ?? ''})`,
  );
  return `${client}, ${route} [${lanes.join(', ')}]: ${parts.join('; ')}`;
}

async function main(): Promise<number> {
  if (chosen.length === 0) {
    console.error(`No client has such a name. There are: ${CLIENTS.map(({ name }) => name).join('; ')}`);
    return 2;
  }
  const { servers, workers } = await startWorkers();
  const results: Tried[] = [];
  const broken: string[] = [];
  try {
    for (const client of chosen) {
      try {
        const each = await tried(client, await installed(client), workers);
        results.push(...each);
        for (const one of each) console.log(told(one));
      } catch (cause) {
        broken.push(client.name);
        console.error(cause instanceof Error ? cause.message : cause);
      }
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  const cells = results.flatMap((one) => Object.values(one.cells));
  const count = (is: string): number => cells.filter((cell) => cell.is === is).length;
  console.log(
    `${chosen.length} clients, ${results.length} runs: ${count('pass')} checks pass, ${count('not')} do not apply, ${count('fail')} fail${
      broken.length === 0 ? '' : `; not tried: ${broken.join(', ')}`
    }`,
  );
  if (values.write && broken.length === 0) await write(results);
  return count('fail') === 0 && broken.length === 0 ? 0 : 1;
}

/** The results of clients that were not chosen stay. */
async function write(results: readonly Tried[]): Promise<void> {
  const names = new Set(chosen.map(({ name }) => name));
  const kept = isWhole ? [] : (JSON.parse(await readFile(RESULTS, 'utf8')) as Tried[]);
  const all = [...kept.filter(({ client }) => !names.has(client)), ...results];
  const inOrder = CLIENTS.flatMap(({ name }) => all.filter(({ client }) => client === name));
  await writeFile(RESULTS, `${JSON.stringify(inOrder, undefined, 2)}\n`);
  await writeFile(PAGE, clientsPage(inOrder));
  console.log('wrote test/clients/results.json and docs/clients.md');
}

process.exitCode = await main();
