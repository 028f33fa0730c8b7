/** Reads a response's messages one by one while it is still open, JSON or SSE. Never waits for the end of a stream. */
import { messagesIn, type Message } from './wire.ts';

export class MessageReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #contentType: string;
  readonly #decoder = new TextDecoder();
  readonly #ready: Message[] = [];
  #buffer = '';

  constructor(response: Response) {
    this.#reader = response.body?.getReader();
    this.#contentType = response.headers.get('content-type') ?? '';
  }

  /** The next message, or undefined at the end of the response. */
  async next(): Promise<Message | undefined> {
    while (this.#ready.length === 0) {
      const { done, value } = (await this.#reader?.read()) ?? { done: true, value: undefined };
      this.#buffer += done ? this.#decoder.decode() : this.#decoder.decode(value, { stream: true });
      if (done && this.#buffer === '') return undefined;
      // An event ends with an empty line; JSON ends with the response.
      const end = done || !this.#contentType.includes('event-stream') ? this.#buffer.length : this.#endOfEvents();
      if (!done && !this.#contentType.includes('event-stream')) continue;
      this.#ready.push(...messagesIn(this.#buffer.slice(0, end), this.#contentType));
      this.#buffer = this.#buffer.slice(end);
      if (done && this.#ready.length === 0) return undefined;
    }
    return this.#ready.shift();
  }

  /** Drops the response, as a client that goes away. */
  async cancel(): Promise<void> {
    await this.#reader?.cancel();
  }

  #endOfEvents(): number {
    const last = this.#buffer.lastIndexOf('\n\n');
    return last === -1 ? 0 : last + 2;
  }
}
