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
  readonly count: number;
  readonly lastSeenAt: number;
  /** Whether such a use keeps a client on the legacy half, and why or why not. */
  readonly blocks: boolean;
  readonly why: string;
}

/** A client that did not say its name is a row for each user agent family. */
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
  /** On the legacy lane, not drained. Those of clients without a name stand in the row of the one that was seen last. */
  readonly openSessions: number;
  readonly verdict: ClientVerdict;
}

export interface OpenSessions {
  /** On the legacy lane over Streamable HTTP, and not drained. */
  readonly legacy: number;
  /** Over HTTP+SSE: these cannot be drained, only end. */
  readonly sse: number;
  /** Served by the compat lane; their agents may still have their state. */
  readonly drained: number;
  readonly compat: number;
}

export interface CensusReport {
  readonly at: number;
  /** The client that was seen last comes first. */
  readonly clients: readonly ClientCensus[];
  readonly totals: {
    readonly clients: number;
    readonly blocked: number;
    readonly calls: number;
    readonly lanes: readonly LaneCalls[];
  };
  /** Null where the legacy lane has never served a call that is remembered. */
  readonly lastLegacyCallAt: number | null;
  readonly openSessions: OpenSessions;
  /** Sessions that there was no room to keep; while it is not 0, `openSessions` may be too low. */
  readonly untrackedSessions: number;
}
