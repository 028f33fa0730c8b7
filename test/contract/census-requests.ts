/** What isolates see and hand over, for the tests of the census. */
import { env } from 'cloudflare:workers';
import { vi } from 'vitest';
import type { Census } from '../../src/cutover/census/collect.ts';
import { listSessions, readCensus } from '../../src/cutover/census/read.ts';
import type { Batch, Counted, Taken } from '../../src/cutover/census/rows.ts';
import type { Seen } from '../../src/cutover/census/seen.ts';
import { shardIn } from '../../src/cutover/census/shards.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const START = Date.UTC(2026, 11, 1);
export const later = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

export const ctx = { waitUntil: (work: Promise<unknown>) => void work };
export const SEEN: Seen = {
  client: { name: 'one', version: '1' },
  era: '2025',
  protocolVersion: '2025-11-25',
  userAgent: 'node',
  route: '/legacy/mcp',
  lane: 'legacy',
  reason: 'route',
  uses: [],
};
export const inSession = (sessionId: string): Seen => ({ ...SEEN, client: undefined, sessionId });
export const begin = (census: Census, id: string, client = SEEN.client): void =>
  census.sessionBegan(env, ctx, { id, client, lane: 'legacy' });
export const callsOf = async (): Promise<Record<string, number>> =>
  Object.fromEntries((await readCensus(env)).clients.map(({ name, calls }) => [name, calls]));
export const idsOf = async (
  ...filter: Parameters<typeof listSessions> extends [unknown, ...infer Rest] ? Rest : never
) => (await listSessions(env, ...filter)).map(({ id }) => id);

export const take = async (batch: Partial<Batch> & Pick<Batch, 'seq'>): Promise<Taken> =>
  shardIn(env.CENSUS_OBJECT, 0).take({
    isolate: 'isolate',
    counted: [],
    began: [],
    touched: [],
    ended: [],
    untracked: 0,
    ...batch,
  });
export const counted = (name: string, part: Partial<Counted> = {}): Counted => ({
  ...SEEN,
  client: { name, version: '1' },
  sessionId: undefined,
  protocolVersion: '2025-11-25',
  calls: 1,
  firstSeenAt: START,
  lastSeenAt: START,
  worked: 1,
  ...part,
  uses: part.uses ?? {},
});
