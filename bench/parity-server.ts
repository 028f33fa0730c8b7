/** A server for `npm run bench:parity`, in a process of its own: every call takes as long as a quick tool does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

/** What a call of a Worker on the same machine takes, measured with one call at a time. */
const OWN_TIME_MS = 10;
const TOOL = {
  name: 'echo',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
};

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: object;
}

function resultOf({ method, params }: Message): object {
  if (method === 'initialize')
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'bench', version: '1' } };
  if (method === 'tools/list') return { tools: [TOOL] };
  return { content: [{ type: 'text', text: JSON.stringify(params) }] };
}

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  request.on('end', () => {
    const message = JSON.parse(text) as Message;
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) });
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), OWN_TIME_MS);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().once('end', () => {
  server.close();
  server.closeAllConnections();
});
