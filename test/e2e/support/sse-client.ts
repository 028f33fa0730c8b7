/** A simulated client of the HTTP+SSE transport that counts, with the stream that its answers come on held open. */
import { messagesIn, type Message } from '../../support/wire.ts';
import type { Identity, Ledger } from './ledger.ts';

const ROUTE = '/legacy/sse';

export class SseClient {
  readonly identity: Identity;
  value = 0;
  handle = '';
  readonly #ledger: Ledger;
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = '';
  #endpoint = '';
  #id = 0;

  private constructor(ledger: Ledger, identity: Identity, reader: ReadableStreamDefaultReader<string>) {
    this.#ledger = ledger;
    this.identity = identity;
    this.#reader = reader;
  }

  static async open(ledger: Ledger, identity: Identity): Promise<SseClient> {
    const headers = { accept: 'text/event-stream', 'user-agent': identity.userAgent };
    const response = await fetch(`${ledger.origin}${ROUTE}`, { headers });
    ledger.saw(undefined, ROUTE, response);
    if (response.body === null || !response.ok) throw new Error(`${identity.userAgent}: ${response.status}`);
    const decoded = response.body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
    const client = new SseClient(ledger, identity, decoded.getReader());
    client.#endpoint = /^data: (.*)$/m.exec(await client.#event())?.[1] ?? '';
    await client.#call('initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: identity.name, version: identity.version },
    });
    ledger.began(identity, 'legacy', client.#endpoint, true);
    await client.#post({ method: 'notifications/initialized' });
    return client;
  }

  async count(): Promise<void> {
    const { result } = await this.#call('tools/call', { name: 'incrementCounter', arguments: {} });
    const counted = result?.['structuredContent'] as { value: number; handle: string } | undefined;
    if (counted?.value !== this.value + 1) {
      throw new Error(`${this.identity.userAgent}: expected ${this.value + 1}, not ${JSON.stringify(counted)}`);
    }
    Object.assign(this, counted);
    this.#ledger.counted();
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }

  async #call(method: string, params: Record<string, unknown>): Promise<Message> {
    const id = (this.#id += 1);
    await this.#post({ id, method, params });
    for (;;) {
      const answer = messagesIn(await this.#event(), 'text/event-stream').find((message) => message.id === id);
      if (answer !== undefined) return answer;
    }
  }

  async #post(message: { id?: number; method: string; params?: Record<string, unknown> }): Promise<void> {
    const response = await fetch(`${this.#ledger.origin}${this.#endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': this.identity.userAgent },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    this.#ledger.saw(response.ok ? this.identity.name : undefined, ROUTE, response);
    await response.body?.cancel();
  }

  /** The next event of the stream. */
  async #event(): Promise<string> {
    for (;;) {
      const at = this.#text.indexOf('\n\n');
      if (at >= 0) {
        const event = this.#text.slice(0, at);
        this.#text = this.#text.slice(at + 2);
        return event;
      }
      const { done, value } = await this.#reader.read();
      if (done) throw new Error(`${this.identity.userAgent}: the stream ended`);
      this.#text += value;
    }
  }
}
