/**
 * A time to wake at beside the package's jobs. A Durable Object has one alarm; the package sets it from its own table of
 * jobs whenever that changes, and deletes it if the table is empty. A job of ours in that table would show up among the
 * class's schedules, and the class alone could not run it.
 */
import { afterRearm, STORED } from '../package-internals.ts';

export class SecondAlarm {
  readonly #storage: DurableObjectStorage;
  readonly #wakeAt: () => number | undefined;

  /** @param wakeAt When to wake; undefined for never. Asked each time the package has set its alarm. */
  constructor(agent: object, storage: DurableObjectStorage, wakeAt: () => number | undefined) {
    this.#storage = storage;
    this.#wakeAt = wakeAt;
    afterRearm(agent, () => this.set());
  }

  /** Makes the object wake at that time, or earlier for the package. */
  async set(): Promise<void> {
    const at = this.#wakeAt();
    if (at === undefined || this.#storage.kv.get(STORED.destroyPending) !== undefined) return;
    const alarm = await this.#storage.getAlarm();
    if (alarm === null || alarm > at) await this.#storage.setAlarm(at);
  }
}
