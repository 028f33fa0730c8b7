/**
 * What an isolate has seen and not handed over yet: like calls are one row, sessions wait for the shard that keeps them.
 * Bounded: what there is no room for is counted under "other". Pure: no I/O, no clock.
 */
import type { Batch, Began, Counted, Ended, Touched } from './rows.ts';
import { OTHER, OTHER_CLIENT, UNKNOWN_CLIENT, type Use } from './seen.ts';
import { SHARD_COUNT, shardOf } from './shards.ts';

/** Distinct rows, and as many sessions, that may wait. */
const MAX_WAITING = 2000;
/** Fewer, so that invented session ids cannot take the room of clients. */
const MAX_UNNAMED = 500;

/** A row under count. */
type Counting = { -readonly [Key in keyof Omit<Counted, 'uses'>]: Counted[Key] } & {
  readonly uses: Partial<Record<Use, number>>;
};
export type Call = Omit<Counted, 'calls' | 'firstSeenAt' | 'lastSeenAt' | 'uses'> & { readonly uses: readonly Use[] };

interface ShardPart {
  /** Calls in sessions whose client this isolate does not know. */
  readonly unnamed: Map<string, Counting>;
  readonly began: Map<string, Began>;
  readonly touched: Map<string, Touched>;
  readonly ended: Map<string, Ended>;
}

export class Buffer {
  /** Any shard may take these. */
  readonly #named = new Map<string, Counting>();
  readonly #parts: readonly ShardPart[] = Array.from({ length: SHARD_COUNT }, () => ({
    unnamed: new Map(),
    began: new Map(),
    touched: new Map(),
    ended: new Map(),
  }));
  #unnamed = 0;
  #sessions = 0;
  #untracked = 0;

  get isEmpty(): boolean {
    return this.#named.size + this.#unnamed === 0 && this.#sessions === 0 && this.#untracked === 0;
  }

  count(call: Call, at: number): void {
    const row = this.#rowOf(call, at);
    row.calls += 1;
    row.lastSeenAt = at;
    for (const use of call.uses) row.uses[use] = (row.uses[use] ?? 0) + 1;
  }

  began(session: Began): void {
    const { began, ended } = this.#partOf(session.id);
    if (!ended.has(session.id) && !this.#wait(began, session)) this.#untracked += 1;
  }

  touched(session: Touched): void {
    this.#wait(this.#partOf(session.id).touched, session);
  }

  ended(session: Ended): void {
    this.forget(session.id);
    this.#wait(this.#partOf(session.id).ended, session);
  }

  /** The session has ended, so what is left to tell of it is wrong. */
  forget(sessionId: string): void {
    const { began, touched } = this.#partOf(sessionId);
    if (began.delete(sessionId)) this.#sessions -= 1;
    if (touched.delete(sessionId)) this.#sessions -= 1;
  }

  /**
   * Takes out what this shard may have now; undefined where that is nothing.
   * @param heldMs How long unnamed calls wait: the session may have started in an isolate that is yet to tell of it.
   */
  take(shard: number, now: number, heldMs: number): Omit<Batch, 'isolate' | 'seq'> | undefined {
    const part = this.#parts[shard];
    if (part === undefined) throw new RangeError(`There is no shard ${shard}`);
    const unnamed = [...part.unnamed].filter(([, row]) => now - row.firstSeenAt >= heldMs);
    const counted = [...this.#named.values(), ...unnamed.map(([, row]) => row)];
    const [began, touched, ended] = [[...part.began.values()], [...part.touched.values()], [...part.ended.values()]];
    const untracked = this.#untracked;
    const sessions = began.length + touched.length + ended.length;
    if (counted.length + sessions + untracked === 0) return undefined;
    this.#named.clear();
    for (const [key] of unnamed) part.unnamed.delete(key);
    part.began.clear();
    part.touched.clear();
    part.ended.clear();
    this.#unnamed -= unnamed.length;
    this.#sessions -= sessions;
    this.#untracked = 0;
    return { counted, began, touched, ended, untracked };
  }

  #partOf(sessionId: string): ShardPart {
    return this.#parts[shardOf(sessionId)] as ShardPart;
  }

  #rowOf(call: Call, at: number): Counting {
    const key = keyOf(call);
    if (call.client === undefined && call.sessionId !== undefined) {
      const { unnamed } = this.#partOf(call.sessionId);
      const known = unnamed.get(key);
      if (known !== undefined) return known;
      if (this.#unnamed >= MAX_UNNAMED) return this.#rowOf({ ...call, client: UNKNOWN_CLIENT }, at);
      this.#unnamed += 1;
      return newRow(unnamed, key, call, at);
    }
    const known = this.#named.get(key);
    if (known !== undefined) return known;
    if (this.#named.size < MAX_WAITING) return newRow(this.#named, key, call, at);
    // The few of these that there can be always have room.
    const other = { ...call, client: OTHER_CLIENT, protocolVersion: '', userAgent: OTHER, reason: OTHER };
    const otherKey = keyOf(other);
    return this.#named.get(otherKey) ?? newRow(this.#named, otherKey, other, at);
  }

  #wait<Told extends { readonly id: string }>(told: Map<string, Told>, what: Told): boolean {
    if (!told.has(what.id)) {
      if (this.#sessions >= MAX_WAITING) return false;
      this.#sessions += 1;
    }
    told.set(what.id, what);
    return true;
  }
}

function newRow(rows: Map<string, Counting>, key: string, call: Call, at: number): Counting {
  const row: Counting = { ...call, calls: 0, firstSeenAt: at, lastSeenAt: at, uses: {} };
  rows.set(key, row);
  return row;
}

/** No field can hold the divider: clients' texts have no control characters left. */
const keyOf = ({ client, sessionId, era, protocolVersion, userAgent, route, lane, reason }: Call): string =>
  `${client?.name}\n${client?.version}\n${client === undefined ? sessionId : ''}\n${era}\n${protocolVersion}\n${userAgent}\n${route}\n${lane}\n${reason}`;
