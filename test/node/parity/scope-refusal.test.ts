/** A call that is refused for a scope has an answer, on both transports over HTTP; any other 403 has none. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { httpWire } from '../../../cli/parity/targets/http.ts';
import { isScopeRefusal } from '../../../cli/parity/targets/scope.ts';
import { sseWire } from '../../../cli/parity/targets/sse.ts';
import type { Wire } from '../../../cli/parity/targets/wire.ts';

const CHALLENGE = 'Bearer realm="mcp", error="insufficient_scope", scope="a b"';
const error = { code: -32003, message: 'This caller lacks a scope.' };

/** Refuses every call: for a scope, or as a sign-in that is not good. */
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response: ServerResponse) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: /message\n\n');
      return;
    }
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { id, method } = JSON.parse(text) as { id: number; method: string };
      const challenge = method === 'tools/call' ? CHALLENGE : 'Bearer error="invalid_token"';
      response
        .writeHead(403, { 'content-type': 'application/json', 'www-authenticate': challenge })
        .end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const ignore = (): void => undefined;
const OPEN: readonly (readonly [string, () => Wire | Promise<Wire>])[] = [
  ['Streamable HTTP', () => httpWire(`${url}/mcp`, {}, true, ignore)],
  ['HTTP+SSE', () => sseWire(`${url}/sse`, {}, 5_000, ignore)],
];

describe.for(OPEN)('over %s', ([, open]) => {
  it('a refusal for a scope is the answer, and another 403 is that of a sign-in', async ({ expect }) => {
    const wire = await open();
    expect(
      await wire.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }, { timeoutMs: 5_000 }),
    ).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error,
    });
    const other = wire.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }, { timeoutMs: 5_000 });
    await expect(other).rejects.toMatchObject({ reason: 'refused_sign_in' });
    await wire.close();
  });
});

it.for([
  [403, CHALLENGE, JSON.stringify({ id: 1, error }), true],
  [403, 'Bearer error=insufficient_scope', JSON.stringify({ id: 1, error }), true],
  [401, CHALLENGE, JSON.stringify({ id: 1, error }), false],
  [403, 'Bearer error="invalid_token"', JSON.stringify({ id: 1, error }), false],
  [403, undefined, JSON.stringify({ id: 1, error }), false],
  [403, CHALLENGE, 'Forbidden', false],
  [403, CHALLENGE, JSON.stringify({ id: null, error }), false],
] as const)('HTTP %i with %s and %s is an answer: %s', ([status, challenge, body, answers], { expect }) => {
  expect(isScopeRefusal(status, challenge, body)).toBe(answers);
});
