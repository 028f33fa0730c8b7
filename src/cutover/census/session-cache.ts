/** Whose sessions the isolate has seen, so that a call in a session is counted for its client without a look-up. Pure. */
import type { SessionLane } from './rows.ts';
import type { Client } from './seen.ts';

const MAX_SESSIONS = 5000;
/** So many that were not used yet have room in any case; more of them give way first. */
const MIN_UNUSED = 1000;

interface Known {
  client: Client | undefined;
  /** When the shard was last told that the session is used, and of which lane. */
  toldAt: number;
  toldLane: SessionLane | undefined;
}

/**
 * Two halves, in which the session that was used longest ago comes first and goes first. Anybody can begin sessions and
 * invent ids, so a session is at home only when it has a client and is used: what is merely new cannot take its place.
 */
export class SessionCache {
  readonly #unused = new Map<string, Known>();
  readonly #used = new Map<string, Known>();

  name(id: string, client: Client): void {
    this.#reach(id).client = client;
  }

  forget(id: string): void {
    this.#unused.delete(id);
    this.#used.delete(id);
  }

  clientOf(id: string): Client | undefined {
    return (this.#used.get(id) ?? this.#unused.get(id))?.client;
  }

  /** True where the shard should be told that this lane has served the session, which it is then taken to be. */
  isNews(id: string, lane: SessionLane, at: number, everyMs: number): boolean {
    const known = this.#reach(id);
    if (known.client !== undefined && this.#unused.delete(id)) this.#used.set(id, known);
    return this.#told(known, lane, at, everyMs);
  }

  /** The session begins, of which the shard is told anyhow. */
  began(id: string, client: Client | undefined, lane: SessionLane, at: number): void {
    const known = this.#reach(id);
    known.client ??= client;
    this.#told(known, lane, at, 0);
  }

  #told(known: Known, lane: SessionLane, at: number, everyMs: number): boolean {
    if (known.toldLane === lane && at - known.toldAt < everyMs) return false;
    known.toldAt = at;
    known.toldLane = lane;
    return true;
  }

  #reach(id: string): Known {
    const half = this.#used.has(id) ? this.#used : this.#unused;
    const known = half.get(id) ?? { client: undefined, toldAt: 0, toldLane: undefined };
    half.delete(id);
    half.set(id, known);
    if (this.#used.size + this.#unused.size > MAX_SESSIONS) {
      const crowded = this.#unused.size > MIN_UNUSED ? this.#unused : this.#used;
      for (const oldest of crowded.keys()) {
        crowded.delete(oldest);
        break;
      }
    }
    return known;
  }
}
