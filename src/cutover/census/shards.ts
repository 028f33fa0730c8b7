/** Where the census is kept: four objects, so that no single one limits how much traffic can be counted. */
import type { IdleVars } from '../../state/times.ts';
import type { CensusShardApi } from './rows.ts';

export interface CensusEnv extends IdleVars {
  /** Without it nothing is counted. */
  readonly CENSUS_OBJECT?: DurableObjectNamespace;
  readonly CENSUS_EVENTS?: AnalyticsEngineDataset;
  /** The door's: how long a stream to listen on may stay open. */
  readonly LISTEN_STREAM_MS?: string | number;
}

const LISTEN_STREAM_MS = 60 * 60 * 1000;

export function listenStreamMs({ LISTEN_STREAM_MS: value }: CensusEnv): number {
  const ms = value === undefined || value === '' ? LISTEN_STREAM_MS : Number(value);
  return ms > 0 ? ms : LISTEN_STREAM_MS;
}

export const SHARD_COUNT = 4;

/** A session's shard, the same in every isolate (FNV-1a). */
export function shardOf(sessionId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < sessionId.length; index += 1) {
    hash = Math.imul(hash ^ sessionId.charCodeAt(index), 0x01000193);
  }
  // The low bits of this hash are even enough for a power of two only after mixing the high ones in.
  return ((hash ^ (hash >>> 15)) >>> 0) % SHARD_COUNT;
}

export const shardIn = (objects: DurableObjectNamespace, shard: number): CensusShardApi =>
  objects.getByName(`census-${shard}`) as unknown as CensusShardApi;

export function allShards({ CENSUS_OBJECT: objects }: CensusEnv): readonly CensusShardApi[] {
  return objects === undefined ? [] : Array.from({ length: SHARD_COUNT }, (_, shard) => shardIn(objects, shard));
}
