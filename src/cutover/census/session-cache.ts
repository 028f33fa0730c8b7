/** Whose sessions the isolate has seen, so that a call in a session is counted for its client without a look-up. Pure. */
import type { SessionLane } from './rows.ts';
import type { Client } from './seen.ts';

const MAX_SESSIONS = 5000;

interface Known {
  client: Client | undefined;
  /** When the shard was last told that the session is used, and of which lane. */
  toldAt: number;
  toldLane: SessionLane | undefined;
}

export class SessionCache {
  /** The session that was used longest ago comes first, and goes first. */
  readonly #known = new Map<string, Known>();

  name(id: string, client: Client): void {
    this.#reach(id).client = client;
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  clientOf(id: string): Client | undefined {
    return this.#known.get(id)?.client;
  }

  /** True where the shard should be told that this lane has served the session, which it is then taken to be. */
  isNews(id: string, lane: SessionLane, at: number, everyMs: number): boolean {
    const known = this.#reach(id);
    if (known.toldLane === lane && at - known.toldAt < everyMs) return false;
    known.toldAt = at;
    known.toldLane = lane;
    return true;
  }

  #reach(id: string): Known {
    const known = this.#known.get(id) ?? { client: undefined, toldAt: 0, toldLane: undefined };
    this.#known.delete(id);
    this.#known.set(id, known);
    if (this.#known.size > MAX_SESSIONS) {
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest);
        break;
      }
    }
    return known;
  }
}
