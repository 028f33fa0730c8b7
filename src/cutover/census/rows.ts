/** What an isolate hands to a shard, and what a shard answers: plain JSON values. */
import type { Client, SeenEra, SeenLane, SeenRoute, Use } from './seen.ts';

/** Calls that are alike, since the last batch. */
export interface Counted {
  /** Undefined where only the shard may know whose session it is. */
  readonly client: Client | undefined;
  readonly sessionId: string | undefined;
  readonly era: SeenEra;
  readonly protocolVersion: string;
  readonly userAgent: string;
  readonly route: SeenRoute;
  readonly lane: SeenLane;
  readonly reason: string;
  readonly calls: number;
  /** Those of them that were served, and did more than begin something. Isolates of an earlier version do not say it. */
  readonly worked?: number;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly uses: Readonly<Partial<Record<Use, number>>>;
}

export type SessionLane = 'legacy' | 'compat';

/** The transport of a session: one of HTTP+SSE keeps its stream to its agent, so it cannot be drained. */
export type Transport = 'streamable' | 'sse';

export interface Began {
  readonly id: string;
  readonly client: Client | undefined;
  readonly lane: SessionLane;
  readonly transport: Transport;
  readonly at: number;
}

/** A session was used, and this lane served it. */
export interface Touched {
  readonly id: string;
  /** Where the isolate knows it. */
  readonly client?: Client | undefined;
  readonly lane: SessionLane;
  readonly transport: Transport;
  readonly at: number;
}

export interface Ended {
  readonly id: string;
  readonly at: number;
}

export interface Batch {
  /** Who sends, and which batch of that sender it is: a batch that comes twice counts once. */
  readonly isolate: string;
  readonly seq: number;
  readonly counted: readonly Counted[];
  readonly began: readonly Began[];
  readonly touched: readonly Touched[];
  readonly ended: readonly Ended[];
  /** Sessions that there was no room to tell of. */
  readonly untracked: number;
}

export interface Taken {
  /** Whose sessions they are that the batch did not say it of, where the shard knows. */
  readonly clients: readonly (readonly [id: string, client: Client])[];
}

export interface CallRow extends Client {
  readonly era: SeenEra;
  readonly protocolVersion: string;
  readonly userAgent: string;
  readonly route: SeenRoute;
  readonly lane: SeenLane;
  readonly reason: string;
  readonly calls: number;
  readonly worked: number;
  readonly lastSeenAt: number;
}

export interface UseRow extends Client {
  readonly era: SeenEra;
  readonly userAgent: string;
  readonly route: SeenRoute;
  /** The lane that served it; `none` where it was refused. */
  readonly lane: SeenLane;
  readonly use: Use;
  readonly count: number;
  readonly lastSeenAt: number;
}

/** Open sessions that are alike. */
export interface SessionCount extends Client {
  readonly lane: SessionLane;
  readonly transport: Transport;
  /** Of a legacy session: the compat lane serves it. */
  readonly drained: boolean;
  readonly sessions: number;
}

export interface ShardRows {
  readonly calls: readonly CallRow[];
  readonly uses: readonly UseRow[];
  readonly sessions: readonly SessionCount[];
  readonly untracked: number;
  /** The last call of the legacy lane among the rows that an operator had forgotten; 0 where there was none. */
  readonly forgottenLegacyAt: number;
}

/** What a shard is told to forget: clients, as far as nothing came from them after that time. */
export interface Forgotten {
  readonly clients: readonly Client[];
  readonly before: number;
}

export interface SessionFilter {
  /** The client's name, exactly. */
  readonly client?: string;
  readonly version?: string;
  /** Only sessions that began longer ago. */
  readonly olderThanMs?: number;
}

export interface OpenSession {
  readonly id: string;
  readonly client: Client;
  readonly beganAt: number;
  readonly drained: boolean;
}

/** What the Worker asks of a shard. */
export interface CensusShardApi {
  take(batch: Batch): Promise<Taken>;
  end(session: Ended): Promise<void>;
  read(): Promise<ShardRows>;
  /** The open sessions of the legacy lane that can be drained or taken back. */
  sessions(filter: SessionFilter): Promise<readonly OpenSession[]>;
  setDrained(ids: readonly string[], drained: boolean): Promise<void>;
  forget(what: Forgotten): Promise<void>;
}
