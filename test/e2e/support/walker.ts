/**
 * A real client that counts, one call after the other, at whatever address its server has just now. Each count must be one
 * more than the last one that was acknowledged; only a call that was cut short may have happened or not.
 */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** SDK v1; SDK v2 with the 2025 protocols; SDK v2 with the newest protocol that the server has. */
export const WALKER_KINDS = ['v1', 'v2', 'newest'] as const;
export type WalkerKind = (typeof WALKER_KINDS)[number];

/** Where the server is. While it is being started again, whoever asks waits. */
export interface Address {
  readonly origin: Promise<string>;
}

const CALL_TIMEOUT_MS = 30_000;

export class Walker {
  readonly kind: WalkerKind;
  readonly user: string;
  /** What was acknowledged. */
  value = 0;
  /** The call before was cut short: it may have counted. */
  isUnsure = false;
  /** How often it has counted, in whatever sessions. */
  counts = 0;
  /** The lane of the last answer to a POST. */
  lane = '';
  /** What the client reported outside of its calls. */
  readonly reported: string[] = [];
  readonly #address: Address;
  #call = new AbortController();
  #client: ClientV1 | ClientV2 | undefined;

  constructor(kind: WalkerKind, user: string, address: Address) {
    this.kind = kind;
    this.user = user;
    this.#address = address;
  }

  /** Begins anew: with no session, and so with a count that is not known, unless it goes on with what is its user's. */
  async connect(): Promise<void> {
    const info = { name: 'walker', version: '1.0.0' };
    const url = new URL('http://walk.invalid/mcp');
    const options = {
      fetch: async (to: string | URL, init?: RequestInit) => this.#send(new URL(to), init),
      requestInit: { headers: { 'x-user': this.user } },
    };
    const client =
      this.kind === 'v1'
        ? new ClientV1(info)
        : new ClientV2(info, { versionNegotiation: { mode: this.kind === 'newest' ? 'auto' : 'legacy' } });
    client.onerror = (cause) => void this.reported.push(cause.message);
    await (client instanceof ClientV1
      ? client.connect(new TransportV1(url, options))
      : client.connect(new TransportV2(url, options)));
    this.#client = client;
  }

  /** Adds one. @throws if the answer is anything but one more than the last. */
  async count(): Promise<void> {
    const call = { name: 'increment', arguments: {} };
    const client = this.#client;
    this.#call = new AbortController();
    const options = { signal: this.#call.signal, timeout: CALL_TIMEOUT_MS };
    if (client === undefined) throw new Error(`${this.who} is not connected`);
    const called = await (client instanceof ClientV1
      ? client.callTool(call, undefined, options)
      : client.callTool(call, options));
    const [content] = called['content'] as { text?: string }[];
    const expected = this.isUnsure ? [this.value + 1, this.value + 2] : [this.value + 1];
    const counted = expected.find((value) => content?.text === `${value} in ${value} rows`);
    if (counted === undefined) {
      throw new Error(`${this.who}: expected ${expected.join(' or ')}, not ${JSON.stringify(called)}`);
    }
    this.value = counted;
    this.isUnsure = false;
    this.counts += 1;
  }

  /** Gives the call up that is under way. */
  cut(): void {
    this.#call.abort(new Error('The server was killed'));
  }

  async close(): Promise<void> {
    await this.#client?.close();
    this.#client = undefined;
  }

  /** For whoever reads what went wrong. */
  get who(): string {
    return `${this.user} (${this.kind}, last on ${this.lane})`;
  }

  async #send(to: URL, init: RequestInit | undefined): Promise<Response> {
    const response = await fetch(new URL(to.pathname, await this.#address.origin), init);
    if (init?.method === 'POST') {
      // What the package answers by itself says no lane.
      this.lane = /lane;desc="(\w+)"/.exec(response.headers.get('server-timing') ?? '')?.[1] ?? 'legacy';
    }
    return response;
  }
}
