/**
 * Answers that are waited for on a wire that carries all messages in one stream. Gives every message to the request that
 * it answers, answers the server's own requests with "not supported", says when one request is answered twice, and fails
 * all that wait when the stream ends.
 */
import { isPlainObject } from '../../../src/shared/json.ts';
import { deeperThan, MOST_LEVELS } from '../../../src/parity/depth.ts';
import { excerpt, MAX_OTHER_MESSAGES, tooDeep, WireFault, type Notify, type Request } from './wire.ts';

interface Waiting {
  readonly request: Request;
  readonly resolve: (message: unknown) => void;
  readonly reject: (fault: WireFault) => void;
}

/** How many answered requests are remembered, so that a second answer can be told from an invented one. */
const REMEMBERED = 100;

export class Pending {
  readonly #waiting = new Map<number, Waiting>();
  readonly #answered = new Map<number, Request>();
  readonly #reply: (message: object) => void;
  readonly #notify: Notify;
  #failed: WireFault | undefined;
  #others = 0;
  #stray = '';

  /** @param reply Sends a message to the server. */
  constructor(reply: (message: object) => void, notify: Notify) {
    this.#reply = reply;
    this.#notify = notify;
  }

  get failed(): WireFault | undefined {
    return this.#failed;
  }

  wait(request: Request, timeoutMs: number): Promise<unknown> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    const { id, method } = request;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        const beside = this.#stray === '' ? '' : `; it said what is no JSON-RPC: ${this.#stray}`;
        reject(new WireFault('no_answer', `no answer to ${method} within ${timeoutMs} ms${beside}`));
      }, timeoutMs);
      this.#waiting.set(id, {
        request,
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

  /** One message as it came. Text that is no JSON-RPC is said and passed over, as SDK clients do. */
  read(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return this.#strayed(text);
    }
    if (!isPlainObject(message)) return this.#strayed(text);
    const { id, method } = message;
    if (typeof method === 'string') return this.#other(id, method);
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined) {
      const answered = typeof id === 'number' ? this.#answered.get(id) : undefined;
      if (answered !== undefined) this.#notify({ notice: 'answered_twice', request: answered });
      // A late answer to a request that timed out is nobody's any more.
      return this.#other(undefined, 'a response to nothing');
    }
    this.#others = 0;
    this.#waiting.delete(waiting.request.id);
    this.#answered.set(waiting.request.id, waiting.request);
    if (this.#answered.size > REMEMBERED) {
      const [oldest] = this.#answered.keys();
      if (oldest !== undefined) this.#answered.delete(oldest);
    }
    if (deeperThan(text, MOST_LEVELS)) waiting.reject(tooDeep());
    else waiting.resolve(message);
  }

  fail(fault: WireFault): void {
    this.#failed ??= fault;
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
  }

  #strayed(text: string): void {
    this.#stray = excerpt(text, 80);
    this.#notify({ notice: 'stray_output', text: this.#stray });
    this.#other(undefined, 'stray output');
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
