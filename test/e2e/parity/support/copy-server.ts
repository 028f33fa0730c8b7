/**
 * A copy of our server that can be given faults: the shipped catalogue behind a few lines of raw JSON-RPC, over HTTP
 * or stdio, in both eras. The clock is real, so `ping` is noisy as it would be anywhere.
 * As a program: `node copy-server.ts [names of faults]` serves stdio.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import process from 'node:process';
import { deskCatalogue } from '../../../../examples/desk/catalogue.ts';
import { isPlainObject } from '../../../../src/shared/json.ts';
import { answer, isCatalogueMethod } from '../../../../src/shared/protocol/answer.ts';
import { systemWorld } from '../../../../src/shared/world.ts';
import { fakePorts } from '../../../support/ports.ts';
import { CRASH, FAULTS, HANG, type Fault, type Message, type Reply } from './faults.ts';

const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, completions: {} };
const SERVER_INFO = { name: 'copy', version: '1.0.0' };
/** The state of one session. */
type Ports = ReturnType<typeof newPorts>;
const newPorts = () => ({ ...fakePorts(deskCatalogue), world: systemWorld });

/** The answer to a request, with the faults in it; undefined for a notification. */
async function respond(
  message: Message,
  faults: readonly Fault[],
  ports: Ports,
  session: string,
): Promise<Reply | undefined> {
  if (message['id'] === undefined) return undefined;
  let reply: Reply = envelope(message, await bodyOf(message, ports));
  for (const { change } of faults) {
    if (reply === HANG || reply === CRASH || change === undefined) continue;
    reply = await change(message, reply, session);
  }
  return reply;
}

async function bodyOf({ method, params }: Message, ports: Ports): Promise<Record<string, unknown>> {
  const described = { capabilities: CAPABILITIES, serverInfo: SERVER_INFO, instructions: 'A copy.' };
  if (method === 'initialize') return { result: { protocolVersion: '2025-11-25', ...described } };
  if (method === 'server/discover') return { result: { supportedVersions: ['2026-07-28'], ...described } };
  if (typeof method !== 'string' || !isCatalogueMethod(method))
    return { error: { code: -32601, message: 'Method not found' } };
  const answered = await answer(deskCatalogue, method, params, ports);
  return answered.kind === 'error'
    ? { error: answered.error }
    : { result: 'result' in answered ? answered.result : {} };
}

const CACHEABLE = /^(server\/discover|(tools|prompts|resources|resources\/templates)\/list|resources\/read)$/;

/** What the 2026 era asks of every result. */
function envelope({ method, params }: Message, body: Record<string, unknown>): Record<string, unknown> {
  const meta = isPlainObject(params) ? params['_meta'] : undefined;
  const modern = isPlainObject(meta) && 'io.modelcontextprotocol/protocolVersion' in meta;
  if (!modern || !isPlainObject(body['result'])) return body;
  const cache = CACHEABLE.test(String(method)) ? { ttlMs: 0, cacheScope: 'private' } : {};
  return { result: { resultType: 'complete', ...cache, ...body['result'] } };
}

export interface CopyServer extends AsyncDisposable {
  readonly url: string;
}

export async function startCopy(...faults: readonly Fault[]): Promise<CopyServer> {
  const sessions = new Map<string, Ports>();
  const common = newPorts();
  return startHttp(async (message, response, request) => {
    if (faults.some(({ http }) => http?.(message, response) === true)) return;
    const session = message['method'] === 'initialize' ? randomUUID() : String(request.headers['mcp-session-id'] ?? '');
    if (message['method'] === 'initialize') sessions.set(session, newPorts());
    const mixedUp = faults.find(({ sessionOf }) => sessionOf !== undefined)?.sessionOf;
    const named = mixedUp?.(session, [...sessions.keys()]) ?? session;
    const said = await respond(message, faults, sessions.get(named) ?? common, session);
    if (said === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (said === CRASH) response.destroy();
    if (said === CRASH || said === HANG) return;
    const text = (body: Message): string => JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...body });
    const headers = message['method'] === 'initialize' ? { 'mcp-session-id': session } : {};
    const twice = said['twice'];
    if (isPlainObject(twice))
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end([twice, twice].map((each) => `data: ${text(each)}\n\n`).join(''));
    else response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text(said));
  });
}

/** A loopback server that hands every posted message to a function. */
export async function startHttp(
  handle: (message: Message, response: ServerResponse, request: IncomingMessage) => Promise<void> | void,
): Promise<CopyServer> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      void handle(text === '' ? {} : (JSON.parse(text) as Message), response, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

if (import.meta.main) {
  const faults = FAULTS.filter(({ name }) => process.argv.slice(2).includes(name));
  const ports = newPorts();
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    void respond(message, faults, ports, 'stdio').then((said) => {
      if (said === CRASH) process.kill(process.pid, 'SIGKILL');
      if (said === undefined || said === HANG || said === CRASH) return;
      const twice = said['twice'];
      for (const body of isPlainObject(twice) ? [twice, twice] : [said])
        process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...body })}\n`);
    });
  });
}
