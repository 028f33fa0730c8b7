/** Who listens to what a class says outside of calls, in the object that they share. Nothing of it is stored. */
import type { TransportMessage } from '../package-internals.ts';

/** What a 2026-07-28 client can listen to (spec 2026-07-28, "Subscriptions"). */
const CHANGES: ReadonlySet<unknown> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
]);

interface Listener {
  readonly uris: readonly string[];
  readonly tell: (notification: string) => Promise<void>;
  readonly end: () => void;
}

export class Listeners {
  readonly #open = new Map<string, Listener>();

  /** Settled when the listener has left. */
  listen(name: string, uris: readonly string[], tell: Listener['tell']): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open.set(name, { uris, tell, end: resolve });
    return promise;
  }

  /** False if nobody of this name listens. */
  end(name: string): boolean {
    this.#open.get(name)?.end();
    return this.#open.delete(name);
  }

  hears(uri: string): boolean {
    return [...this.#open.values()].some(({ uris }) => uris.includes(uri));
  }

  /** False if it is nothing to listen to, or nobody listens. */
  async tell({ method, params }: TransportMessage): Promise<boolean> {
    if (!CHANGES.has(method) || this.#open.size === 0) return false;
    const text = JSON.stringify({ method, params });
    const told = [...this.#open].map(async ([name, { tell }]) => {
      // Whoever cannot be told has gone.
      await tell(text).catch(() => this.end(name));
    });
    await Promise.all(told);
    return true;
  }
}
