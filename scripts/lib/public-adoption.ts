/** Adopts one public project and compares what clients see before and after. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { mcpParity } from '../../cli/parity/command.ts';
import { openLane, readReply } from '../../src/contract/wire.ts';
import { startDevServer, type DevServer } from './dev-server.ts';
import { arrange, prepare, type Entry, type Prepare, type PublicProject, type Side } from './public-project.ts';
import { OFFLINE_ENV, PROJECT_ROOT } from './wrangler.ts';

const run = promisify(execFile);

export interface Adopted {
  readonly project: string;
  readonly entry: Entry | '-';
  readonly lines: number;
  readonly seconds: number;
  readonly wrapped: string;
  readonly modern: string;
  readonly besides: readonly string[];
  readonly asExpected: boolean;
}

/** A sign-in's properties under every name that such projects read. */
const PROPS = {
  subject: 'ann',
  sub: 'ann',
  login: 'ann',
  userId: 'ann',
  name: 'Ann',
  email: 'ann@example.com',
  accessToken: 'none',
  permissions: [],
  claims: { sub: 'ann', name: 'Ann', email: 'ann@example.com' },
  user: { id: 'ann', email: 'ann@example.com' },
};

const HOSTED = { LEGACY_ROUTE_STAGE: 'stateless', MCP_ROUTE_STAGE: 'stateless' };

interface Compare {
  readonly cases: number;
  /** Names of tools that are not called. */
  readonly skip?: string;
}

export async function adopt(options: Omit<Prepare, 'versions'> & Compare): Promise<Adopted> {
  const began = Date.now();
  const name = path.basename(options.source);
  const seconds = (): number => (Date.now() - began) / 1000;
  const failed = (why: string): Adopted => ({
    project: name,
    entry: '-',
    lines: 0,
    seconds: seconds(),
    wrapped: '-',
    modern: '-',
    besides: [why],
    asExpected: false,
  });
  try {
    const project = await prepare({ ...options, versions: await versions() });
    await bundled(project);
    const adoptedIn = seconds();
    const { entry, plain } = await entered(project);
    await using before = plain;
    const wrapped = await withServer(project, 'ours', entry, {}, (server) =>
      compared({ project, entry, plain: before, server, era: '2025' }, options),
    );
    const vars = { ...HOSTED, ...(entry === 'its own' && { AGENT_KEEPS_NO_STATE: 'on' }) };
    const modern = await withServer(project, 'ours', entry, vars, (server) =>
      compared({ project, entry, plain: before, server, era: '2026' }, options),
    );
    return {
      project: name,
      entry,
      lines: project.changedLines,
      seconds: adoptedIn,
      wrapped: wrapped.text,
      modern: modern.text,
      besides: project.besides,
      asExpected: wrapped.isEqual && modern.isEqual,
    };
  } catch (cause) {
    return failed(cause instanceof Error ? cause.message.slice(0, 2000) : String(cause));
  }
}

async function versions(): Promise<Readonly<Record<string, string>>> {
  const manifest = JSON.parse(await readFile(path.join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const names = ['agents', '@modelcontextprotocol/sdk', '@modelcontextprotocol/server'] as const;
  return Object.fromEntries(names.map((name) => [name, manifest.dependencies[name] ?? '']));
}

/** As it is deployed. */
async function bundled(project: PublicProject): Promise<void> {
  const config = await arrange(project, 'ours', 'its own');
  const wrangler = path.join(PROJECT_ROOT, 'node_modules/wrangler/bin/wrangler.js');
  const args = [wrangler, 'deploy', '--dry-run', '--outdir', path.join(project.folder, 'dist'), '--config', config];
  await run(process.execPath, args, { env: { ...process.env, ...OFFLINE_ENV }, maxBuffer: 2 ** 26, timeout: 120_000 });
}

/** Serves it as it was: by its own entry if nobody has to sign in there, and if no state has to be told apart. */
async function entered(project: PublicProject): Promise<{ readonly entry: Entry; readonly plain: DevServer }> {
  const own = project.keepsState ? undefined : await serve(project, 'plain', 'its own', {}).catch(() => undefined);
  if (own !== undefined) {
    const lane = await openLane('legacy', { origin: own.url, send: fetch, paths: { legacy: '/mcp' } }).catch(
      () => undefined,
    );
    if (lane !== undefined) {
      await lane.close();
      return { entry: 'its own', plain: own };
    }
    await own.stop();
  }
  return { entry: 'the class', plain: await serve(project, 'plain', 'the class', {}) };
}

async function serve(
  project: PublicProject,
  side: Side,
  entry: Entry,
  vars: Readonly<Record<string, string>>,
): Promise<DevServer> {
  const config = await arrange(project, side, entry);
  const signIn = entry === 'the class' ? { SIGN_IN_PROPS: JSON.stringify(PROPS) } : {};
  return startDevServer({ config, vars: { ...vars, ...signIn }, startTimeoutMs: 60_000 });
}

async function withServer<T>(
  project: PublicProject,
  side: Side,
  entry: Entry,
  vars: Readonly<Record<string, string>>,
  use: (server: DevServer) => Promise<T>,
): Promise<T> {
  await using server = await serve(project, side, entry, vars);
  // Awaited here: the server ends with this function.
  return await use(server);
}

const Totals = v.looseObject({ counts: v.looseObject({ match: v.number(), mismatch: v.number() }) });

interface Compared {
  readonly text: string;
  readonly isEqual: boolean;
}

async function compared(
  what: {
    readonly project: PublicProject;
    readonly entry: Entry;
    readonly plain: DevServer;
    readonly server: DevServer;
    readonly era: '2025' | '2026';
  },
  { cases, skip }: Compare,
): Promise<Compared> {
  const { project, entry, plain, server, era } = what;
  const file = path.join(project.folder, `parity-${era}.json`);
  const args = ['run', '--control', `${plain.url}/mcp`, '--candidate', `${server.url}/mcp`, '--quiet'];
  args.push('--control-era', '2025', '--candidate-era', era, '--cases', String(cases), '--seed', '1');
  args.push('--concurrency', '4', '--timeout', '8000', '--allow-writes', '--sequences', '0', '--json', file);
  args.push('--sanitize', 'timestamp,uuid,port,duration,epoch-ms');
  if (era === '2026' && entry === 'its own') args.push('--allowed', await allowed(project, plain));
  if (skip !== undefined) args.push('--skip', skip);
  let output = '';
  const say = (text: string): void => void (output += text);
  const code = await mcpParity(args, { out: say, error: say, colour: false });
  await writeFile(path.join(project.folder, `parity-${era}.txt`), `exit ${code}\n${output}\n${server.output()}`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { text: `could not be compared: ${output.slice(0, 200)}`, isEqual: false };
  const { counts } = v.parse(v.pipe(v.string(), v.parseJson(), Totals), text);
  return { text: `${counts.match} equal, ${counts.mismatch} not`, isEqual: code === 0 && counts.match > 0 };
}

/** Callers who share an object are promised no changes of lists (docs/adopting.md). */
async function allowed({ folder }: PublicProject, { url }: DevServer): Promise<string> {
  const rows = (await changingLists(url)).map((capability) => ({
    id: `shared-object-${capability}`,
    where: 'server',
    path: `capabilities.${capability}`,
    controlValue: { listChanged: true },
    candidateValue: {},
    reason: 'Whoever shares an object with others hears nothing outside of calls, so no change of a list is promised.',
  }));
  const file = path.join(folder, 'allowed.json');
  await writeFile(file, JSON.stringify(rows));
  return file;
}

/** The capabilities of a server that promise to tell of changes. */
async function changingLists(url: string): Promise<readonly string[]> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'public-projects', version: '1' },
  };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  const { answer } = await readReply(response, 1);
  const capabilities = (answer?.result?.['capabilities'] ?? {}) as Record<string, { readonly listChanged?: boolean }>;
  return Object.keys(capabilities).filter((name) => capabilities[name]?.listChanged === true);
}
