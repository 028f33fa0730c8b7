/**
 * What an isolate has seen and not handed over yet: like calls are one row, sessions wait for the shard that keeps them.
 * Bounded, and by kinds: what anybody can invent (names that only begin something, refused requests, ids of compat
 * sessions) has a room of its own, and cannot take that of clients at work or of legacy sessions. What there is no room
 * for is counted under "other". Pure: no I/O, no clock.
 */
import { isCompatSessionId } from '../../state/handle.ts';
import { otherOf } from './other.ts';
import type { Batch, Began, Counted, Ended, Touched } from './rows.ts';
import { UNKNOWN_CLIENT, type Use } from './seen.ts';
import { SHARD_COUNT, shardOf } from './shards.ts';

/** Distinct rows that may wait, of each kind. */
const MAX_ROWS = 2000;
/** Calls in sessions of each kind whose client is not known. */
const MAX_UNNAMED = 500;
/** Each has an object of its own, so more do not begin in the few seconds until they are told of. */
const MAX_LEGACY_SESSIONS = 20_000;
const MAX_COMPAT_SESSIONS = 2000;

/** A row under count. */
type Counting = { -readonly [Key in keyof Omit<Counted, 'uses' | 'worked'>]: Counted[Key] } & {
  worked: number;
  readonly uses: Partial<Record<Use, number>>;
};
export type Call = Omit<Counted, 'calls' | 'worked' | 'firstSeenAt' | 'lastSeenAt' | 'uses'> & {
  readonly uses: readonly Use[];
  readonly opens?: boolean;
  readonly continues?: boolean;
};

interface ShardPart {
  /** Calls in sessions whose client this isolate does not know: those that the legacy lane served, and all others. */
  readonly unnamed: { readonly legacy: Map<string, Counting>; readonly other: Map<string, Counting> };
  readonly began: Map<string, Began>;
  readonly touched: Map<string, Touched>;
  readonly ended: Map<string, Ended>;
}

export class Buffer {
  /** Any shard may take these. */
  readonly #named = { working: new Map<string, Counting>(), other: new Map<string, Counting>() };
  readonly #parts: readonly ShardPart[] = Array.from({ length: SHARD_COUNT }, () => ({
    unnamed: { legacy: new Map(), other: new Map() },
    began: new Map(),
    touched: new Map(),
    ended: new Map(),
  }));
  #unnamed = { legacy: 0, other: 0 };
  #sessions = { legacy: 0, compat: 0 };
  #untracked = 0;

  get isEmpty(): boolean {
    const rows = this.#named.working.size + this.#named.other.size + this.#unnamed.legacy + this.#unnamed.other;
    return rows + this.#sessions.legacy + this.#sessions.compat + this.#untracked === 0;
  }

  count({ opens = false, continues = false, ...call }: Call, at: number): void {
    const works = call.lane !== 'none' && !opens;
    const row = this.#rowOf(call, works, at);
    const calls = continues ? 0 : 1;
    row.calls += calls;
    if (works) row.worked += calls;
    row.lastSeenAt = at;
    for (const use of call.uses) row.uses[use] = (row.uses[use] ?? 0) + 1;
  }

  began(session: Began): void {
    const { began, ended } = this.#partOf(session.id);
    // Whether one of the compat lane is known matters to nobody: it holds nothing.
    if (!ended.has(session.id) && !this.#wait(began, session) && session.lane === 'legacy') this.#untracked += 1;
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
    const kind = kindOf(sessionId);
    if (began.delete(sessionId)) this.#sessions[kind] -= 1;
    if (touched.delete(sessionId)) this.#sessions[kind] -= 1;
  }

  /**
   * Takes out what this shard may have now; undefined where that is nothing.
   * @param heldMs How long unnamed calls wait: the session may have started in an isolate that is yet to tell of it.
   */
  take(shard: number, now: number, heldMs: number): Omit<Batch, 'isolate' | 'seq'> | undefined {
    const part = this.#parts[shard];
    if (part === undefined) throw new RangeError(`There is no shard ${shard}`);
    const { working, other } = this.#named;
    const counted = [...working.values(), ...other.values(), ...this.#takeUnnamed(part, now - heldMs)];
    const [began, touched, ended] = [[...part.began.values()], [...part.touched.values()], [...part.ended.values()]];
    const untracked = this.#untracked;
    if (counted.length + began.length + touched.length + ended.length + untracked === 0) return undefined;
    for (const { id } of [...began, ...touched, ...ended]) this.#sessions[kindOf(id)] -= 1;
    for (const taken of [working, other, part.began, part.touched, part.ended]) taken.clear();
    this.#untracked = 0;
    return { counted, began, touched, ended, untracked };
  }

  #takeUnnamed({ unnamed }: ShardPart, before: number): Counting[] {
    const taken: Counting[] = [];
    for (const kind of ['legacy', 'other'] as const) {
      for (const [key, row] of unnamed[kind]) {
        if (row.firstSeenAt > before) continue;
        unnamed[kind].delete(key);
        this.#unnamed[kind] -= 1;
        taken.push(row);
      }
    }
    return taken;
  }

  #partOf(sessionId: string): ShardPart {
    return this.#parts[shardOf(sessionId)] as ShardPart;
  }

  #rowOf(call: Omit<Call, 'opens' | 'continues'>, works: boolean, at: number): Counting {
    const key = keyOf(call);
    if (call.client === undefined && call.sessionId !== undefined) {
      const kind = call.lane === 'legacy' ? 'legacy' : 'other';
      const unnamed = this.#partOf(call.sessionId).unnamed[kind];
      const known = unnamed.get(key);
      if (known !== undefined) return known;
      if (this.#unnamed[kind] >= MAX_UNNAMED) return this.#rowOf({ ...call, client: UNKNOWN_CLIENT }, works, at);
      this.#unnamed[kind] += 1;
      return newRow(unnamed, key, call, at);
    }
    const named = this.#named[works ? 'working' : 'other'];
    const known = named.get(key);
    if (known !== undefined) return known;
    if (named.size < MAX_ROWS) return newRow(named, key, call, at);
    // The few of these that there can be always have room.
    const other = otherOf(call);
    const otherKey = keyOf(other);
    return named.get(otherKey) ?? newRow(named, otherKey, other, at);
  }

  #wait<Told extends { readonly id: string }>(told: Map<string, Told>, what: Told): boolean {
    if (!told.has(what.id)) {
      const kind = kindOf(what.id);
      if (this.#sessions[kind] >= (kind === 'legacy' ? MAX_LEGACY_SESSIONS : MAX_COMPAT_SESSIONS)) return false;
      this.#sessions[kind] += 1;
    }
    told.set(what.id, what);
    return true;
  }
}

/** Anybody can invent the id of a compat session; whatever else is told of here, the legacy lane has served. */
const kindOf = (sessionId: string): 'legacy' | 'compat' => (isCompatSessionId(sessionId) ? 'compat' : 'legacy');

function newRow(
  rows: Map<string, Counting>,
  key: string,
  call: Omit<Call, 'opens' | 'continues'>,
  at: number,
): Counting {
  const row: Counting = { ...call, calls: 0, worked: 0, firstSeenAt: at, lastSeenAt: at, uses: {} };
  rows.set(key, row);
  return row;
}

/** No field can hold the divider: clients' texts have no control characters left. */
const keyOf = ({
  client,
  sessionId,
  era,
  protocolVersion,
  userAgent,
  route,
  lane,
  reason,
}: Omit<Call, 'uses'>): string =>
  `${client?.name}\n${client?.version}\n${client === undefined ? sessionId : ''}\n${era}\n${protocolVersion}\n${userAgent}\n${route}\n${lane}\n${reason}`;
