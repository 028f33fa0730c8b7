/**
 * The way to one server: connected when it is needed, in the newest era that the server has, and again when the server no
 * longer knows the session, the era or the URL. A request that was refused for that has not run, so it is sent once more.
 */
import type { CallToolResult, Client, StreamableHTTPClientTransport, Tool } from '@modelcontextprotocol/client';
import { Deadlines } from './deadline.ts';
import { createSending } from './headers.ts';
import type { ServerToolsOptions } from './options.ts';
import { codeOf, NoClientError, statusOf } from './problem.ts';

export interface Connection {
  readonly url: URL;
  readonly era: 'modern' | 'legacy' | undefined;
  retryAfterMs(): number | undefined;
  listTools(): Promise<readonly Tool[]>;
  callTool(name: string, input: Record<string, unknown>, stop: AbortSignal): Promise<CallToolResult>;
  /** Ends the session and closes what is open; the next request connects anew. */
  drop(): Promise<void>;
}

export interface ConnectionOptions extends ServerToolsOptions {
  readonly address: URL;
  readonly timeoutMs: number;
  /** Ends everything. */
  readonly ended: AbortSignal;
  /** The server may list other tools now. `lost`: changes are not told any more over this connection. */
  readonly onListChange: (how: 'told' | 'lost') => void;
}

interface Connected {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

/** How long the end of a session is waited for. */
const END_MS = 2_000;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const UNSUPPORTED_VERSION = -32_022;

export function createConnection(options: ConnectionOptions): Connection {
  const { ended, ask } = options;
  const deadlines = new Deadlines(options.timeoutMs);
  let url = options.address;
  let successor: URL | undefined;
  let current: Promise<Connected> | undefined;
  let era: Connection['era'];
  const sending = createSending(options, (method, response) => {
    if (response.status === 410) successor = successorOf(response, url);
    // The stream that tells of changes has ended with its session.
    if (method === 'GET' && response.status === 404) options.onListChange('lost');
  });

  async function connect(): Promise<Connected> {
    const library = await (options.client ?? (() => import('./client.ts')))().catch((cause: unknown) => {
      throw new NoClientError('the client could not be loaded', { cause });
    });
    const client = new library.Client(
      { name: 'hybrid-mcp-webmcp', version: '0.1.0' },
      {
        capabilities: ask === undefined ? {} : { elicitation: { form: {} } },
        versionNegotiation: { mode: 'auto' },
        listChanged: { tools: { autoRefresh: false, onChanged: () => options.onListChange('told') } },
      },
    );
    if (ask !== undefined) {
      client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
        const { message, requestedSchema = {} } = params as { message: string; requestedSchema?: object };
        const signal = AbortSignal.any([mcpReq.signal, ended]);
        return deadlines.whileAsking(() => ask({ message, schema: { ...requestedSchema }, signal }));
      });
    }
    const transport = new library.StreamableHTTPClientTransport(url, {
      fetch: sending.fetch,
      // A page may be open for days: the stream is opened again for as long, ever more rarely.
      reconnectionOptions: {
        initialReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 2,
        maxReconnectionDelay: 60_000,
        maxRetries: Number.MAX_SAFE_INTEGER,
      },
    });
    try {
      await deadlines.within(ended, ({ signal, timeout }) => client.connect(transport, { signal, timeout }));
    } catch (error) {
      await end({ client, transport });
      throw error;
    }
    era = client.getProtocolEra();
    void client.autoOpenedSubscription?.closed.then((how) => {
      if (how !== 'local') options.onListChange('lost');
    });
    return { client, transport };
  }

  async function connected(): Promise<Connected> {
    if (current === undefined) {
      const connecting = connect();
      current = connecting;
      connecting.catch(() => {
        if (current === connecting) current = undefined;
      });
    }
    return current;
  }

  async function drop(): Promise<void> {
    const old = current;
    current = undefined;
    if (old !== undefined) await end(await old.catch(() => undefined));
  }

  async function again<T>(stop: AbortSignal, use: (client: Client) => Promise<T>): Promise<T> {
    const before = connected();
    try {
      return await use((await before).client);
    } catch (error) {
      if (stop.aborted || !wasRefusedUnread(error)) throw error;
      if (statusOf(error) === 410) {
        if (successor === undefined) throw error;
        url = successor;
      }
      // Whoever failed before may have connected already.
      if (current === undefined || (await before.catch(() => undefined)) === (await current.catch(() => undefined))) {
        await drop();
      }
      return use((await connected()).client);
    }
  }

  return {
    get url() {
      return url;
    },
    get era() {
      return era;
    },
    retryAfterMs: () => sending.retryAfterMs(),
    listTools: () =>
      again(ended, async (client) => {
        const { tools } = await deadlines.within(ended, ({ signal, timeout }) =>
          client.listTools({}, { signal, timeout, cacheMode: 'refresh' }),
        );
        return tools;
      }),
    callTool: (name, input, stop) =>
      again(stop, (client) => deadlines.within(stop, (within) => client.callTool({ name, arguments: input }, within))),
    drop,
  };
}

/** The server refused the request for its session, its era or its URL, before any tool ran. */
function wasRefusedUnread(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined) return status === 400 || status === 404 || status === 410;
  const code = codeOf(error);
  return code === INVALID_REQUEST || code === METHOD_NOT_FOUND || code === UNSUPPORTED_VERSION;
}

/** The URL that a server names when it has left one, if it is the server's own. */
function successorOf(response: Response, url: URL): URL | undefined {
  const [, target] = /<([^>]*)>\s*;[^,]*\brel="?successor-version"?/.exec(response.headers.get('link') ?? '') ?? [];
  const found = target === undefined ? null : URL.parse(target, url.href);
  // Headers of the page may hold a token, which is for this server only.
  return found?.origin === url.origin && found.href !== url.href ? found : undefined;
}

async function end(connected: Connected | undefined): Promise<void> {
  if (connected === undefined) return;
  const { client, transport } = connected;
  const late = new Promise((resolve) => {
    setTimeout(resolve, END_MS);
  });
  await Promise.race([transport.terminateSession().catch(() => undefined), late]);
  await client.close().catch(() => undefined);
}
