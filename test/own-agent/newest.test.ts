/** Real clients of the newest protocol while its stage goes back: who has begun goes on until it is told otherwise. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, it } from 'vitest';
import { HOSTED, ORIGIN, sender, type Vars } from './clients.ts';

/** A client, and what its server's variables are from its next request on. */
async function connected(vars: Vars, user: string) {
  const server = { vars };
  const client = new Client({ name: 'newest', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const connect = (): Promise<void> =>
    client.connect(
      new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
        fetch: (url, init) => sender(server.vars, { user })(new Request(url, init)),
      }),
    );
  await connect();
  const count = async (): Promise<unknown> =>
    (await client.callTool({ name: 'increment', arguments: {} })).structuredContent;
  return { server, client, connect, count };
}

const DRAIN = { ...HOSTED, MCP_ROUTE_STAGE: 'drain' };
const BACK = { ...HOSTED, MCP_ROUTE_STAGE: 'legacy' };

describe('a client of SDK v2', () => {
  it('goes on while the stage is drain, and whoever begins there does so in the earlier protocol', async ({
    expect,
  }) => {
    const user = crypto.randomUUID();
    const { server, client, count } = await connected(HOSTED, user);
    expect([client.getNegotiatedProtocolVersion(), await count()]).toEqual(['2026-07-28', { counter: 1 }]);
    server.vars = DRAIN;
    expect(await count()).toEqual({ counter: 2 });
    const next = await connected(DRAIN, user);
    expect([next.client.getNegotiatedProtocolVersion(), await next.count()]).toEqual(['2025-11-25', { counter: 1 }]);
    await Promise.all([client.close(), next.client.close()]);
  });

  it('is refused mid-way once the stage is back, as by the plain class, and falls back when it connects again', async ({
    expect,
  }) => {
    const { server, client, connect, count } = await connected(HOSTED, crypto.randomUUID());
    expect(await count()).toEqual({ counter: 1 });
    server.vars = BACK;
    await expect(count()).rejects.toThrow(
      'Bad Request: Unsupported protocol version: 2026-07-28 (supported versions: 2025-11-25',
    );
    await client.close();
    await connect();
    expect([client.getNegotiatedProtocolVersion(), await count()]).toEqual(['2025-11-25', { counter: 1 }]);
    await client.close();
  });
});
