/**
 * Gives a target the rest that it asks for. A response that refuses with `Retry-After` (RFC 9110, 10.2.3) is no answer:
 * everything for that target waits until then, fewer calls go side by side afterwards, and the refused one is sent again.
 * One for each target and run, since servers count clients and not sessions.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { WireFault } from './wire.ts';

/** A longer rest than this is no rest but an end. */
const LONGEST_MS = 60_000;
/** All rests of one target together. */
const ALL_MS = 10 * 60_000;
/** A call that is refused so often is not sent again. */
const MOST_TRIES = 6;
/** After so many answers in a row one more call may go side by side. */
const ANSWERS_FOR_ONE_MORE = 10;

export class Throttle {
  readonly #onWait: (ms: number, why: string) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: (() => void)[] = [];
  #until = 0;
  #rested = 0;
  #running = 0;
  #most = Number.POSITIVE_INFINITY;
  #answers = 0;

  /** @param signal Ends every wait. */
  constructor(onWait: (ms: number, why: string) => void = () => undefined, signal?: AbortSignal) {
    this.#onWait = onWait;
    this.#signal = signal;
  }

  /** @throws what `work` throws, when waiting does not help. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      await this.#enter();
      try {
        const value = await work();
        this.#answers += 1;
        if (this.#answers % ANSWERS_FOR_ONE_MORE === 0) this.#most += 1;
        return value;
      } catch (thrown) {
        if (!(thrown instanceof WireFault) || !this.#rests(thrown, tries)) throw thrown;
      } finally {
        this.#running -= 1;
        this.#waiting.shift()?.();
      }
    }
  }

  /** True when the refused call is to be sent again, after the rest. */
  #rests({ retryAfterMs, message }: WireFault, tries: number): boolean {
    if (retryAfterMs === undefined || retryAfterMs > LONGEST_MS || tries >= MOST_TRIES) return false;
    const now = performance.now();
    // Calls that went out together are refused together, and that is one rest.
    const until = now + Math.max(retryAfterMs, 50);
    const more = until - Math.max(now, this.#until);
    if (more > 0) {
      if (this.#rested + more > ALL_MS) return false;
      if (now >= this.#until) this.#most = Math.max(1, Math.floor(Math.min(this.#most, this.#running) / 2));
      this.#rested += more;
      this.#until = until;
      this.#answers = 0;
      this.#onWait(more, message);
    }
    return true;
  }

  async #enter(): Promise<void> {
    for (;;) {
      const rest = this.#until - performance.now();
      if (rest > 0) {
        await delay(rest, undefined, this.#signal === undefined ? {} : { signal: this.#signal }).catch(() => {
          this.#waiting.shift()?.();
          throw new WireFault('interrupted', 'interrupted while the server asked to wait');
        });
      } else if (this.#running < this.#most) {
        this.#running += 1;
        return;
      } else
        await new Promise<void>((resolve) => {
          this.#waiting.push(resolve);
        });
    }
  }
}

/** Seconds or a date, as RFC 9110 has it; undefined for anything else. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
