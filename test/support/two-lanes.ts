/**
 * A small MCP server with two lanes at two paths, as far as a comparison sees one: it says its lane in `Server-Timing`,
 * lists one tool that adds, and can be given another version, another description or another lane while it runs.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface TwoLanes extends AsyncDisposable {
  readonly url: string;
  version: string;
  description: string;
  /** What each path calls its lane. */
  readonly lanes: { '/legacy/mcp': string; '/mcp': string };
}

interface Sum {
  readonly a?: unknown;
  readonly b?: unknown;
}

export async function startTwoLanes(): Promise<TwoLanes> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const lane = served.lanes[request.url as keyof TwoLanes['lanes']];
      if (lane === undefined || request.method !== 'POST') return response.writeHead(404).end();
      const {
        id,
        method = '',
        params,
      } = JSON.parse(body) as {
        id?: number;
        method?: string;
        params?: { arguments?: Sum };
      };
      if (id === undefined) return response.writeHead(202).end();
      response.setHeader('server-timing', `lane;desc="${lane}", reason;desc="flag"`);
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...answerTo(method, params?.arguments ?? {}, served) }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const served: TwoLanes = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    version: '1.0.0',
    description: 'Adds two whole numbers.',
    lanes: { '/legacy/mcp': 'legacy', '/mcp': 'compat' },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return served;
}

function answerTo(method: string, { a, b }: Sum, { version, description }: TwoLanes): object {
  if (method === 'initialize')
    return {
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'two-lanes', version },
      },
    };
  if (method === 'tools/list')
    return {
      result: {
        tools: [
          {
            name: 'add',
            description,
            annotations: { readOnlyHint: true },
            inputSchema: {
              type: 'object',
              properties: { a: { type: 'integer' }, b: { type: 'integer' } },
              required: ['a', 'b'],
            },
          },
        ],
      },
    };
  if (method !== 'tools/call') return { error: { code: -32601, message: 'Method not found' } };
  return Number.isInteger(a) && Number.isInteger(b)
    ? { result: { content: [{ type: 'text', text: String(Number(a) + Number(b)) }] } }
    : { result: { content: [{ type: 'text', text: 'Invalid arguments' }], isError: true } };
}
