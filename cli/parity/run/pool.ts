/** Works through cases with a fixed number at a time, taking each only when there is a hand free for it. */

export async function pool<T>(
  items: AsyncIterable<T> | Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let done = false;
  const hand = async (): Promise<void> => {
    while (!done) {
      const next = await iterator.next();
      if (next.done === true) done = true;
      else await work(next.value);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, hand));
  } finally {
    done = true;
    await iterator.return?.();
  }
}

/** Runs one after the other what is given to it, each under its key. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(
      key,
      mine.catch(() => undefined),
    );
    return mine;
  }
}
