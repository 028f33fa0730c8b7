/** Puts the shards' rows together: a row for each client, with its verdict. Pure. */
import type { CensusReport, ClientCensus, ClientUse, LaneCalls, OpenSessions } from './report.ts';
import type { CallRow, SessionCount, ShardRows, UseRow } from './rows.ts';
import { UNKNOWN_CLIENT, type Client } from './seen.ts';
import { rulingOn, verdictOf } from './verdict.ts';

export function reportOf(shards: readonly ShardRows[], now: number): CensusReport {
  const calls = shards.flatMap((shard) => shard.calls);
  const uses = groupBy(
    shards.flatMap((shard) => shard.uses),
    clientKey,
  );
  const sessions = shards.flatMap((shard) => shard.sessions);
  const clients = [...groupBy(calls, clientKey)]
    .map(([key, rows]) => clientOf(rows, uses.get(key) ?? [], now))
    .sort(
      (one, two) => two.lastSeenAt - one.lastSeenAt || compare(one.name, two.name) || compare(one.version, two.version),
    );
  const legacy = calls.filter(({ lane }) => lane === 'legacy');
  return {
    at: now,
    clients: withSessions(clients, sessions),
    totals: {
      clients: clients.length,
      blocked: clients.filter(({ verdict }) => verdict !== 'ready').length,
      calls: sum(calls, (row) => row.calls),
      lanes: lanesOf(calls),
    },
    lastLegacyCallAt: legacy.length === 0 ? null : latest(legacy),
    openSessions: openSessionsOf(sessions),
    untrackedSessions: sum(shards, (shard) => shard.untracked),
  };
}

/** Only 2025 clients have sessions. */
function withSessions(clients: readonly ClientCensus[], sessions: readonly SessionCount[]): ClientCensus[] {
  const keyOf = ({ name, version }: Client): string => `${name}\n${version}`;
  const open = groupBy(
    sessions.filter(({ lane, drained }) => lane === 'legacy' && !drained),
    keyOf,
  );
  return clients.map((client) => {
    const key = keyOf(client);
    const mine = client.era === '2025' ? (open.get(key) ?? []) : [];
    if (client.era === '2025') open.delete(key);
    return { ...client, openSessions: sum(mine, (row) => row.sessions) };
  });
}

function clientOf(calls: readonly CallRow[], uses: readonly UseRow[], now: number): ClientCensus {
  const [first] = calls as readonly [CallRow];
  const { name, version, era } = first;
  const used = usesOf(uses);
  // The transport is a use of its own, whether the stream's opening was seen or a message that was posted to it.
  const sse = calls.filter(({ route, lane }) => route === '/legacy/sse' && lane === 'legacy');
  const implied = sse.map(({ route, lastSeenAt }) => ({ use: 'get_stream' as const, route, lastSeenAt }));
  return {
    name,
    version,
    era,
    protocolVersions: distinct(calls.map(({ protocolVersion }) => protocolVersion)),
    userAgents: distinct(calls.map(({ userAgent }) => userAgent)),
    lanes: lanesOf(calls),
    uses: used,
    calls: sum(calls, (row) => row.calls),
    lastSeenAt: latest(calls),
    openSessions: 0,
    verdict: verdictOf(era, [...used, ...implied], now),
  };
}

function lanesOf(calls: readonly CallRow[]): LaneCalls[] {
  return [...groupBy(calls, ({ route, lane }) => `${route} ${lane}`).values()]
    .map((rows) => {
      const { route, lane } = rows[0] as CallRow;
      const byReason = groupBy(rows, ({ reason }) => reason);
      const reasons = [...byReason].map(([reason, some]) => [reason, sum(some, (row) => row.calls)] as const);
      reasons.sort(([one], [two]) => compare(one, two));
      return {
        route,
        lane,
        calls: sum(rows, (row) => row.calls),
        lastSeenAt: latest(rows),
        reasons: Object.fromEntries(reasons),
      };
    })
    .sort((one, two) => compare(one.route, two.route) || compare(one.lane, two.lane));
}

function usesOf(rows: readonly UseRow[]): ClientUse[] {
  return [...groupBy(rows, ({ use, route }) => `${use} ${route}`).values()]
    .map((same) => {
      const { use, era, route } = same[0] as UseRow;
      return {
        use,
        route,
        count: sum(same, (row) => row.count),
        lastSeenAt: latest(same),
        ...rulingOn(use, era, route),
      };
    })
    .sort((one, two) => compare(one.use, two.use) || compare(one.route, two.route));
}

function openSessionsOf(sessions: readonly SessionCount[]): OpenSessions {
  const open = (is: (row: SessionCount) => boolean): number => sum(sessions.filter(is), (row) => row.sessions);
  return {
    legacy: open(({ lane, transport, drained }) => lane === 'legacy' && transport === 'streamable' && !drained),
    sse: open(({ lane, transport }) => lane === 'legacy' && transport === 'sse'),
    drained: open(({ lane, transport, drained }) => lane === 'legacy' && transport === 'streamable' && drained),
    compat: open(({ lane }) => lane === 'compat'),
  };
}

const clientKey = ({ name, version, era, userAgent }: CallRow | UseRow): string =>
  `${name}\n${version}\n${era}\n${name === UNKNOWN_CLIENT.name ? userAgent : ''}`;

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  return Map.groupBy(rows, keyOf);
}

const sum = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);
const latest = (rows: readonly { readonly lastSeenAt: number }[]): number =>
  rows.reduce((last, { lastSeenAt }) => Math.max(last, lastSeenAt), 0);
const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => text !== '').sort();
const compare = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0);
