/** A class whose state moves with its sessions: there and back, with everything that was counted. */
import { createExecutionContext, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { z } from 'zod';
import type { SessionAgentApi } from '../../src/state/transfer.ts';
import { openLane, type Lane, type LaneName } from '../support/wire.ts';
import { ORIGIN, textOf } from './clients.ts';
import type { KeepingMCP } from './carried.ts';
import worker from './worker.ts';

const PATHS = { legacy: '/carried', mcp: '/carried-next' };
const AGENTS = (env as unknown as { CARRIED_OBJECT: DurableObjectNamespace }).CARRIED_OBJECT;

const open = (name: LaneName, user: string): Promise<Lane> =>
  openLane(name, {
    origin: ORIGIN,
    paths: PATHS,
    headers: { 'x-user': user },
    send: (request) => worker.fetch(request as Parameters<typeof worker.fetch>[0], env, createExecutionContext()),
  });

/** A session of the class, as its client and its operator have it. */
class Session {
  readonly lane: Lane;
  readonly other: Lane;
  handle = '';

  constructor(lane: Lane, other: Lane) {
    this.lane = lane;
    this.other = other;
  }

  static async begin(): Promise<Session> {
    const user = crypto.randomUUID();
    return new Session(await open('legacy', user), await open('modern', user));
  }

  get stub(): DurableObjectStub {
    return AGENTS.getByName(`streamable-http:${this.lane.sessionId}`);
  }

  get agent(): SessionAgentApi {
    return this.stub as unknown as SessionAgentApi;
  }

  /** Asked in the object, where what it throws can be caught. */
  refusal(ask: (agent: SessionAgentApi) => Promise<unknown>): Promise<string> {
    return runInDurableObject(this.stub, (instance) =>
      ask(instance as unknown as SessionAgentApi).then(String, (cause: unknown) => (cause as Error).message),
    );
  }

  increment(by = 1): Promise<string> {
    return textOf(this.lane, 'increment', { by });
  }

  /** By the same client in another place. */
  byHandle(by = 1): Promise<string> {
    return textOf(this.other, 'increment', { by, handle: this.handle });
  }

  async learnHandle(): Promise<void> {
    await this.agent.drain();
    const { answer } = await this.lane.request('tools/call', { name: 'increment', arguments: { by: 0 } });
    this.handle = z.object({ handle: z.string() }).parse(answer?.result?.['structuredContent']).handle;
  }
}

const UNREACHABLE =
  'The state of the tool "increment" cannot be reached now. Nothing is known to have changed; try again.';

describe('a class whose state is carried', () => {
  it('goes on counting in the catalogue after a drain, and in the class after the way back', async ({ expect }) => {
    const session = await Session.begin();
    expect(await session.increment()).toBe('1 in 1 rows');
    expect(await session.increment(2)).toBe('3 in 2 rows');
    expect(await session.agent.drain()).toBe(true);
    expect(await session.increment()).toBe('4 in 3 rows');
    expect(await textOf(session.lane, 'note', { text: 'one' })).toBe('one');
    expect(await session.agent.takeBack()).toBe(true);
    expect(await session.increment()).toBe('5 in 4 rows');
    expect(await textOf(session.lane, 'whoami')).toMatch(/ -$/);
    await session.agent.drain();
    expect(await textOf(session.lane, 'note', { text: 'two' })).toBe('one two');
    expect(await session.increment()).toBe('6 in 5 rows');
  });

  it('loses and doubles nothing through any two steps with a sleep between them', async ({ expect }) => {
    const STEPS = {
      call: (session: Session) => session.increment(),
      'call by handle': (session: Session) => session.byHandle(),
      drain: (session: Session) => session.agent.drain(),
      'take back': (session: Session) => session.agent.takeBack(),
    };
    const COUNTS: Readonly<Record<string, number>> = { call: 1, 'call by handle': 1 };
    const seen: Record<string, unknown> = {};
    const wanted: Record<string, unknown> = {};
    const session = await Session.begin();
    await session.learnHandle();
    await session.agent.takeBack();
    let count = 0;
    for (const [first, one] of Object.entries(STEPS)) {
      for (const [second, two] of Object.entries(STEPS)) {
        await one(session);
        await evictDurableObject(session.stub);
        await two(session);
        count += (COUNTS[first] ?? 0) + (COUNTS[second] ?? 0) + 2;
        // By both ways, wherever the state is now.
        const told = [await session.byHandle(), await session.increment()];
        const rows = 1 + count;
        seen[`${first}, ${second}`] = told.map((text) => text.replace(/^(\d+) .*/, '$1'));
        wanted[`${first}, ${second}`] = [String(count - 1), String(count)];
        expect(told[1]).toMatch(new RegExp(` in ${rows} rows$`));
      }
    }
    expect(Object.keys(seen)).toHaveLength(16);
    expect(seen).toEqual(wanted);
  });

  it('leaves its state to the handle when its session ends', async ({ expect }) => {
    const session = await Session.begin();
    await session.learnHandle();
    await session.agent.takeBack();
    expect(await session.increment(5)).toBe('5 in 2 rows');
    await session.lane.close();
    expect(await session.agent.standing()).toBe('gone');
    expect(await session.byHandle()).toBe('6 in 3 rows');
  });

  it('loses nothing if the mapping fails on either way, and stays where it is', async ({ expect }) => {
    const session = await Session.begin();
    await session.learnHandle();
    await session.agent.takeBack();
    expect(await session.increment(-2)).toBe('-2 in 2 rows');
    await session.agent.drain();
    expect(await session.increment()).toBe(UNREACHABLE);
    expect(await session.refusal((agent) => agent.endSession())).toBe(
      'The mapping from the class to the catalogue (out) failed: RangeError: there is no such count. The state of the class KeepingMCP stays where it is.',
    );
    expect(await session.agent.takeBack()).toBe(true);
    expect(await session.increment(8999)).toBe('8997 in 3 rows');
    await session.agent.drain();
    expect(await session.increment(3)).toBe('9000 in 4 rows');
    expect(await session.refusal((agent) => agent.takeBack())).toBe(
      'The mapping from the catalogue to the class (back) failed: RangeError: the class cannot count as far. The state of the class KeepingMCP stays where it is.',
    );
    expect(await session.agent.standing()).toBe('drained');
    expect(await session.increment(-1)).toBe('8999 in 5 rows');
    expect(await session.agent.takeBack()).toBe(true);
    expect(await session.increment(-1)).toBe('8998 in 6 rows');
  });

  it('is not taken from a call of the class that works on it, nor written once it has left', async ({ expect }) => {
    const session = await Session.begin();
    expect(await session.increment(10)).toBe('10 in 1 rows');
    const slow = textOf(session.lane, 'slowly');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await session.agent.drain();
    expect(await Promise.all([slow, session.increment()])).toEqual(['11', '12 in 2 rows']);
    await session.agent.takeBack();
    expect(await textOf(session.lane, 'afterwards')).toBe('later');
    await session.agent.drain();
    expect(await session.increment()).toBe('13 in 3 rows');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await runInDurableObject(session.stub, (instance) => (instance as unknown as KeepingMCP).refused)).toBe(
      'Error: The state of this session was carried to the catalogue: KeepingMCP cannot set it now',
    );
    await session.agent.takeBack();
    expect(await session.increment()).toBe('14 in 4 rows');
  });

  it('is there for a schedule of the class, also in a drained session', async ({ expect }) => {
    const session = await Session.begin();
    expect(await session.increment()).toBe('1 in 1 rows');
    expect(await textOf(session.lane, 'schedule')).toBe('scheduled');
    await session.agent.drain();
    expect(await session.increment()).toBe('2 in 2 rows');
    await runDurableObjectAlarm(session.stub);
    expect(await session.increment()).toBe('103 in 3 rows');
  });
});
