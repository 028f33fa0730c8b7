/** When a call ends: a deadline that can be paused, so that a user's thinking time is not the tool's, and the end itself. */

export class Deadline {
  /** Resolves when the time is used up. Never rejects. */
  readonly passed: Promise<void>;
  #resolve: () => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leftMs: number;
  #startedAt = 0;
  #pauses = 0;
  #armed = false;

  constructor(limitMs: number) {
    this.#leftMs = limitMs;
    this.passed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Starts the watch, once. Until then no timer is set, for a timer costs as much as a small tool. */
  arm(): void {
    this.#armed = true;
    if (this.#pauses === 0) this.#start();
  }

  /** Stops the clock until each pause has been resumed. */
  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1 || !this.#armed) return;
    this.#leftMs -= Date.now() - this.#startedAt;
    this.stop();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0 && this.#armed) this.#start();
  }

  /** Ends the watch without passing; the isolate must not be kept awake by a call that is over. */
  stop(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #start(): void {
    this.#startedAt = Date.now();
    this.#timer = setTimeout(this.#resolve, Math.max(0, this.#leftMs));
  }
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The end of a call, by itself or by its client. Most tools never look at the signal, so it is made for those that do. */
export class Ending {
  readonly #client: AbortSignal;
  #ended = false;
  #made: { readonly controller: AbortController; readonly signal: AbortSignal } | undefined;

  constructor(client: AbortSignal) {
    this.#client = client;
  }

  get isOver(): boolean {
    return this.#ended || this.#client.aborted;
  }

  /** Aborts when the call is over, however it ended. */
  get signal(): AbortSignal {
    if (this.#made === undefined) {
      const controller = new AbortController();
      this.#made = { controller, signal: AbortSignal.any([this.#client, controller.signal]) };
      if (this.#ended) controller.abort();
    }
    return this.#made.signal;
  }

  end(): void {
    this.#ended = true;
    this.#made?.controller.abort();
  }
}
