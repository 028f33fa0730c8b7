/**
 * Removes a session that nobody uses: an `McpAgent` by itself keeps an abandoned session for ever, and clients rarely
 * send DELETE. The time of the last use is written seldom, so a session ends between one and 1.2 idle times after it.
 */

const USED_AT_KEY = 'session-used-at';

/** What the expiry asks of its agent. */
export interface ExpiringSession {
  /** Calls `check` at that time, also after the agent was put to sleep. */
  wakeAt(at: Date): Promise<void>;
  end(): Promise<void>;
}

export class SessionExpiry {
  readonly #storage: DurableObjectStorage;
  readonly #idleMs: number;
  readonly #session: ExpiringSession;
  /** The last use that this object wrote since it woke. */
  #notedAt = 0;

  constructor(storage: DurableObjectStorage, idleMs: number, session: ExpiringSession) {
    this.#storage = storage;
    this.#idleMs = idleMs;
    this.#session = session;
  }

  /** Undefined before the first use, and after the end. */
  get begun(): number | undefined {
    return this.#storage.kv.get<number>(USED_AT_KEY);
  }

  /** True where the next use is to be written: the last one is a tenth of the idle time ago, or there was none. */
  get isQuiet(): boolean {
    const usedAt = this.begun;
    return usedAt === undefined || Date.now() - usedAt >= this.#idleMs / 10;
  }

  /** Notes that the session is used. Writes at most once in a tenth of the idle time. */
  async used(): Promise<void> {
    const now = Date.now();
    if (now - this.#notedAt < this.#idleMs / 10 || !this.isQuiet) return;
    this.#notedAt = now;
    const isFirst = this.begun === undefined;
    this.#storage.kv.put(USED_AT_KEY, now);
    if (isFirst) await this.#session.wakeAt(new Date(this.#endAfter(now)));
  }

  /** @param connected True while a client holds a stream open, which is a use. */
  async check(connected: boolean): Promise<void> {
    const now = Date.now();
    if (connected) this.#storage.kv.put(USED_AT_KEY, now);
    const usedAt = this.begun;
    const endAt = usedAt === undefined ? now : this.#endAfter(usedAt);
    if (now < endAt) await this.#session.wakeAt(new Date(endAt));
    else await this.#session.end();
  }

  /** The last use may have been a tenth of the idle time after the one that was written. */
  #endAfter(usedAt: number): number {
    return usedAt + this.#idleMs + Math.ceil(this.#idleMs / 10);
  }
}
