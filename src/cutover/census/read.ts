/** Reads the census for an operator: all shards, put together. */
import { isMeant, type Junk } from './junk.ts';
import { clientsOf, reportOf } from './merge.ts';
import type { CensusReport } from './report.ts';
import type { OpenSession, SessionFilter } from './rows.ts';
import type { Client } from './seen.ts';
import { allShards, shardIn, shardOf, type CensusEnv } from './shards.ts';

/** @throws where a shard does not answer: a census with a part missing would say that clients are gone. */
export async function readCensus(env: CensusEnv): Promise<CensusReport> {
  const shards = await Promise.all(allShards(env).map((shard) => shard.read()));
  return reportOf(shards, Date.now());
}

/** The open legacy sessions that can be drained, the oldest first. Only for draining: whoever has an id has the session. */
export async function listSessions(env: CensusEnv, filter: SessionFilter): Promise<readonly OpenSession[]> {
  const shards = await Promise.all(allShards(env).map((shard) => shard.sessions(filter)));
  return shards.flat().sort((one, two) => one.beganAt - two.beganAt);
}

/** Notes that sessions were drained or taken back, before their next requests show it. */
export async function setDrained(env: CensusEnv, ids: readonly string[], drained: boolean): Promise<void> {
  const { CENSUS_OBJECT: objects } = env;
  if (objects === undefined) return;
  await Promise.all(
    [...Map.groupBy(ids, shardOf)].map(([shard, some]) => shardIn(objects, shard).setDrained(some, drained)),
  );
}

export interface JunkFound {
  /** Told apart by name and version. */
  readonly clients: readonly Client[];
  readonly calls: number;
  /** When this was found: what comes later stays. */
  readonly at: number;
}

/** @throws where a shard does not answer: a client's other calls may be there. */
export async function findJunk(env: CensusEnv, junk: Junk): Promise<JunkFound> {
  const shards = await Promise.all(allShards(env).map((shard) => shard.read()));
  const at = Date.now();
  const named = Map.groupBy(clientsOf(shards, at), ({ name, version }) => `${name}\n${version}`);
  const found = [...named.values()]
    .map((eras) => ({ ...(eras[0] as Client), calls: eras.reduce((sum, { calls }) => sum + calls, 0) }))
    .filter((client) => isMeant(client, junk));
  return {
    clients: found.map(({ name, version }) => ({ name, version })),
    calls: found.reduce((sum, { calls }) => sum + calls, 0),
    at,
  };
}

/** Forgets what these clients did until they were found. Their open sessions stay: those are ended, not forgotten. */
export async function forgetJunk(env: CensusEnv, { clients, at }: JunkFound): Promise<void> {
  if (clients.length === 0) return;
  await Promise.all(allShards(env).map((shard) => shard.forget({ clients, before: at })));
}
