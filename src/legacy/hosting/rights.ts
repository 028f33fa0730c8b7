/**
 * Keeps calls with different properties of one caller apart in one object. What `init()` registers and what it builds in
 * fields of the class may depend on `props`, so calls with other properties wait until those that run are done, and then
 * the registrations are made anew. Calls with the same properties run side by side.
 */

/** How long a call with other rights waits for those that are running. */
const MAX_WAIT_MS = 30_000;

export class Rights {
  readonly #adopt: (props: Readonly<Record<string, unknown>>) => Promise<void>;
  /** What the object is set up for. */
  #held: string | undefined;
  #running = 0;
  /** One change of rights after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #idle = Promise.withResolvers<void>();

  /** @param adopt Sets the object up for a caller's properties. */
  constructor(adopt: (props: Readonly<Record<string, unknown>>) => Promise<void>) {
    this.#adopt = adopt;
  }

  /** @returns How to leave; undefined if other calls went on for too long. */
  async enter(props: Readonly<Record<string, unknown>>): Promise<(() => void) | undefined> {
    const wanted = rightsOf(props);
    const entered = this.#turn.then(async () => this.#admit(wanted, props));
    this.#turn = entered.catch(() => undefined);
    return entered;
  }

  async #admit(wanted: string, props: Readonly<Record<string, unknown>>): Promise<(() => void) | undefined> {
    if (this.#held !== wanted) {
      if (this.#running > 0 && !(await this.#isIdleInTime())) return undefined;
      this.#held = undefined;
      await this.#adopt(props);
      this.#held = wanted;
    }
    this.#running += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#running -= 1;
      if (this.#running > 0) return;
      this.#idle.resolve();
      this.#idle = Promise.withResolvers();
    };
  }

  async #isIdleInTime(): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), MAX_WAIT_MS);
    });
    const isIdle = await Promise.race([this.#idle.promise.then(() => true), late]);
    if (timer !== undefined) clearTimeout(timer);
    return isIdle;
  }
}

/** Properties are the same if they say the same, in whatever order. */
export const rightsOf = (props: unknown): string => JSON.stringify(props, sortedKeys);

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)));
}
