/** Stands between a client and the server, changes nothing, and notes what the client does of its own accord. */
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  /** The lanes that answered, in the order of their first answer. */
  readonly lanes: readonly string[];
  /** Versions of the protocol that the client names in its headers. */
  readonly versions: readonly string[];
  /** Whether it ends its session with DELETE. */
  readonly deletes: boolean;
  /** Whether it opens a stream to listen on. */
  readonly listens: boolean;
}

export interface Watch extends AsyncDisposable {
  readonly url: string;
  seen(): Seen;
}

/** A request to this path ends the client's session behind its back. */
export const END = '/watch/end';

export async function startWatch(upstream: string): Promise<Watch> {
  const lanes = new Set<string>();
  const versions = new Set<string>();
  const methods = new Set<string>();
  const { hostname, port } = new URL(upstream);
  let session: { readonly id: string; readonly url: string } | undefined;
  const streams = new Set<ServerResponse>();

  /** Over HTTP a session ends with DELETE; over HTTP+SSE, with its stream. */
  async function end(): Promise<void> {
    for (const stream of streams) stream.destroy();
    if (session === undefined) return;
    await fetch(`${upstream}${session.url}`, { method: 'DELETE', headers: { 'mcp-session-id': session.id } });
  }

  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method = 'GET', url = '/', headers } = incoming;
    if (url === END) return void end().finally(() => outgoing.end());
    methods.add(method);
    const version = headers['mcp-protocol-version'];
    if (typeof version === 'string') versions.add(version);
    const onward = forward({ hostname, port, method, path: url, headers: { ...headers, host: `${hostname}:${port}` } });
    onward.on('response', (response) => {
      const [, lane] = /lane;desc="?(\w+)/.exec(String(response.headers['server-timing'])) ?? [];
      if (lane !== undefined && method === 'POST') lanes.add(lane);
      const id = response.headers['mcp-session-id'];
      if (typeof id === 'string') session = { id, url };
      if (method === 'GET') streams.add(outgoing);
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      outgoing.flushHeaders();
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => {
      streams.delete(outgoing);
      onward.destroy();
    });
    incoming.pipe(onward);
  };

  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: () => ({
      lanes: [...lanes],
      versions: [...versions],
      deletes: methods.has('DELETE'),
      listens: methods.has('GET'),
    }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
