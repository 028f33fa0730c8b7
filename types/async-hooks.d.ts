/** The one class of `node:async_hooks` that the Worker uses, for the projects that have no types of Node.js. */
export declare class AsyncLocalStorage<T> {
  run<R>(store: T, callback: () => R): R;
  getStore(): T | undefined;
}
