/** The census as the operator's API uses it. What this isolate has counted is handed over first, so that it is in sight. */
import type { Census } from '../census/collect.ts';
import { findJunk, forgetJunk, listSessions, readCensus, setDrained } from '../census/read.ts';
import type { CensusEnv } from '../census/shards.ts';
import type { CensusPort } from './ports.ts';

/** Of a Worker without a census: it cannot be read, and nothing is told to it. */
export const NO_CENSUS: CensusPort<CensusEnv> = {
  read: () => Promise.reject(new Error('This Worker has no census')),
  sessions: async () => [],
  findJunk: () => Promise.reject(new Error('This Worker has no census')),
  forgetJunk: async () => undefined,
  setDrained: async () => undefined,
  ended: async () => undefined,
};

export const censusPort = (census: Pick<Census, 'flush' | 'sessionEnded'>): CensusPort<CensusEnv> => ({
  read: async (env) => {
    await census.flush(env);
    return readCensus(env);
  },
  sessions: async (env, filter) => {
    await census.flush(env);
    return listSessions(env, filter);
  },
  findJunk: async (env, junk) => {
    await census.flush(env);
    return findJunk(env, junk);
  },
  forgetJunk,
  setDrained,
  ended: (env, id) => census.sessionEnded(env, id),
});
