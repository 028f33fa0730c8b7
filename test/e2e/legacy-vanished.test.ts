/** Clients of the legacy lane whose sockets go in every way there is: their sessions end by their idle time, and no other. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';

const IDLE_MS = 2_000;
const STREAMS = ['get', 'post', 'sse'] as const;
/** RST; FIN, and RST to whatever comes after it; and a client library that is told to give up. */
const WAYS = ['reset', 'close', 'abort'] as const;
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'vanishing', version: '1.0' } },
};
const LONG_CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait', arguments: { ms: 1_000 } } };

let folder = '';
let server: DevServer;

type Leave = () => void;

/** A stream of a session, open and answered; gives the way to leave it. */
async function listen(kind: (typeof STREAMS)[number], way: (typeof WAYS)[number]): Promise<Leave> {
  const request = {
    method: kind === 'post' ? 'POST' : 'GET',
    path: kind === 'sse' ? '/legacy/sse' : '/legacy/mcp',
    headers: { ...HEADERS, ...(kind !== 'sse' && { 'mcp-session-id': await open() }) },
    body: kind === 'post' ? JSON.stringify(LONG_CALL) : '',
  };
  if (way === 'abort') return listenByFetch(request);
  const socket = await listenBySocket(request);
  return () => void (way === 'reset' ? socket.resetAndDestroy() : socket.destroy());
}

interface Listening {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function listenByFetch({ method, path: pathname, headers, body }: Listening): Promise<Leave> {
  const giving = new AbortController();
  const response = await fetch(`${server.url}${pathname}`, {
    method,
    headers,
    signal: giving.signal,
    ...(body !== '' && { body }),
  });
  response.text().catch(() => undefined);
  return () => giving.abort();
}

async function listenBySocket({ method, path: pathname, headers, body }: Listening): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ ...headers, host: `${hostname}:${port}`, 'content-length': body.length });
  socket.write(
    `${method} ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
  await new Promise<void>((resolve, reject) => {
    socket.once('data', () => resolve());
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  socket.on('data', () => undefined);
  return socket;
}

async function open(): Promise<string> {
  const response = await fetch(`${server.url}/legacy/mcp`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify(INITIALIZE),
  });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

/** Sessions that the server's storage still has. Asking the server would be a use. */
async function stored(): Promise<number> {
  const agents = path.join(folder, 'v3/do/hybrid-mcp-vanishing-LegacyAgent');
  const files = (await readdir(agents)).filter((file) => file.endsWith('.sqlite') && file !== 'metadata.sqlite');
  const isSession = (file: string): boolean => {
    const database = new DatabaseSync(path.join(agents, file), { readOnly: true });
    try {
      return database.prepare("SELECT 1 FROM _cf_KV WHERE key = 'hybrid-mcp:used-at'").get() !== undefined;
    } catch {
      return false;
    } finally {
      database.close();
    }
  };
  return files.filter(isSession).length;
}

describe('legacy: clients that vanish', () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-vanishing-'));
    server = await startDevServer({
      config: 'test/fixture/vanishing/wrangler.toml',
      persistTo: folder,
      vars: { SESSION_IDLE_MS: String(IDLE_MS) },
    });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('leave no session behind, whichever way their socket went, and a client that listens keeps its own', async ({
    expect,
  }) => {
    const vanishing = await Promise.all(STREAMS.flatMap((kind) => WAYS.map((way) => listen(kind, way))));
    const listening = await Promise.all((['get', 'sse'] as const).map((kind) => listen(kind, 'close')));
    expect([vanishing.length, listening.length]).toEqual([9, 2]);
    await expect.poll(stored, { timeout: 10_000, interval: 100 }).toBe(11);
    for (const leave of vanishing) leave();
    await expect.poll(stored, { timeout: 30_000, interval: 200 }).toBe(2);
    // Nothing happens for several idle times.
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS * 3));
    expect(await stored()).toBe(2);
    for (const leave of listening) leave();
    await expect.poll(stored, { timeout: 30_000, interval: 200 }).toBe(0);
  });
});
