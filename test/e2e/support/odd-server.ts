/**
 * Servers on another origin than the page: one of SDK v2 whose list changes and holds what a browser may refuse, and
 * answers that no MCP server should give. All of it allows every page to call it, but for `/no-cors`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';

const tool = (name: string, more: object = {}): Tool => ({
  name,
  description: `Is ${name}.`,
  inputSchema: { type: 'object' },
  ...more,
});

/** What a browser or a model cannot take, beside what it can. */
const ODD: readonly Tool[] = [
  tool('first'),
  tool('has space'),
  tool('a/b'),
  tool('x'.repeat(129)),
  tool('huge', { description: 'x'.repeat(3_000_000) }),
  tool('markup', { description: '<img src=x onerror="alert(1)"> & <b>bold</b>' }),
  tool('weird-schema', { inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } }),
  { name: 'bare', inputSchema: { type: 'object' } },
  { name: 'titled', title: 'A title', inputSchema: { type: 'object' } },
  tool('taken'),
  tool('last'),
];

export interface OddServer extends AsyncDisposable {
  readonly url: string;
  /** What `/changing` lists from now on, told to whoever listens. */
  list(...names: readonly string[]): void;
  /** What `/flaky` answers from now on. */
  flaky: number;
  /** How many requests came to a path, and how many answers are still open. */
  readonly asked: Map<string, number>;
}

/** @param port Any that is free, if none is named. */
export async function startOddServer(port = 0): Promise<OddServer> {
  let changing = [tool('one'), tool('two')];
  const lists: Readonly<Record<string, () => readonly Tool[]>> = {
    '/changing': () => changing,
    '/odd': () => ODD,
    '/many': () => Array.from({ length: 500 }, (_, at) => tool(`tool-${at}`)),
    '/no-cors': () => [tool('one')],
    '/flaky': () => [tool('one')],
  };
  const handlers = new Map(Object.entries(lists).map(([path, list]) => [path, createMcpHandler(() => serverOf(list))]));
  const asked = new Map<string, number>();
  const statuses = new Map([401, 403, 410, 429, 500].map((status) => [`/${status}`, status]));
  const odd = { flaky: 503 };

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    asked.set(pathname, (asked.get(pathname) ?? 0) + (request.method === 'OPTIONS' ? 0 : 1));
    if (pathname !== '/no-cors') allow(response);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    // Accepts the request, and never answers.
    if (pathname === '/slow') return;
    if (pathname === '/html')
      return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Hello</h1>');
    const status = pathname === '/flaky' && odd.flaky !== 200 ? odd.flaky : statuses.get(pathname);
    if (status !== undefined) {
      const body = { jsonrpc: '2.0', id: null, error: { code: -32_000, message: `It is ${status}` } };
      return void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    }
    const handler = handlers.get(pathname);
    if (handler === undefined) return void response.writeHead(404).end();
    void answer(request, response, (one) => handler.fetch(one)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return Object.assign(odd, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    list: (...names: readonly string[]) => {
      changing = names.map((name) => tool(name));
      handlers.get('/changing')?.notify.toolsChanged();
    },
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  });
}

function serverOf(list: () => readonly Tool[]): Server {
  const server = new Server({ name: 'odd', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler('tools/list', () => ({ tools: [...list()] }));
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: `called ${params.name}` }],
  }));
  return server;
}

function allow(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Allow-Headers', '*, Authorization');
  response.setHeader('Access-Control-Allow-Methods', '*');
  response.setHeader('Access-Control-Expose-Headers', '*');
}

/** Between Node's requests and those of the web. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const left = new AbortController();
  response.once('close', () => left.abort());
  const answered = await handle(
    new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers: new Headers(request.headers as Record<string, string>),
      signal: left.signal,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    }),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body === null) return void response.end();
  response.flushHeaders();
  await pipeline(Readable.fromWeb(answered.body as never), response);
}
