/** What an isolate remembers by a text, up to a number of them; the oldest makes room. Pure. */

const DEFAULT_MOST = 10_000;

export class RecentMap<T> {
  readonly #values = new Map<string, T>();
  readonly #most: number;

  constructor(most = DEFAULT_MOST) {
    this.#most = most;
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.size > this.#most ? this.#values.keys() : [];
    if (oldest !== undefined) this.#values.delete(oldest);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }
}
