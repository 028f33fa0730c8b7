/**
 * The calls of a class's own server: each is given the state of its session first, and is known to be under way until it
 * is answered, so that the state does not leave while the class's code works on it.
 */
import type { AgentTransport, TransportMessage } from './package-internals.ts';

/** How long the state is waited for while the class works on it. */
const PATIENCE_MS = 5_000;

type Id = string | number;

export class ClassCalls {
  readonly #running = new Set<unknown>();
  #over = Promise.withResolvers<void>();

  /** Counts work of the class that is no request: its schedules. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const one = {};
    this.#running.add(one);
    try {
      return await work();
    } finally {
      this.#end(one);
    }
  }

  /** Waits until the class does nothing. False if it goes on for too long. */
  async areOver(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(true), PATIENCE_MS);
    let isLate = false;
    while (this.#running.size > 0 && !isLate) {
      isLate = await Promise.race([this.#over.promise.then(() => false), late.promise]);
    }
    clearTimeout(timer);
    return this.#running.size === 0;
  }

  /**
   * Sees what an agent's transport passes to the class's server and back.
   * @param isHere Whether the state is here.
   * @param home Brings it.
   */
  watch(transport: AgentTransport, isHere: () => boolean, home: () => Promise<void>): void {
    const deliver = transport.onmessage?.bind(transport);
    const send = transport.send.bind(transport);
    // One after the other, also while the state comes: what cancels a call must not overtake it.
    let before: Promise<void> | undefined;
    const pass = (message: TransportMessage, extra: unknown): void => {
      if (isRequest(message) && message.method !== INITIALIZE) this.#running.add(message.id);
      if (message.method === 'notifications/cancelled') this.#end(cancelled(message));
      deliver?.(message, extra);
    };
    const passLater = async (message: TransportMessage, extra: unknown): Promise<void> => {
      try {
        while (!isHere()) await home();
        pass(message, extra);
      } catch {
        // It was reported where it is known.
        if (isRequest(message)) await send({ jsonrpc: '2.0', id: message.id, error: UNREACHABLE });
      }
    };
    transport.onmessage = (message, extra) => {
      // An agent that wakes answers its `initialize` once more, whoever has its state. An answer is for a call under way.
      const isFree = message.method === undefined || message.method === INITIALIZE;
      if (isFree || (before === undefined && isHere())) return pass(message, extra);
      const mine = (before ?? Promise.resolve()).then(() => passLater(message, extra));
      before = mine;
      void mine.finally(() => {
        if (before === mine) before = undefined;
      });
    };
    transport.send = async (message, options) => {
      await send(message, options);
      const { id, method } = message as TransportMessage;
      if (method === undefined) this.#end(id);
    };
  }

  #end(one: unknown): void {
    if (!this.#running.delete(one) || this.#running.size > 0) return;
    this.#over.resolve();
    this.#over = Promise.withResolvers<void>();
  }
}

const INITIALIZE = 'initialize';

const UNREACHABLE = {
  code: -32_603,
  message: 'The state of this session cannot be reached now. Nothing is known to have changed; try again.',
} as const;

const isRequest = (message: TransportMessage): message is TransportMessage & { readonly id: Id } =>
  message.method !== undefined && message.id !== undefined && message.id !== null;

const cancelled = ({ params }: TransportMessage): Id | undefined =>
  (params as { readonly requestId?: Id } | undefined)?.requestId;
