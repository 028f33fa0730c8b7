/**
 * What the session layer keeps, under keys of its own. The package and a user's class never look at them, so the class
 * can go back to being served without this layer at any moment.
 */

/** Each key of ours in an agent's storage begins with this. */
export const KEY_PREFIX = 'hybrid-mcp:';

/** The key of the record of the session itself. */
export const SESSION_KEY = `${KEY_PREFIX}session`;

/** The key of handles, in the one object that keeps it. */
export const SECRET_KEY = `${KEY_PREFIX}secret`;

/** One stored value, looked up once. */
export class KeptValue<T> {
  readonly #storage: DurableObjectStorage;
  readonly #key: string;
  readonly #moveEarlier: () => void;
  #known: { readonly value: T | undefined } | undefined;

  /** @param moveEarlier Called if there is no value: moves what an earlier version has kept elsewhere to its key. */
  constructor(storage: DurableObjectStorage, key: string, moveEarlier: () => void = () => undefined) {
    this.#storage = storage;
    this.#key = key;
    this.#moveEarlier = moveEarlier;
  }

  get(): T | undefined {
    this.#known ??= { value: this.#read() };
    return this.#known.value;
  }

  set(value: T): void {
    this.#storage.kv.put(this.#key, value);
    this.#known = { value };
  }

  #read(): T | undefined {
    const value = this.#storage.kv.get<T>(this.#key);
    if (value !== undefined) return value;
    this.#moveEarlier();
    return this.#storage.kv.get<T>(this.#key);
  }
}
