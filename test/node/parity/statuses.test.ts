/** Every HTTP status from 300 to 599 is a refusal and never an answer, whatever its body, on the wire of both eras. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { errorStatusOf } from '../../../cli/parity/targets/era.ts';
import { httpWire } from '../../../cli/parity/targets/http.ts';
import { WireFault, type Wire } from '../../../cli/parity/targets/wire.ts';

const STATUSES = Array.from({ length: 300 }, (_each, at) => 300 + at);
type Body = 'a result' | 'an error' | 'a page' | 'nothing';

/** Answers with the status and the body that the call's name asks for. */
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { id, params } = JSON.parse(text) as { id: number; params: { status: number; body: Body; code: number } };
      const bodies: Record<Body, string> = {
        'a result': JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }),
        'an error': JSON.stringify({ jsonrpc: '2.0', id, error: { code: params.code, message: 'no' } }),
        'a page': '<h1>no</h1>',
        nothing: '',
      };
      response.writeHead(params.status, { 'content-type': 'application/json' }).end(bodies[params.body]);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** The reason of the refusal with its status, or that it was taken for an answer. */
async function became(wire: Wire, era: '2025' | '2026', status: number, body: Body, code = -32603): Promise<string> {
  const request = { jsonrpc: '2.0', id: status, method: 'tools/call', params: { status, body, code } } as const;
  return wire.send(request, { timeoutMs: 5_000, errorStatus: errorStatusOf(era) }).then(
    () => `${status} answered`,
    (thrown: unknown) => (thrown instanceof WireFault ? `${thrown.status} ${thrown.reason}` : String(thrown)),
  );
}

const CASES = (['2025', '2026'] as const).flatMap((era) =>
  (['a result', 'an error', 'a page', 'nothing'] as const).map((body) => [era, body] as const),
);

describe('each status from 300 to 599', () => {
  it.for(CASES)('is a refusal in the %s era with %s in it', async ([era, body], { expect }) => {
    const wire = httpWire(url, {}, true, () => undefined);
    const found: string[] = [];
    for (const status of STATUSES) found.push(await became(wire, era, status, body));
    await wire.close();
    const signIn = (status: number): boolean => status === 401 || status === 403;
    expect(found).toEqual(STATUSES.map((status) => `${status} ${signIn(status) ? 'refused_sign_in' : 'refused'}`));
  });

  it('is the answer only where the 2026 era has a status for the error', async ({ expect }) => {
    const wire = httpWire(url, {}, true, () => undefined);
    const own: readonly (readonly [number, number])[] = [
      ...([-32700, -32600, -32020, -32021, -32022] as const).map((code) => [code, 400] as const),
      [-32601, 404],
    ];
    for (const [code, status] of own) {
      const found: string[] = [];
      for (const each of STATUSES.filter((one) => one >= 400))
        found.push(await became(wire, '2026', each, 'an error', code));
      expect([code, found.filter((each) => each.endsWith('answered'))]).toEqual([code, [`${status} answered`]]);
      expect(await became(wire, '2025', status, 'an error', code)).toBe(`${status} refused`);
    }
    await wire.close();
  });
});
