/**
 * One HTTP exchange over kept-alive connections. Node's own client and not `fetch`: at a hundred thousand calls the
 * streams and signals of `fetch` are most of the memory and a good part of the time.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { URL } from 'node:url';

/** Servers close connections that are idle for five seconds or more, so none is used again after less than that. */
const IDLE_MS = 3_000;
/** What a connection fails with that the server had closed before the request came. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

export interface Sent {
  readonly method: 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In place of the exchange's own; never of another origin. */
  readonly url?: URL;
}

/** One for each target, so that a slow one does not take another's connections. */
export class Exchange {
  readonly #url: URL;
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;

  readonly #reuse: boolean;
  #closed = false;

  /** @param reuse False opens a connection for every request, so that none is ever sent twice. */
  constructor(url: string, reuse: boolean) {
    this.#reuse = reuse;
    this.#url = new URL(url);
    const secure = this.#url.protocol === 'https:';
    const kept = reuse ? { keepAlive: true, timeout: IDLE_MS } : { keepAlive: false };
    this.#agent = secure ? new https.Agent(kept) : new http.Agent(kept);
    this.#request = secure ? https.request : http.request;
  }

  /**
   * Sends a request and reads its response. A kept connection that the server closed in the same moment takes a request
   * without doing anything with it, so then it is sent once more, over a new one (RFC 9112, 9.3.1).
   * @param use Reads the response; it is cut off when the time is up meanwhile.
   * @throws TimedOut, or what the connection failed with.
   */
  async send<T>(sent: Sent, timeoutMs: number, use: (response: http.IncomingMessage) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await this.#once(sent, timeoutMs, this.#agent, use);
    } catch (cause) {
      if (!(cause instanceof Stale) || this.#closed) throw cause;
      return this.#once(sent, timeoutMs - (performance.now() - startedAt), undefined, use);
    }
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }

  #once<T>(
    { method, headers, body, url = this.#url }: Sent,
    timeoutMs: number,
    agent: http.Agent | undefined,
    use: (response: http.IncomingMessage) => Promise<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, agent: agent ?? false, headers: { ...headers, ...length } };
      const timer = setTimeout(() => {
        const late = new TimedOut();
        reject(late);
        request.destroy(late);
      }, timeoutMs);
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        settle();
      };
      let answered = false;
      const request = this.#request(url, options, (response) => {
        answered = true;
        use(response).then(
          (value) => end(() => resolve(value)),
          (cause: unknown) => {
            end(() => reject(cause instanceof Error ? cause : new Error(String(cause))));
            response.destroy();
          },
        );
      });
      request.once('error', (cause: NodeJS.ErrnoException) => {
        const stale = this.#reuse && request.reusedSocket && !answered && CLOSED.has(cause.code ?? '');
        end(() => reject(stale ? new Stale(cause.message, { cause }) : cause));
      });
      request.end(body);
    });
  }
}

export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Not seen outside: the connection was closed before it took the request. */
class Stale extends Error {
  override readonly name = 'Stale';
}
