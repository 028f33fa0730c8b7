/** The MCP Inspector's own command line against both routes: the tool that people reach for first. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';

const run = promisify(execFile);
const INSPECTOR = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js'));

let server: DevServer;
let home: string;
beforeAll(async () => {
  // It keeps a catalogue of servers in the home folder.
  home = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-inspector-'));
  server = await startDevServer();
});
afterAll(async () => {
  await server.stop();
  await rm(home, { recursive: true, force: true });
});

/** Rejects when the Inspector ends with another exit code than 0. */
async function inspect(route: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, [INSPECTOR, '--cli', server.url + route, ...args], {
    env: { ...process.env, HOME: home },
  });
  return JSON.parse(stdout);
}

describe.for(['/legacy/mcp', '/legacy/sse', '/mcp'])('the Inspector on %s', (route) => {
  it('lists the tools and has nothing to say about their schemas', async ({ expect }) => {
    // With --strict it ends with 6 when a schema is not portable.
    const { tools } = await inspect(route, '--method', 'tools/list', '--strict');
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual([
      'add',
      'ping',
      'search',
      'lookup',
      'readDocument',
      'qrCode',
      'incrementCounter',
      'getCounter',
      'resetCounter',
    ]);
  });

  it('calls add', async ({ expect }) => {
    const call = ['--method', 'tools/call', '--tool-name', 'add', '--tool-args-json', '{"a":2,"b":3}'];
    expect(await inspect(route, ...call)).toEqual({
      content: [{ type: 'text', text: '{"sum":5}' }],
      structuredContent: { sum: 5 },
    });
  });
});
