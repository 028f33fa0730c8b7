/**
 * A handle that was given out outlives its session: many clients send DELETE when they close, and their next session
 * passes the handle on, by whatever lane.
 */
import { createExecutionContext, reset, runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, it, vi } from 'vitest';
import worker from '../fixture/worker.ts';
import { agentOf } from '../support/agents.ts';
import { LANE_NAMES, openLane, type Lane, type LaneName, type Reply } from '../support/wire.ts';

const openAs = (subject: string | undefined, name: LaneName): Promise<Lane> =>
  openLane(name, {
    origin: 'http://localhost',
    send: (request) =>
      worker.fetch(
        request as Parameters<typeof worker.fetch>[0],
        env,
        Object.defineProperty(createExecutionContext(), 'props', { value: subject === undefined ? {} : { subject } }),
      ),
  });
const count = (lane: Lane, handle?: string): Promise<Reply> =>
  lane.request('tools/call', { name: 'count', arguments: { by: 1, ...(handle !== undefined && { handle }) } });
const structured = ({ answer }: Reply): { value?: number; handle?: string } =>
  answer?.result?.['structuredContent'] ?? {};
const textIn = ({ answer }: Reply): unknown =>
  (answer?.result?.['content'] as { text: string }[] | undefined)?.[0]?.text;

/** How a session comes to its end by DELETE. */
const SESSIONS = ['legacy', 'compat', 'drained', 'drained with its state', 'taken back', 'used by its handle'] as const;

/** Opens a session, counts to 1 in it, and to 2 on the way where that is part of it; gives its handle. */
async function begin(kind: (typeof SESSIONS)[number], subject?: string): Promise<{ lane: Lane; handle: string }> {
  const lane = await openAs(subject, kind === 'compat' ? 'compat' : 'legacy');
  const { handle = 'none' } = structured(await count(lane));
  if (kind === 'drained' || kind === 'drained with its state' || kind === 'taken back') {
    await agentOf(lane.sessionId).drain();
    if (kind !== 'drained') await count(lane);
    if (kind === 'taken back') await agentOf(lane.sessionId).takeBack();
    if (kind === 'taken back') await count(lane);
  }
  if (kind === 'used by its handle') await count(await openAs(subject, 'modern'), handle);
  return { lane, handle };
}
const COUNTED = { 'drained with its state': 2, 'taken back': 3, 'used by its handle': 2 } as const;
const countedIn = (kind: (typeof SESSIONS)[number]): number =>
  kind in COUNTED ? COUNTED[kind as keyof typeof COUNTED] : 1;

const UNKNOWN =
  'The handle given to the tool "count" names no state. Leave "handle" out to start anew, or pass the handle of an earlier result.';

describe('a handle after the DELETE of its session', () => {
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });

  const ways = SESSIONS.flatMap((kind) => LANE_NAMES.map((to) => [kind, to] as const));
  it.for(ways)('%s: goes on on %s', async ([kind, to], { expect }) => {
    const { lane, handle } = await begin(kind);
    await lane.close();
    const next = await openAs(undefined, to);
    expect(structured(await count(next, handle))).toEqual({ value: countedIn(kind) + 1, handle });
    expect(structured(await count(next, handle))).toEqual({ value: countedIn(kind) + 2, handle });
  });

  it.for(SESSIONS)('%s: is unknown to every other caller, as before', async (kind, { expect }) => {
    const { lane, handle } = await begin(kind, 'ann');
    await lane.close();
    for (const name of LANE_NAMES) {
      expect(textIn(await count(await openAs('bob', name), handle))).toBe(UNKNOWN);
      expect(textIn(await count(await openAs(undefined, name), handle))).toBe(UNKNOWN);
    }
    const mine = await openAs('ann', 'modern');
    expect(structured(await count(mine, handle))).toEqual({ value: countedIn(kind) + 1, handle });
  });

  it.for(SESSIONS)('%s: ends after the idle time', async (kind, { expect }) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { lane, handle } = await begin(kind);
    await lane.close();
    vi.setSystemTime(Date.now() + 27 * 60 * 60 * 1000);
    expect(await runDurableObjectAlarm(env.STATE_OBJECT.getByName(handle))).toBe(true);
    expect(textIn(await count(await openAs(undefined, 'modern'), handle))).toBe(UNKNOWN);
  });

  it.for(SESSIONS)('%s: the session itself has ended', async (kind, { expect }) => {
    const { lane, handle } = await begin(kind);
    await lane.close();
    const left = await count(lane);
    if (kind === 'compat') expect(textIn(left)).toMatch(/^The session of this call has ended, so the tool "count" /);
    else expect(left.status).toBe(404);
    const next = await openAs(undefined, 'modern');
    expect(structured(await count(next, handle)).value).toBe(countedIn(kind) + 1);
  });

  it('a state that was only read is there too', async ({ expect }) => {
    const lane = await openAs(undefined, 'legacy');
    const read = await lane.request('tools/call', { name: 'count', arguments: { by: 0 } });
    const { handle = 'none' } = structured(read);
    await lane.close();
    expect(structured(await count(await openAs(undefined, 'compat'), handle))).toEqual({ value: 1, handle });
  });
});
