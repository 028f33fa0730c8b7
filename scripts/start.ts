/**
 * `npm start`: the Worker on this machine, without account and network, with its state kept in .wrangler/state.
 * Everything after `--` goes to `wrangler dev`: `npm start -- --port 9000`.
 */
import { createServer } from 'node:net';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { storeVar } from './lib/local-store.ts';
import { spawnWrangler, stopWrangler, untilHealthy, whenReady } from './lib/wrangler.ts';

const DEFAULT_PORT = 8787;
const HEALTH_TIMEOUT_MS = 30_000;
const ORPHAN_POLL_MS = 250;
/** Named on the Worker's page until the legacy half is retired. */
const LEGACY_PATH = '/legacy/mcp';

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  // Only these are ours to read; all else is wrangler's.
  const { values } = parseArgs({
    args,
    options: { port: { type: 'string' }, 'persist-to': { type: 'string' } },
    strict: false,
  });
  if (values['help'] === true) return wranglerSays(args);
  // `--port` without a value is `true` here.
  const port = typeof values.port === 'boolean' ? Number.NaN : Number(values.port ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    console.error('--port needs a number from 0 to 65535, for example: npm start -- --port 9000');
    return 2;
  }
  if (!(await isFree(port))) {
    console.error(`Port ${port} is in use. Stop what listens there, or take another port: npm start -- --port 9000`);
    return 1;
  }

  const portArgs = values.port === undefined ? ['--port', String(port)] : [];
  const store = values['persist-to'];
  const ours = [
    '--show-interactive-dev-session=false',
    ...portArgs,
    ...storeVar(typeof store === 'string' ? store : undefined),
  ];
  const child = spawnWrangler(['dev', ...ours, ...args], 'inherit');
  let stopping = false;
  const stop = (): void => {
    stopping = true;
    void stopWrangler(child);
  };
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code) => resolve(stopping ? 0 : (code ?? 1)));
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, stop);
  }
  whenOrphaned(stop);

  try {
    const url = await whenReady(child);
    await untilHealthy(url, AbortSignal.timeout(HEALTH_TIMEOUT_MS));
    const page = await (await fetch(url)).text();
    console.log(welcome(Number(new URL(url).port), page.includes(LEGACY_PATH)));
  } catch (error) {
    // A child that has ended has already said why.
    if (child.exitCode === null && !stopping) console.error(`The Worker does not answer yet: ${String(error)}`);
  }
  return ended;
}

/** What asks for text only needs no port. */
async function wranglerSays(args: readonly string[]): Promise<number> {
  const child = spawnWrangler(['dev', ...args], 'inherit');
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** npm runs this program in a shell that dies of a signal without passing it on. No event tells of that. */
function whenOrphaned(then: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) then();
  }, ORPHAN_POLL_MS).unref();
}

/** Both loopback addresses count: which of them a client means by `localhost` depends on the client. */
async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '::1']) {
    const code = await new Promise<string | undefined>((resolve) => {
      const probe = createServer();
      probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
    });
    if (code === 'EADDRINUSE') return false;
  }
  return true;
}

function welcome(port: number, hasLegacy: boolean): string {
  const base = `http://localhost:${port}`;
  const clientConfig = JSON.stringify({ mcpServers: { hybrid: { type: 'http', url: `${base}/mcp` } } });
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'add', arguments: { a: 2, b: 3 } },
  });
  return `
  Ready.
    stateless   ${base}/mcp${hasLegacy ? `\n    legacy      ${base}${LEGACY_PATH}   (SSE: ${base}/legacy/sse)` : ''}

  For an MCP client's configuration:
    ${clientConfig}

  Try first:
    npm run demo
    curl -s ${base}/mcp -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' -d '${call}'

  Ctrl-C stops it.
`;
}
