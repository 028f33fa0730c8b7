/**
 * One HTTP exchange over kept-alive connections. Node's own client and not `fetch`: at a hundred thousand calls the
 * streams and signals of `fetch` are most of the memory and a good part of the time.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { URL } from 'node:url';

/** Servers close idle connections after five seconds or more; one that is closed while a call is on its way looks like a dead server. */
const IDLE_MS = 3_000;

export interface Sent {
  readonly method: 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One for each target, so that a slow one does not take another's connections. */
export class Exchange {
  readonly #url: URL;
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;

  constructor(url: string) {
    this.#url = new URL(url);
    const secure = this.#url.protocol === 'https:';
    const kept = { keepAlive: true, timeout: IDLE_MS };
    this.#agent = secure ? new https.Agent(kept) : new http.Agent(kept);
    this.#request = secure ? https.request : http.request;
  }

  /**
   * Sends a request and gives the response once its head is there, or gives up after a time.
   * @param use Reads the response; it is cut off when the time is up meanwhile.
   * @throws TimedOut, or what the connection failed with.
   */
  send<T>(
    { method, headers, body }: Sent,
    timeoutMs: number,
    use: (response: http.IncomingMessage) => Promise<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, agent: this.#agent, headers: { ...headers, ...length } };
      const timer = setTimeout(() => {
        const late = new TimedOut();
        reject(late);
        request.destroy(late);
      }, timeoutMs);
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        settle();
      };
      const request = this.#request(this.#url, options, (response) => {
        use(response).then(
          (value) => end(() => resolve(value)),
          (cause: unknown) => {
            end(() => reject(cause instanceof Error ? cause : new Error(String(cause))));
            response.destroy();
          },
        );
      });
      request.once('error', (cause) => end(() => reject(cause)));
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}
