/**
 * Answers that are waited for on a wire that carries all messages in one stream. Gives every message to the request that
 * it answers, answers the server's own requests with "not supported", and fails all that wait when the stream ends.
 */
import { isPlainObject } from '../../../src/shared/json.ts';
import { MAX_OTHER_MESSAGES, WireFault } from './wire.ts';

interface Waiting {
  readonly resolve: (message: unknown) => void;
  readonly reject: (fault: WireFault) => void;
}

export class Pending {
  readonly #waiting = new Map<number, Waiting>();
  readonly #reply: (message: object) => void;
  #failed: WireFault | undefined;
  #others = 0;

  /** @param reply Sends a message to the server. */
  constructor(reply: (message: object) => void) {
    this.#reply = reply;
  }

  get failed(): WireFault | undefined {
    return this.#failed;
  }

  wait(id: number, method: string, timeoutMs: number): Promise<unknown> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new WireFault('no_answer', `no answer to ${method} within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#waiting.set(id, {
        resolve: (message) => {
          clearTimeout(timer);
          resolve(message);
        },
        reject: (fault) => {
          clearTimeout(timer);
          reject(fault);
        },
      });
    });
  }

  deliver(message: unknown): void {
    if (!isPlainObject(message)) return this.fail(new WireFault('garbage', 'a message is not a JSON-RPC object'));
    const { id, method } = message;
    if (typeof method === 'string') return this.#other(id, method);
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    // A late answer to a request that timed out is nobody's any more.
    if (waiting === undefined) return this.#other(undefined, 'a response to nothing');
    this.#others = 0;
    this.#waiting.delete(id as number);
    waiting.resolve(message);
  }

  fail(fault: WireFault): void {
    this.#failed ??= fault;
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
  }

  #other(id: unknown, method: string): void {
    this.#others += 1;
    if (this.#others > MAX_OTHER_MESSAGES)
      return this.fail(new WireFault('flood', `more than ${MAX_OTHER_MESSAGES} messages came that answer nothing`));
    if (id !== undefined) this.#reply(replyTo(id, method));
  }
}

/** No capability is declared, so a server has nothing to ask but whether somebody is there. */
export function replyTo(id: unknown, method: string): object {
  return method === 'ping'
    ? { jsonrpc: '2.0', id, result: {} }
    : { jsonrpc: '2.0', id, error: { code: -32601, message: `Not supported: ${method}` } };
}
