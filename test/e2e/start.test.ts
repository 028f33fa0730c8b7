/** `npm start` and the local server under it: what is printed, what works, what is kept, and what is left behind. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, it } from 'vitest';
import { startDevServer } from '../../scripts/lib/dev-server.ts';
import { connectV1, connectV2, resumeV1 } from './support/clients.ts';
import { npmStart, takePort } from './support/npm-start.ts';

const run = promisify(execFile);

async function scratchFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-start-'));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

describe('npm start', () => {
  it('says where it is and what to try, which works, and leaves nothing behind', async ({ expect }) => {
    await using state = await scratchFolder();
    const { port, release } = await takePort();
    await release();
    await using started = npmStart('--port', String(port), '--persist-to', state.path);
    await started.prints('Ctrl-C stops it.');
    expect((await started.leftOver()).length).toBeGreaterThan(2);

    const output = started.output();
    const lines = output.split('\n').map((line) => line.trim());
    expect(output).toContain(`stateless   http://localhost:${port}/mcp`);
    expect(output).toContain(
      `legacy      http://localhost:${port}/legacy/mcp   (SSE: http://localhost:${port}/legacy/sse)`,
    );
    expect(JSON.parse(lines.find((line) => line.startsWith('{')) ?? '')).toEqual({
      mcpServers: { hybrid: { type: 'http', url: `http://localhost:${port}/mcp` } },
    });
    expect(lines).toContain('npm run demo');
    const curl = lines.find((line) => line.startsWith('curl ')) ?? 'false';
    expect((await run('sh', ['-c', curl])).stdout).toContain('"structuredContent":{"sum":5}');

    started.terminate();
    await started.closed;
    expect(await started.leftOver()).toEqual([]);
    await expect(fetch(`http://localhost:${port}/healthz`)).rejects.toThrow('fetch failed');
  });

  it('names the remedy when the port is in use', async ({ expect }) => {
    const { port, release } = await takePort();
    await using started = npmStart('--port', String(port));
    expect(await started.closed).toBe(1);
    expect(started.output()).toContain(
      `Port ${port} is in use. Stop what listens there, or take another port: npm start -- --port 9000`,
    );
    await release();
  });

  it('refuses what is no port', async ({ expect }) => {
    await using started = npmStart('--port', 'eighty');
    expect(await started.closed).toBe(2);
    expect(started.output()).toContain('--port needs a number from 0 to 65535, for example: npm start -- --port 9000');
  });
});

describe('the local server', () => {
  it('keeps sessions and state over a restart with the same folder, and stops when told', async ({ expect }) => {
    await using state = await scratchFolder();
    const add = (by: number, handle?: string) => ({
      name: 'incrementCounter',
      arguments: { by, ...(handle !== undefined && { handle }) },
    });
    let sessionId: string | undefined;
    let handle = '';
    {
      await using server = await startDevServer({ persistTo: state.path });
      expect(await (await fetch(server.url)).text()).toContain(`${server.url}/legacy/mcp`);
      await using old = await connectV1(`${server.url}/legacy/mcp`);
      expect(await old.client.callTool(add(5))).toMatchObject({ structuredContent: { value: 5 } });
      sessionId = old.transport.sessionId;
      await using modern = await connectV2(`${server.url}/mcp`, { pin: '2026-07-28' });
      const counted = await modern.client.callTool(add(7));
      handle = (counted.structuredContent as { handle: string }).handle;
      await server.stop();
      await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed');
    }
    await using server = await startDevServer({ persistTo: state.path });
    await using old = await resumeV1(`${server.url}/legacy/mcp`, sessionId ?? '');
    expect(await old.client.callTool(add(1))).toMatchObject({ structuredContent: { value: 6 } });
    await using modern = await connectV2(`${server.url}/mcp`, { pin: '2026-07-28' });
    expect(await modern.client.callTool(add(1, handle))).toMatchObject({ structuredContent: { value: 8, handle } });
  });
});
