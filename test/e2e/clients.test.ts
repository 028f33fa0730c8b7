/** The clients that people have, on the URLs that they will put in: does each connect, list, call and keep its counter? */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { connectSse, connectSseV2, connectV1, connectV2 } from './support/clients.ts';

const TOOLS = [
  'add',
  'ping',
  'search',
  'lookup',
  'readDocument',
  'qrCode',
  'incrementCounter',
  'getCounter',
  'resetCounter',
];
const FIVE = { content: [{ type: 'text', text: '{"sum":5}' }], structuredContent: { sum: 5 } };
const MODERN = { pin: '2026-07-28' } as const;

let server: DevServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());
const at = (path: string): string => `${server.url}${path}`;

/** The part that both SDKs' clients have in common. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

async function namesAndSum(client: AnyClient): Promise<unknown> {
  const { tools } = await client.listTools();
  return {
    names: tools.map(({ name }) => name),
    sum: await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }),
  };
}

async function counted(client: AnyClient, by: number, handle?: string): Promise<{ value: number; handle: string }> {
  const args = { by, ...(handle !== undefined && { handle }) };
  const result = await client.callTool({ name: 'incrementCounter', arguments: args });
  return (result as { structuredContent: { value: number; handle: string } }).structuredContent;
}

describe('SDK v1', () => {
  it.for(['/legacy/mcp', '/mcp'])('lists and calls on %s', async (path, { expect }) => {
    await using it = await connectV1(at(path));
    expect(it.client.getServerVersion()).toEqual({
      name: 'hybrid-mcp-desk',
      title: 'Documentation desk',
      version: '0.1.0',
    });
    // The session's result passes the client's own check against the listed output schema.
    expect(await namesAndSum(it.client)).toEqual({ names: TOOLS, sum: FIVE });
  });

  it.for(['/legacy/mcp', '/mcp'])('keeps one counter a session on %s', async (path, { expect }) => {
    await using one = await connectV1(at(path));
    await using other = await connectV1(at(path));
    const first = await counted(one.client, 2);
    expect(first.value).toBe(2);
    expect(await counted(one.client, 3)).toEqual({ value: 5, handle: first.handle });
    expect((await counted(other.client, 1)).value).toBe(1);
  });

  it('speaks the newest protocol that it knows on both routes', async ({ expect }) => {
    await using legacy = await connectV1(at('/legacy/mcp'));
    await using mcp = await connectV1(at('/mcp'));
    expect([legacy.transport.protocolVersion, mcp.transport.protocolVersion]).toEqual(['2025-11-25', '2025-11-25']);
  });

  it('gets the server error of an unknown tool as an error, on both routes', async ({ expect }) => {
    for (const path of ['/legacy/mcp', '/mcp']) {
      await using it = await connectV1(at(path));
      await expect(it.client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow(
        /^MCP error -32602: Unknown tool: nope$/,
      );
    }
  });

  it('ends a legacy session with DELETE, and the session is then gone', async ({ expect }) => {
    await using it = await connectV1(at('/legacy/mcp'));
    const sessionId = it.transport.sessionId ?? '';
    await it.client.ping();
    await it.transport.terminateSession();
    const response = await fetch(at('/legacy/mcp'), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessionId,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' }),
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32001 } });
  });

  it('starts anew on /mcp after DELETE of its session', async ({ expect }) => {
    await using it = await connectV1(at('/mcp'));
    expect((await counted(it.client, 4)).value).toBe(4);
    await it.transport.terminateSession();
    await using again = await connectV1(at('/mcp'));
    expect((await counted(again.client, 1)).value).toBe(1);
  });
});

describe('SDK v1 over HTTP+SSE', () => {
  it('lists and calls', async ({ expect }) => {
    await using it = await connectSse(at('/legacy/sse'));
    expect(await namesAndSum(it.client)).toEqual({ names: TOOLS, sum: FIVE });
  });

  it('keeps one counter a session', async ({ expect }) => {
    await using one = await connectSse(at('/legacy/sse'));
    await using other = await connectSse(at('/legacy/sse'));
    const first = await counted(one.client, 2);
    expect(await counted(one.client, 3)).toEqual({ value: 5, handle: first.handle });
    expect((await counted(other.client, 1)).value).toBe(1);
  });
});

describe('SDK v2', () => {
  it.for([
    { path: '/mcp', mode: 'auto', era: 'modern', version: '2026-07-28' },
    { path: '/mcp', mode: 'legacy', era: 'legacy', version: '2025-11-25' },
    { path: '/mcp', mode: MODERN, era: 'modern', version: '2026-07-28' },
    { path: '/legacy/mcp', mode: 'legacy', era: 'legacy', version: '2025-11-25' },
    { path: '/legacy/mcp', mode: 'auto', era: 'legacy', version: '2025-11-25' },
  ] as const)('with $mode on $path speaks $version', async ({ path, mode, era, version }, { expect }) => {
    await using it = await connectV2(at(path), mode);
    expect([it.client.getProtocolEra(), it.client.getNegotiatedProtocolVersion()]).toEqual([era, version]);
    expect(await namesAndSum(it.client)).toMatchObject({ names: TOOLS, sum: FIVE });
  });

  it.for(['auto', 'legacy'] as const)(
    'with %s over HTTP+SSE falls back to what that speaks',
    async (mode, { expect }) => {
      await using it = await connectSseV2(at('/legacy/sse'), mode);
      expect([it.client.getProtocolEra(), it.client.getNegotiatedProtocolVersion()]).toEqual(['legacy', '2025-11-25']);
      expect(await namesAndSum(it.client)).toMatchObject({ names: TOOLS, sum: FIVE });
    },
  );

  it('pinned to 2026-07-28 on /legacy/mcp fails at once and says why', async ({ expect }) => {
    await expect(connectV2(at('/legacy/mcp'), MODERN)).rejects.toThrow(
      'the server did not offer pinned protocol version 2026-07-28',
    );
  });

  it('pinned to 2026-07-28 goes on with its counter by handle only', async ({ expect }) => {
    await using it = await connectV2(at('/mcp'), MODERN);
    const first = await counted(it.client, 2);
    expect(await counted(it.client, 3, first.handle)).toEqual({ value: 5, handle: first.handle });
    const fresh = await counted(it.client, 1);
    expect(fresh.value).toBe(1);
    expect(fresh.handle).not.toBe(first.handle);
  });
});

describe('a handle', () => {
  it('that the compat lane gave out is good on both other lanes', async ({ expect }) => {
    await using old = await connectV1(at('/legacy/mcp'));
    await using compat = await connectV1(at('/mcp'));
    await using modern = await connectV2(at('/mcp'), MODERN);
    const { handle } = await counted(compat.client, 10);
    expect(await counted(modern.client, 1, handle)).toEqual({ value: 11, handle });
    expect(await counted(old.client, 1, handle)).toEqual({ value: 12, handle });
    expect(await counted(compat.client, 1)).toEqual({ value: 13, handle });
  });

  it('that a legacy session gave out is good on both other lanes, and the session goes on with it', async ({
    expect,
  }) => {
    await using old = await connectV1(at('/legacy/mcp'));
    await using compat = await connectV1(at('/mcp'));
    await using modern = await connectV2(at('/mcp'), MODERN);
    const { handle } = await counted(old.client, 10);
    expect(await counted(modern.client, 1, handle)).toEqual({ value: 11, handle });
    expect(await counted(compat.client, 1, handle)).toEqual({ value: 12, handle });
    expect(await counted(old.client, 1)).toEqual({ value: 13, handle });
  });
});
