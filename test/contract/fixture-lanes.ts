/** Opens the lanes of the fixture Worker, each over its real wire. */
import { exports } from 'cloudflare:workers';
import { openLane, readReply, type Lane, type LaneName } from '../support/wire.ts';

export const ORIGIN = 'http://localhost';

export const send = (request: Request): Promise<Response> => exports.default.fetch(request);

export const openFixture = (name: LaneName, capabilities: Record<string, unknown> = {}): Promise<Lane> =>
  openLane(name, { origin: ORIGIN, send, capabilities });

/** One request on a lane of its own; the answer as it came, without the JSON-RPC frame. */
export async function ask(name: LaneName, method: string, params?: Record<string, unknown>): Promise<unknown> {
  const lane = await openFixture(name);
  const { answer } = await lane.request(method, params);
  await lane.close();
  return answer?.error ?? answer?.result;
}

/** What a 2025 client is told when it opens a session at this path. */
export async function initialize(path: '/legacy/mcp' | '/mcp'): Promise<Record<string, unknown>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'wire', version: '1.0.0' } };
  const response = await send(
    new Request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    }),
  );
  return (await readReply(response, 1)).answer?.result ?? {};
}
