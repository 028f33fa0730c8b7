/**
 * State on the move against a tiny model, in real Durable Objects: random calls over every route, of a reducer and of a
 * tool that waits, drains, hand-backs, deletions, evictions, and crashes of every object while calls and transfers are
 * under way. The model knows for each counter the least it must be (what was acknowledged) and the most it may be (with
 * what was cut short). A waiting call that is refused because its state has moved has changed nothing.
 */
import { abortAllDurableObjects, evictDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import * as fc from 'fast-check';
import { describe, inject, it } from 'vitest';
import { agentOf } from '../support/agents.ts';
import { openLane, type Lane, type LaneName, type Reply } from '../support/wire.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stateSteps: number;
  }
}

const STEPS_A_RUN = 25;
const MOVED = 'The state of the tool \\"count-slowly\\" cannot be reached now.';
const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const openOn = (name: LaneName): Promise<Lane> => openLane(name, { origin: 'http://localhost', send });

type Step =
  | { do: 'call'; counter: number; via: LaneName | 'own'; by: number }
  | { do: 'drain' | 'takeBack' | 'end'; counter: number }
  | { do: 'evict' }
  | { do: 'wait'; counter: number; vias: readonly (LaneName | 'own')[]; turns: number; moves: readonly Move[] }
  | {
      do: 'crash';
      counter: number;
      via: LaneName | 'own';
      tool: Tool;
      calls: number;
      after: number;
      move: boolean;
    };

/** `count` is a reducer; the other reads, waits for some turns, and updates. */
type Tool = 'count' | 'count-slowly';
/** What happens to a counter while calls wait: each with a call of its own, which brings the state along. */
type Move = 'drain' | 'takeBack' | 'none';

const counter = fc.nat(2);
const via = fc.constantFrom<LaneName | 'own'>('own', 'own', 'legacy', 'compat', 'modern');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('call' as const), counter, via, by: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('drain' as const, 'takeBack' as const), counter }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      counter,
      vias: fc.array(via, { minLength: 1, maxLength: 4 }),
      turns: fc.nat(12),
      moves: fc.array(fc.constantFrom<Move>('drain', 'takeBack', 'none'), { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), counter }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('evict' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      counter,
      via,
      tool: fc.constantFrom<Tool>('count', 'count-slowly'),
      calls: fc.integer({ min: 1, max: 6 }),
      after: fc.nat(12),
      move: fc.boolean(),
    }),
  },
);

async function putToSleep(object: Parameters<typeof evictDurableObject>[0]): Promise<void> {
  try {
    await evictDurableObject(object);
  } catch (error) {
    // It sleeps already: nothing has called it since it was put to sleep or has crashed.
    if (!String(error).includes('is not currently running')) throw error;
  }
}

/** One counter of the model: a legacy session (0 and 1) or a compat one (2), and what its value may be. */
interface Counter {
  lane: Lane;
  kind: 'legacy' | 'compat';
  handle: string | undefined;
  least: number;
  most: number;
}

const begin = async (kind: Counter['kind']): Promise<Counter> => ({
  lane: await openOn(kind),
  kind,
  handle: undefined,
  least: 0,
  most: 0,
});

class Run {
  steps = 0;
  crashes = 0;
  acknowledged = 0;
  /** Waiting calls that were answered, and those whose state had moved meanwhile. */
  waited = 0;
  refused = 0;
  readonly #counters: Counter[];
  readonly #others: Readonly<Record<LaneName, Lane>>;

  constructor(counters: Counter[], others: Readonly<Record<LaneName, Lane>>) {
    this.#counters = counters;
    this.#others = others;
  }

  /** Undefined where the counter can only be reached through its session and nothing named it yet. */
  #request(counter: Counter, way: LaneName | 'own', by: number, name: Tool = 'count', turns = 0): Promise<Reply> {
    const own = way === 'own' || counter.handle === undefined;
    const lane = own ? counter.lane : this.#others[way];
    const args = { by, ...(!own && { handle: counter.handle }), ...(turns > 0 && { turns }) };
    return lane.request('tools/call', { name, arguments: args });
  }

  /** A call with nothing going wrong must succeed, and tell a value that the model allows. */
  async call(counter: Counter, way: LaneName | 'own', by: number): Promise<string | undefined> {
    const { status, answer } = await this.#request(counter, way, by);
    const counted = answer?.result?.['structuredContent'] as { value: number; handle: string } | undefined;
    if (counted === undefined) return `${status} ${JSON.stringify(answer)}`;
    const { value, handle } = counted;
    if (counter.handle !== undefined && handle !== counter.handle)
      return `handle ${handle} instead of ${counter.handle}`;
    if (value < counter.least + by || value > counter.most + by)
      return `${value} is not in ${counter.least + by}..${counter.most + by}`;
    Object.assign(counter, { handle, least: value, most: value });
    this.acknowledged += 1;
    return undefined;
  }

  /** Puts the objects of all counters to sleep, so that they go on with what they have stored. */
  async #evict(): Promise<void> {
    for (const { kind, lane, handle } of this.#counters) {
      if (kind === 'legacy') await putToSleep(env.LEGACY_AGENT.getByName(`streamable-http:${lane.sessionId}`));
      if (handle !== undefined) await putToSleep(env.STATE_OBJECT.getByName(handle));
    }
  }

  /** Calls that wait while the state moves: what is answered has counted, and what is refused has not. */
  async #wait({ counter: index, vias, turns, moves }: Extract<Step, { do: 'wait' }>): Promise<string | undefined> {
    const counter = this.#counters[index];
    if (counter === undefined) return undefined;
    const work = vias.map((way) => this.#request(counter, way, 1, 'count-slowly', turns + 1));
    counter.most += vias.length;
    const legacy = counter.kind === 'legacy' ? agentOf(counter.lane.sessionId) : undefined;
    let by = 0;
    for (const move of moves) {
      if (move !== 'none') await legacy?.[move]();
      const { answer } = await this.#request(counter, move === 'none' ? 'modern' : 'own', 1);
      if (answer?.result?.['structuredContent'] === undefined) return `while others wait: ${JSON.stringify(answer)}`;
      by += 1;
    }
    for (const { status, answer } of await Promise.all(work)) {
      if (answer?.result?.['structuredContent'] !== undefined) by += 1;
      else if (JSON.stringify(answer).includes(MOVED)) this.refused += 1;
      else return `a waiting call got ${status} ${JSON.stringify(answer)}`;
      this.waited += 1;
    }
    // Known to the last one from here on.
    counter.most = counter.most - vias.length + by;
    counter.least += by;
    return this.call(counter, 'own', 0);
  }

  async #crash(step: Extract<Step, { do: 'crash' }>): Promise<void> {
    const { counter: index, via: way, tool, calls, after, move } = step;
    const counter = this.#counters[index];
    if (counter === undefined) return;
    this.crashes += 1;
    const work = Array.from({ length: calls }, () =>
      this.#request(counter, way, 1, tool, tool === 'count' ? 0 : 3).catch(() => undefined),
    );
    const moved =
      move && counter.kind === 'legacy'
        ? agentOf(counter.lane.sessionId)
            .drain()
            .catch(() => false)
        : undefined;
    for (let turns = 0; turns < after; turns += 1) await new Promise((resolve) => setTimeout(resolve, 0));
    await abortAllDurableObjects();
    for (const reply of [...(await Promise.all(work)), await moved]) {
      if (typeof reply !== 'object') continue;
      if (reply.answer?.result?.['structuredContent'] !== undefined) counter.least += 1;
    }
    counter.most += calls;
  }

  async take(step: Step): Promise<string | undefined> {
    this.steps += 1;
    if (step.do === 'wait') return this.#wait(step);
    if (step.do === 'evict') {
      await this.#evict();
      return undefined;
    }
    const counter = this.#counters[step.counter];
    if (counter === undefined) return undefined;
    const legacy = counter.kind === 'legacy' ? agentOf(counter.lane.sessionId) : undefined;
    switch (step.do) {
      case 'call':
        return this.call(counter, step.via, step.by);
      case 'crash':
        await this.#crash(step);
        return undefined;
      case 'drain':
        return legacy === undefined || (await legacy.drain()) ? undefined : 'the session could not be drained';
      case 'takeBack':
        return legacy === undefined || (await legacy.takeBack()) ? undefined : 'the session could not be taken back';
      case 'end': {
        await counter.lane.close();
        const { handle } = counter;
        this.#counters[step.counter] = await begin(counter.kind);
        if (handle === undefined) return undefined;
        const problem = await this.call(counter, 'modern', 1);
        if (problem !== undefined) return `by the handle of an ended session: ${problem}`;
        const { status, answer } = await this.#request(counter, 'own', 1);
        return status === 404 || answer?.result?.['isError'] === true
          ? undefined
          : `an ended session answers ${JSON.stringify(answer)}`;
      }
    }
  }

  /** At rest, every counter is what was acknowledged, on every way to it. */
  async settle(): Promise<string | undefined> {
    for (const counter of this.#counters) {
      for (const way of ['own', 'modern', 'own', 'legacy', 'compat'] as const) {
        const problem = await this.call(counter, way, 0);
        if (problem !== undefined) return `at rest, ${counter.kind} via ${way}: ${problem}`;
      }
    }
    return undefined;
  }
}

async function runAll(steps: readonly Step[]): Promise<Run & { problem?: string }> {
  const counters = [await begin('legacy'), await begin('legacy'), await begin('compat')];
  const run: Run & { problem?: string } = new Run(counters, {
    legacy: await openOn('legacy'),
    compat: await openOn('compat'),
    modern: await openOn('modern'),
  });
  for (const [index, step] of steps.entries()) {
    const problem = await run.take(step);
    if (problem !== undefined)
      return Object.assign(run, { problem: `step ${index} ${JSON.stringify(step)}: ${problem}` });
  }
  const problem = await run.settle();
  return problem === undefined ? run : Object.assign(run, { problem });
}

describe('state of legacy sessions, by model', () => {
  it('loses and doubles no acknowledged increment', { timeout: 30 * 60_000 }, async ({ expect }) => {
    const wanted = inject('stateSteps');
    const done = { steps: 0, crashes: 0, acknowledged: 0, waited: 0, refused: 0 };
    const runs = Math.ceil(wanted / STEPS_A_RUN);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: STEPS_A_RUN, maxLength: STEPS_A_RUN }), async (steps) => {
        const run = await runAll(steps);
        done.steps += run.steps;
        done.crashes += run.crashes;
        done.acknowledged += run.acknowledged;
        done.waited += run.waited;
        done.refused += run.refused;
        expect(run.problem).toBeUndefined();
      }),
      { numRuns: runs, endOnFailure: false },
    );
    console.log(JSON.stringify({ proof: 'state model', ...done }));
    expect(done.steps).toBeGreaterThanOrEqual(wanted);
    expect(done.crashes).toBeGreaterThan(wanted / 20);
    expect(done.acknowledged).toBeGreaterThan(wanted / 3);
    expect(done.waited).toBeGreaterThan(wanted / 10);
    expect(done.refused).toBeGreaterThan(0);
  });
});
