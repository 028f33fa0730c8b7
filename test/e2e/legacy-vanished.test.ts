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
const WAYS = ['reset', 'end', 'destroy'] as const;
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

/** A stream over a socket of the test's own; resolves when its first bytes are there. */
async function stream(kind: (typeof STREAMS)[number], sessionId: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const body = kind === 'post' ? JSON.stringify(LONG_CALL) : '';
  const lines = [
    `${kind === 'post' ? 'POST' : 'GET'} ${kind === 'sse' ? '/legacy/sse' : '/legacy/mcp'} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
    ...(kind === 'sse' ? [] : [`mcp-session-id: ${sessionId}`]),
    `content-length: ${body.length}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
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
    const vanished = await Promise.all(
      STREAMS.flatMap((kind) =>
        WAYS.map(async (way) => ({ way, socket: await stream(kind, kind === 'sse' ? '' : await open()) })),
      ),
    );
    const listening = await Promise.all(
      (['get', 'sse'] as const).map(async (kind) => stream(kind, kind === 'sse' ? '' : await open())),
    );
    expect([vanished.length, listening.length]).toEqual([9, 2]);
    await expect.poll(stored, { timeout: 10_000, interval: 100 }).toBe(11);
    for (const { way, socket } of vanished) {
      if (way === 'reset') socket.resetAndDestroy();
      else if (way === 'end') socket.end();
      else socket.destroy();
    }
    await expect.poll(stored, { timeout: 30_000, interval: 200 }).toBe(2);
    // Nothing happens for several idle times.
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS * 3));
    expect(await stored()).toBe(2);
    for (const socket of listening) socket.destroy();
    await expect.poll(stored, { timeout: 30_000, interval: 200 }).toBe(0);
  });
});
