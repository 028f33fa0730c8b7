/**
 * When an unused session ends: an `McpAgent` by itself never removes an abandoned session, and clients rarely send
 * DELETE. The time of the last use is written seldom, so a session ends between one and 1.2 idle times after it.
 */
import { KEY_PREFIX } from './record.ts';

const USED_AT_KEY = `${KEY_PREFIX}used-at`;
/** Where earlier versions kept it. */
const EARLIER_KEY = 'session-used-at';

export class SessionExpiry {
  readonly #storage: DurableObjectStorage;
  readonly #idleTime: () => number | undefined;
  /** The last use that this object wrote since it woke. */
  #notedAt = 0;

  /** @param idleMs Undefined for a session that never expires. Read when it is needed. */
  constructor(storage: DurableObjectStorage, idleMs: () => number | undefined) {
    this.#storage = storage;
    this.#idleTime = idleMs;
  }

  get #idleMs(): number | undefined {
    return this.#idleTime();
  }

  /** Undefined before the first use, and after the end. */
  get usedAt(): number | undefined {
    const { kv } = this.#storage;
    return kv.get<number>(USED_AT_KEY) ?? kv.get<number>(EARLIER_KEY);
  }

  /** When the session is to end if nobody uses it; undefined if it never does. */
  get endsAt(): number | undefined {
    const usedAt = this.usedAt;
    // The last use may have been a tenth of the idle time after the one that was written.
    if (usedAt === undefined || this.#idleMs === undefined) return undefined;
    return usedAt + this.#idleMs + Math.ceil(this.#idleMs / 10);
  }

  /** True if the next use is to be written: the last one is a tenth of the idle time ago, or there was none. */
  get isQuiet(): boolean {
    const usedAt = this.usedAt;
    return usedAt === undefined || (this.#idleMs !== undefined && Date.now() - usedAt >= this.#idleMs / 10);
  }

  /**
   * Notes that the session is used. Writes at most once per tenth of the idle time.
   * @returns True if this was the first use, so that there is an end to wake for from now on.
   */
  used(): boolean {
    if (this.#idleMs === undefined) return false;
    const now = Date.now();
    if (now - this.#notedAt < this.#idleMs / 10 || !this.isQuiet) return false;
    this.#notedAt = now;
    const isFirst = this.usedAt === undefined;
    this.write(now);
    return isFirst;
  }

  write(now: number): void {
    this.#storage.kv.put(USED_AT_KEY, now);
    this.#storage.kv.delete(EARLIER_KEY);
  }

  /** To be called when the session has ended. */
  forget(): void {
    this.#storage.kv.delete(USED_AT_KEY);
    this.#storage.kv.delete(EARLIER_KEY);
  }
}
