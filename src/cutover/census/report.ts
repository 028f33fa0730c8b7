/** What an operator reads of the census. */
import type { SeenEra, SeenLane, SeenRoute, Use } from './seen.ts';
import type { ClientVerdict } from './verdict.ts';

export interface LaneCalls {
  readonly route: SeenRoute;
  readonly lane: SeenLane;
  readonly calls: number;
  readonly lastSeenAt: number;
  /** How many of them for which reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

export interface ClientUse {
  readonly use: Use;
  readonly route: SeenRoute;
  /** The lane that served it; `none` where it was refused. */
  readonly lane: SeenLane;
  readonly count: number;
  readonly lastSeenAt: number;
  /** Whether such a use keeps a client on the legacy half, and why or why not. */
  readonly blocks: boolean;
  readonly why: string;
}

/** Whoever said no name is in one row, with the families of the user agents. */
export interface ClientCensus {
  readonly name: string;
  readonly version: string;
  readonly era: SeenEra;
  readonly protocolVersions: readonly string[];
  readonly userAgents: readonly string[];
  readonly lanes: readonly LaneCalls[];
  readonly uses: readonly ClientUse[];
  readonly calls: number;
  readonly lastSeenAt: number;
  /** On all lanes, drained ones among them. */
  readonly openSessions: number;
  /** Those of them that are on the legacy lane and not drained. */
  readonly openLegacySessions: number;
  readonly verdict: ClientVerdict;
}

export interface OpenSessions {
  /** On the legacy lane over Streamable HTTP, and not drained. */
  readonly legacy: number;
  /** Over HTTP+SSE: these cannot be drained, only end. */
  readonly sse: number;
  /** Served by the compat lane; their agents may still have their state. */
  readonly drained: number;
  /** Nothing is kept for one. There may be more: those that were not used for longest are not counted beyond 20,000. */
  readonly compat: number;
}

/** Clients that are known and not listed one by one: those with one call and the ones that came least lately go first. */
export interface Unlisted {
  readonly clients: number;
  readonly calls: number;
}

export interface CensusReport {
  readonly at: number;
  /** The client that was seen last comes first. */
  readonly clients: readonly ClientCensus[];
  readonly unlisted: Unlisted;
  /** Of all clients, listed or not. */
  readonly totals: {
    readonly clients: number;
    readonly blocked: number;
    readonly unproven: number;
    readonly calls: number;
    readonly lanes: readonly LaneCalls[];
  };
  /** Null where the legacy lane has never served a call that is remembered. */
  readonly lastLegacyCallAt: number | null;
  readonly openSessions: OpenSessions;
  /** Sessions that there was no room to keep; while it is not 0, `openSessions` may be too low. */
  readonly untrackedSessions: number;
}
