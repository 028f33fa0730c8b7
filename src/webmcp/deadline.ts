/** The time that answers may take, which stands still while the user is asked something. */
import { LONGEST_MS } from './options.ts';

/** The client does not heed a signal everywhere, and says only that something was cancelled. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    if (signal.aborted) reject(signal.reason as Error);
  });

interface Running {
  timer: ReturnType<typeof setTimeout> | undefined;
  readonly late: AbortController;
}

export class Deadlines {
  readonly #ms: number;
  readonly #open = new Set<Running>();
  #questions = 0;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Runs some work with a signal for its deadline and a function that begins the time anew. */
  async within<T>(
    stop: AbortSignal,
    work: (options: { signal: AbortSignal; timeout: number; onprogress: () => void }) => Promise<T>,
  ): Promise<T> {
    const running: Running = { timer: undefined, late: new AbortController() };
    this.#open.add(running);
    const onprogress = (): void => this.#start(running);
    const signal = AbortSignal.any([stop, running.late.signal]);
    onprogress();
    try {
      // The client's own time would go on while the user is asked.
      return await Promise.race([work({ signal, timeout: LONGEST_MS, onprogress }), aborted(signal)]);
    } finally {
      this.#stop(running);
      this.#open.delete(running);
    }
  }

  async whileAsking<T>(ask: () => Promise<T>): Promise<T> {
    this.#questions += 1;
    for (const running of this.#open) this.#stop(running);
    try {
      return await ask();
    } finally {
      this.#questions -= 1;
      if (this.#questions === 0) for (const running of this.#open) this.#start(running);
    }
  }

  #start(running: Running): void {
    this.#stop(running);
    if (this.#questions > 0) return;
    running.timer = setTimeout(() => {
      running.late.abort(new DOMException(`There was no answer within ${this.#ms} ms.`, 'TimeoutError'));
    }, this.#ms);
  }

  #stop({ timer }: Running): void {
    if (timer !== undefined) clearTimeout(timer);
  }
}
