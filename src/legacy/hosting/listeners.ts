/** Who listens to what a class says outside of calls, in the object that they share. Nothing of it is stored. */
import type { HostingAgent } from '../../lane/hosting.ts';
import type { TransportMessage } from '../package-internals.ts';

/** What a 2026-07-28 client can listen to (spec 2026-07-28, "Subscriptions"). */
const CHANGES: ReadonlySet<unknown> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
]);

/** How an object is told of one. */
export type Listening = Parameters<HostingAgent['_listenHosted']> extends [unknown, ...infer Rest] ? Rest : never;

interface Listener {
  readonly uris: readonly string[];
  readonly tell: (notification: string) => Promise<void>;
  readonly end: () => void;
}

export class Listeners {
  readonly #open = new Map<string, Listener>();

  /**
   * Settled when the listener has left.
   * @param ask Asks the class: it may have a handler for subscriptions, as the 2025 protocols want it; without one it tells
   * of updates anyhow.
   */
  async listen(
    { name, uris }: Listening[0],
    { tell, here }: { readonly tell: Listening[1]; readonly here: Listening[2] },
    ask: (method: string, uri: string) => Promise<void>,
  ): Promise<void> {
    const { promise: left, resolve: end } = Promise.withResolvers<void>();
    this.#open.set(name, { uris, tell, end });
    for (const uri of uris) await ask('resources/subscribe', uri);
    here();
    await left;
    for (const uri of uris.filter((one) => !this.#hears(one))) await ask('resources/unsubscribe', uri);
  }

  /** False if nobody of this name listens. */
  end(name: string): boolean {
    this.#open.get(name)?.end();
    return this.#open.delete(name);
  }

  #hears(uri: string): boolean {
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
