/** Puts the shards' rows together: a row for each client, with its verdict. Pure. */
import type { CensusReport, ClientCensus, ClientUse, LaneCalls, OpenSessions } from './report.ts';
import type { CallRow, SessionCount, ShardRows, UseRow } from './rows.ts';
import { NO_SESSION, UNKNOWN_CLIENT, UNKNOWN_SESSION, type Client } from './seen.ts';
import { keepsOnLegacy, rulingOn, verdictOf } from './verdict.ts';

/** More would be a list that nobody reads, and megabytes of it. */
const MAX_LISTED = 1000;
/** Of clients with one call; most of them will never come again. */
const MAX_LISTED_ONCE = 200;

/** Every client that is known, the one that was seen last first. */
export function clientsOf(shards: readonly ShardRows[], now: number): readonly ClientCensus[] {
  const calls = groupBy(
    shards.flatMap((shard) => shard.calls),
    clientKey,
  );
  const uses = groupBy(
    shards.flatMap((shard) => shard.uses),
    clientKey,
  );
  // What a client did may be known longer than its calls.
  const keys = new Set([...calls.keys(), ...uses.keys()]);
  const clients = [...keys]
    .map((key) => clientOf(calls.get(key) ?? [], uses.get(key) ?? [], now))
    .sort(
      (one, two) => two.lastSeenAt - one.lastSeenAt || compare(one.name, two.name) || compare(one.version, two.version),
    );
  return withSessions(
    clients,
    shards.flatMap((shard) => shard.sessions),
  );
}

export function reportOf(shards: readonly ShardRows[], now: number): CensusReport {
  const clients = clientsOf(shards, now);
  const calls = shards.flatMap((shard) => shard.calls);
  const lastLegacyCallAt = Math.max(
    latest(calls.filter(({ lane }) => lane === 'legacy')),
    ...shards.map(({ forgottenLegacyAt }) => forgottenLegacyAt),
  );
  const listed = listedOf(clients);
  const unlisted = clients.filter((client) => !listed.has(client));
  return {
    at: now,
    clients: clients.filter((client) => listed.has(client)),
    unlisted: { clients: unlisted.length, calls: sum(unlisted, (client) => client.calls) },
    totals: {
      clients: clients.length,
      blocked: clients.filter(({ verdict }) => typeof verdict === 'object').length,
      unproven: clients.filter(({ verdict }) => verdict === 'unproven').length,
      calls: sum(calls, (row) => row.calls),
      lanes: lanesOf(calls),
    },
    lastLegacyCallAt: lastLegacyCallAt > 0 ? lastLegacyCallAt : null,
    openSessions: openSessionsOf(shards.flatMap((shard) => shard.sessions)),
    untrackedSessions: sum(shards, (shard) => shard.untracked),
  };
}

/** Blocked clients first, then those that came more than once, then the others. */
function listedOf(clients: readonly ClientCensus[]): ReadonlySet<ClientCensus> {
  const blocked = clients.filter(({ verdict }) => typeof verdict === 'object');
  const free = clients.filter(({ verdict }) => typeof verdict !== 'object');
  const once = free.filter(({ calls }) => calls <= 1).slice(0, MAX_LISTED_ONCE);
  return new Set([...blocked, ...free.filter(({ calls }) => calls > 1), ...once].slice(0, MAX_LISTED));
}

/** Only 2025 clients have sessions. */
function withSessions(clients: readonly ClientCensus[], sessions: readonly SessionCount[]): ClientCensus[] {
  const keyOf = ({ name, version }: Client): string => `${name}\n${version}`;
  const open = groupBy(sessions, keyOf);
  return clients.map((client) => {
    const mine = client.era === '2025' ? (open.get(keyOf(client)) ?? []) : [];
    const onLegacy = mine.filter(({ lane, drained }) => lane === 'legacy' && !drained);
    return {
      ...client,
      openSessions: sum(mine, (row) => row.sessions),
      openLegacySessions: sum(onLegacy, (row) => row.sessions),
    };
  });
}

function clientOf(calls: readonly CallRow[], uses: readonly UseRow[], now: number): ClientCensus {
  const [{ name, version, era }] = [...calls, ...uses] as unknown as readonly [CallRow | UseRow];
  const used = usesOf(uses);
  // The transport is a use of its own, whether the stream's opening was seen or a message that was posted to it.
  const sse = calls.filter(({ route, lane, worked }) => route === '/legacy/sse' && lane === 'legacy' && worked > 0);
  const implied = sse.map(({ route, lane, lastSeenAt }) => ({ use: 'get_stream' as const, route, lane, lastSeenAt }));
  const strays = name === UNKNOWN_CLIENT.name ? calls.filter(isStray) : [];
  return {
    name,
    version,
    era,
    protocolVersions: distinct(calls.map(({ protocolVersion }) => protocolVersion)),
    userAgents: distinct([...calls, ...uses].map(({ userAgent }) => userAgent)),
    lanes: lanesOf(calls),
    uses: used,
    calls: sum(calls, (row) => row.calls),
    lastSeenAt: latest([...calls, ...uses]),
    openSessions: 0,
    openLegacySessions: 0,
    verdict: verdictOf(
      {
        era,
        uses: [...used, ...implied],
        worked: calls.length === 0 || calls.some(({ worked }) => worked > 0),
        strayedAt: strays.length === 0 ? undefined : latest(strays),
      },
      now,
    ),
  };
}

/** Refused, because it came without a session, or with one that nobody knows any more. */
const isStray = ({ lane, reason }: CallRow): boolean =>
  lane === 'none' && (reason === UNKNOWN_SESSION || reason === NO_SESSION);

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
  return [...groupBy(rows, ({ use, route, lane }) => `${use} ${route} ${lane}`).values()]
    .map((same) => {
      const { use, era, route, lane } = same[0] as UseRow;
      return {
        use,
        route,
        lane,
        count: sum(same, (row) => row.count),
        lastSeenAt: latest(same),
        blocks: keepsOnLegacy({ use, route, lane }, era),
        why: rulingOn(use, era, route).why,
      };
    })
    .sort((one, two) => compare(one.use, two.use) || compare(one.route, two.route) || compare(one.lane, two.lane));
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

const clientKey = ({ name, version, era }: CallRow | UseRow): string => `${name}\n${version}\n${era}`;

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  return Map.groupBy(rows, keyOf);
}

const sum = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);
const latest = (rows: readonly { readonly lastSeenAt: number }[]): number =>
  rows.reduce((last, { lastSeenAt }) => Math.max(last, lastSeenAt), 0);
const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => text !== '').sort();
const compare = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0);
