/** Reads the census for an operator: all shards, put together. */
import { reportOf } from './merge.ts';
import type { CensusReport } from './report.ts';
import type { OpenSession, SessionFilter } from './rows.ts';
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
