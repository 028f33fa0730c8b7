/** HTTP exchanges on kept connections: one that the server closed is replaced once, and never where a call may write. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it } from 'vitest';
import { Exchange, TimedOut } from '../../../cli/parity/targets/exchange.ts';

let server: Server;
let requests = 0;
let connections = 0;

/** Answers the first request of each connection, and closes the connection when a second one comes. */
async function start(): Promise<string> {
  [requests, connections] = [0, 0];
  const answered = new WeakSet<object>();
  server = createServer((request, response) => {
    requests += 1;
    request.resume();
    if (answered.has(request.socket)) {
      request.socket.resetAndDestroy();
      return;
    }
    answered.add(request.socket);
    response.end('ok');
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});
const POST = { method: 'POST', headers: {}, body: '{}' } as const;
const read = async (response: AsyncIterable<Buffer>): Promise<string> => {
  let text = '';
  for await (const chunk of response) text += chunk.toString();
  return text;
};

describe('an exchange', () => {
  it('goes over a new connection when the kept one is closed under it', async ({ expect }) => {
    const exchange = new Exchange(await start(), true);
    expect(await exchange.send(POST, 5_000, read)).toBe('ok');
    // The agent gets its connection back one turn after the answer was read.
    await new Promise((resolve) => setImmediate(resolve));
    expect(await exchange.send(POST, 5_000, read)).toBe('ok');
    expect([requests, connections]).toEqual([3, 2]);
    exchange.close();
  });

  it('never uses a connection twice where nothing may be sent twice', async ({ expect }) => {
    const exchange = new Exchange(await start(), false);
    for (let time = 0; time < 3; time += 1) expect(await exchange.send(POST, 5_000, read)).toBe('ok');
    expect([requests, connections]).toEqual([3, 3]);
    exchange.close();
  });

  it('gives up when the time is up', async ({ expect }) => {
    const exchange = new Exchange(await start(), false);
    await expect(exchange.send(POST, 50, () => new Promise(() => undefined))).rejects.toThrow(TimedOut);
    exchange.close();
  });
});
