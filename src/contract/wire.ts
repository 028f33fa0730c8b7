/**
 * The three lanes as raw HTTP, without any SDK: what a test sends is exactly what it says, and what it sees is exactly
 * what came back. Runs in workerd and in Node.
 */

/** Sends a request, as `fetch` does. */
export type Send = (request: Request) => Promise<Response>;
/** How a request can be served. */
export type LaneName = 'legacy' | 'compat' | 'modern';
/**
 * The lanes of a Worker: with a session, without one for 2025 clients, and for 2026-07-28 clients.
 *
 * @example
 * ```ts
 * for (const name of LANE_NAMES) {
 *   const lane = await openLane(name, { origin: 'http://localhost:8787', send: fetch });
 *   await lane.close();
 * }
 * ```
 */
export const LANE_NAMES = ['legacy', 'compat', 'modern'] as const satisfies readonly LaneName[];

/** A JSON-RPC message as it came. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What came back for one request. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The response to the request, if one came. */
  readonly answer: Message | undefined;
  /** Everything else that came on the same stream, in order. */
  readonly others: readonly Message[];
}

/** One lane, opened as a client opens it. */
export interface Lane {
  readonly name: LaneName;
  readonly sessionId: string | undefined;
  /** Sends one request and waits for its answer or for the end of the stream. */
  request(method: string, params?: Record<string, unknown>, meta?: Record<string, unknown>): Promise<Reply>;
  /** The same, but gives the response as it comes. */
  open(method: string, params?: Record<string, unknown>, meta?: Record<string, unknown>): Promise<Response>;
  /** Posts any body with this lane's headers. */
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** Where the lanes of a Worker are, and as who they are called. */
export interface WireOptions {
  readonly origin: string;
  readonly send: Send;
  /** What the client says that it can do. */
  readonly capabilities?: Record<string, unknown>;
  /** The paths of the Worker, if not `/mcp` and `/legacy/mcp`. */
  readonly paths?: Partial<WirePaths>;
  /** Sent along with every request, such as `authorization`. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The paths of the two routes. */
export interface WirePaths {
  readonly mcp: string;
  readonly legacy: string;
}

const PATHS: WirePaths = { mcp: '/mcp', legacy: '/legacy/mcp' };

const CLIENT = { name: 'wire', version: '1.0.0' } as const;
export const ENVELOPE = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
} as const;
const BASE_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } as const;

/**
 * Opens a lane as a client does: with `initialize` on the two of the 2025 era.
 *
 * @throws Error if `initialize` was refused.
 * @example
 * ```ts
 * const lane = await openLane('modern', { origin: 'http://localhost:8787', send: fetch });
 * const { answer } = await lane.request('tools/list');
 * await lane.close();
 * ```
 */
export async function openLane(name: LaneName, options: WireOptions): Promise<Lane> {
  return name === 'modern' ? modernLane(options) : sessionLane(name, options);
}

async function sessionLane(
  name: 'legacy' | 'compat',
  { origin, send, capabilities = {}, paths, headers }: WireOptions,
): Promise<Lane> {
  const url = `${origin}${{ ...PATHS, ...paths }[name === 'legacy' ? 'legacy' : 'mcp']}`;
  const base: Record<string, string> = { ...BASE_HEADERS, ...headers };
  let id = 0;
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    send(
      new Request(url, {
        method: 'POST',
        headers: { ...base, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );

  const first = await post({
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities, clientInfo: CLIENT },
  });
  const { answer } = await readReply(first, 'init');
  if (answer?.result === undefined)
    throw new Error(`${name}: initialize was answered with ${first.status} ${JSON.stringify(answer)}`);
  const sessionId = first.headers.get('mcp-session-id') ?? undefined;
  if (sessionId !== undefined) base['mcp-session-id'] = sessionId;
  base['mcp-protocol-version'] = '2025-11-25';
  await (await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).body?.cancel();

  const open = (
    requestId: number,
    method: string,
    params: Record<string, unknown> = {},
    meta?: Record<string, unknown>,
  ): Promise<Response> =>
    post({ jsonrpc: '2.0', id: requestId, method, params: { ...params, ...(meta !== undefined && { _meta: meta }) } });
  return {
    name,
    sessionId,
    post,
    open: (method, params, meta) => open((id += 1), method, params, meta),
    request: async (method, params, meta) => {
      const requestId = (id += 1);
      return readReply(await open(requestId, method, params, meta), requestId);
    },
    close: async () => {
      if (sessionId !== undefined)
        await (await send(new Request(url, { method: 'DELETE', headers: base }))).body?.cancel();
    },
  };
}

function modernLane({ origin, send, capabilities = {}, paths, headers: always }: WireOptions): Lane {
  const url = `${origin}${{ ...PATHS, ...paths }.mcp}`;
  let id = 0;
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    send(
      new Request(url, {
        method: 'POST',
        headers: { ...BASE_HEADERS, 'mcp-protocol-version': '2026-07-28', ...always, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
  const open = (
    requestId: number,
    method: string,
    params: Record<string, unknown> = {},
    meta: Record<string, unknown> = {},
  ): Promise<Response> => {
    const named = params['name'] ?? params['uri'];
    const _meta = {
      [ENVELOPE.version]: '2026-07-28',
      [ENVELOPE.client]: CLIENT,
      [ENVELOPE.capabilities]: capabilities,
      ...meta,
    };
    return post(
      { jsonrpc: '2.0', id: requestId, method, params: { ...params, _meta } },
      { 'mcp-method': method, ...(typeof named === 'string' && { 'mcp-name': headerText(named) }) },
    );
  };
  return {
    name: 'modern',
    sessionId: undefined,
    post,
    open: (method, params, meta) => open((id += 1), method, params, meta),
    request: async (method, params, meta) => {
      const requestId = (id += 1);
      return readReply(await open(requestId, method, params, meta), requestId);
    },
    close: () => Promise.resolve(),
  };
}

/** Header values are visible ASCII; other text travels base64-encoded (spec 2026-07-28, basic/transports). */
export function headerText(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')) return text;
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`;
}

/** Reads a response to its end, JSON or SSE, and finds the answer to a request in it. */
export async function readReply(response: Response, id: string | number | null): Promise<Reply> {
  const messages = messagesIn(await response.text(), response.headers.get('content-type') ?? '');
  const answer = messages.find(
    (message) =>
      message.method === undefined && (message.id === id || (message.id === null && message.error !== undefined)),
  );
  return {
    status: response.status,
    headers: response.headers,
    answer,
    others: messages.filter((message) => message !== answer),
  };
}

export function messagesIn(text: string, contentType: string): Message[] {
  if (text === '') return [];
  if (!contentType.includes('text/event-stream')) {
    const json = JSON.parse(text) as Message | Message[];
    return Array.isArray(json) ? json : [json];
  }
  return text
    .split('\n\n')
    .map((event) =>
      event
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice(6))
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data) as Message);
}
