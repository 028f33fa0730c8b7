/** The load generator, the same for every Worker: keep-alive HTTP/1.1, one request after the other a connection. */
import { Agent, request } from 'node:http';

export interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Received {
  readonly status: number;
  readonly sessionId: string | undefined;
  readonly text: string;
}

export interface Client {
  send(what: Sent): Promise<Received>;
  close(): void;
}

export function createClient(url: string, connections: number): Client {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    close: () => agent.destroy(),
    send: ({ path, headers, body }) =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            agent,
            hostname,
            port,
            path,
            method: 'POST',
            headers: { ...headers, 'content-length': Buffer.byteLength(body) },
          },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.once('error', reject);
            response.once('end', () => {
              const { statusCode = 0, headers: received } = response;
              const id = received['mcp-session-id'];
              resolve({
                status: statusCode,
                sessionId: typeof id === 'string' ? id : undefined,
                text: Buffer.concat(chunks).toString('utf8'),
              });
            });
          },
        );
        sent.once('error', reject);
        sent.end(body);
      }),
  };
}
