/**
 * A copy of our server that can be given one fault: the shipped catalogue behind a few lines of raw JSON-RPC, over HTTP
 * or stdio, in both eras. The clock is real, so `ping` is noisy as it would be anywhere.
 * As a program: `node copy-server.ts [name of a fault]` serves stdio.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import process from 'node:process';
import { deskCatalogue } from '../../../../src/shared/desk/catalogue.ts';
import { answer, isCatalogueMethod } from '../../../../src/shared/protocol/answer.ts';
import { systemWorld } from '../../../../src/shared/world.ts';
import { fakePorts } from '../../../support/ports.ts';
import { FAULTS, type Fault, type Message } from './faults.ts';

const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, completions: {} };
const SERVER_INFO = { name: 'copy', version: '1.0.0' };
const ports = { ...fakePorts(deskCatalogue), world: systemWorld };

/** The answer to a request, with the fault in it; undefined for a notification, and for ever where the fault hangs. */
async function respond(message: Message, fault: Fault | undefined): Promise<Message | undefined> {
  if (message['id'] === undefined) return undefined;
  const right = await bodyOf(message);
  const body = fault === undefined ? right : await fault.change(message, right);
  if (body === undefined) return new Promise(() => undefined);
  return { jsonrpc: '2.0', id: message['id'], ...body };
}

async function bodyOf({ method, params }: Message): Promise<Record<string, unknown>> {
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

export interface CopyServer extends AsyncDisposable {
  readonly url: string;
}

export async function startCopy(fault?: Fault): Promise<CopyServer> {
  return startHttp(async (message, response) => {
    const said = await respond(message, fault);
    if (said === undefined) response.writeHead(202).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
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
  const fault = FAULTS.find(({ name }) => name === process.argv[2]);
  createInterface({ input: process.stdin }).on('line', (line) => {
    void respond(JSON.parse(line) as Message, fault).then((said) => {
      if (said !== undefined) process.stdout.write(`${JSON.stringify(said)}\n`);
    });
  });
}
