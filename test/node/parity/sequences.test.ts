/** Generated sequences: the same for the same seed, in two sessions, with what keeps something and what looks at it. */
import { describe, it } from 'vitest';
import { makeSequences, type Player } from '../../../cli/parity/cases/sequences.ts';
import { readScenarios, type Scenario, type Step } from '../../../cli/parity/cases/scenario.ts';
import type { JsonObject } from '../../../src/shared/json.ts';

const handle = { type: 'object', properties: { handle: { type: 'string' } } };
const player = (name: string, fields: JsonObject, inputs: readonly JsonObject[] = [{ by: 1 }, {}]): Player => ({
  tool: { name, ...fields },
  inputs,
});
const COUNT = player('incrementCounter', {
  inputSchema: { type: 'object', properties: { by: { type: 'number' }, handle: { type: 'string' } } },
  outputSchema: handle,
});
const GET = player('getCounter', { inputSchema: handle, outputSchema: handle, annotations: { readOnlyHint: true } });
const RESET = player('resetCounter', { inputSchema: handle, outputSchema: handle }, [{}, { handle: 'none' }]);
const SEARCH = player('search', { inputSchema: {}, annotations: { readOnlyHint: true } });

const passes = ({ arguments: args }: Step): boolean => args?.['handle'] === '${handle}';
/** The tools that follow each other in one session, as long as the last of them is as wanted. */
const ordersIn = ({ steps }: Scenario, length: number, last: (step: Step) => boolean): readonly string[] =>
  ['a', 'b'].flatMap((session) => {
    const own = steps.filter((step) => step.session === session);
    return own.flatMap((step, at) =>
      at + 1 < length || !last(step)
        ? []
        : [
            own
              .slice(at + 1 - length, at + 1)
              .map(({ tool }) => tool)
              .join(', '),
          ],
    );
  });

describe('sequences', () => {
  const made = makeSequences([COUNT, GET, SEARCH], 40, 7);
  const steps = made.flatMap((sequence) => sequence.steps);

  it('are the same for the same seed, and others for another', ({ expect }) => {
    expect(made.length).toBe(40);
    expect(makeSequences([COUNT, GET, SEARCH], 40, 7)).toEqual(made);
    expect(makeSequences([COUNT, GET, SEARCH], 40, 8)).not.toEqual(made);
  });

  it('are in two sessions, of what keeps something and of what has a word of it in its name', ({ expect }) => {
    expect(new Set(steps.map(({ session }) => session))).toEqual(new Set(['a', 'b']));
    expect(new Set(steps.map(({ tool }) => tool))).toEqual(new Set(['incrementCounter', 'getCounter']));
    expect(made.filter((one) => new Set(one.steps.map(({ session }) => session)).size === 2).length).toBeGreaterThan(
      20,
    );
  });

  it('pass on what one tool gives out and another takes', ({ expect }) => {
    const passing = steps.filter((step) => step.arguments?.['handle'] === '${handle}');
    expect(passing.length).toBeGreaterThan(40);
    expect(steps.every(({ capture }) => capture?.['handle'] === 'result.structuredContent.handle')).toBe(true);
  });

  it('have each order of two tools in one session, whatever the seed, with and without what is passed on', ({
    expect,
  }) => {
    const tools = ['incrementCounter', 'resetCounter', 'getCounter'];
    const orders = tools.flatMap((first) =>
      tools.filter(() => first !== 'getCounter').map((second) => `${first}, ${second}`),
    );
    expect(orders.length).toBe(6);
    for (let seed = 1; seed <= 30; seed += 1) {
      const sequences = makeSequences([COUNT, RESET, GET], 6, seed);
      const own = new Set(sequences.flatMap((each) => ordersIn(each, 2, (step) => !passes(step))));
      expect([seed, orders.filter((each) => !own.has(each))]).toEqual([seed, []]);
      const passed = new Set(sequences.flatMap((each) => ordersIn(each, 2, passes)));
      expect([seed, orders.filter((each) => !passed.has(each))]).toEqual([seed, []]);
    }
  });

  it('have each order of three as well while there are few', ({ expect }) => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const made = makeSequences([COUNT, RESET, GET], 10, seed).flatMap((each) => ordersIn(each, 3, () => true));
      const writes = made.filter((order) => !order.includes('getCounter,') && !order.startsWith('getCounter'));
      expect([seed, new Set(writes).size]).toEqual([seed, 12]);
    }
  });

  it('take for an order what has succeeded, if anything has', ({ expect }) => {
    const failing = Array.from({ length: 20 }, (_each, at): JsonObject => ({ by: 1_000 + at }));
    const sequences = makeSequences([{ ...COUNT, inputs: failing, succeeded: [{ by: 7 }] }, GET], 6, 3);
    const [first] = sequences;
    const counted = (first?.steps ?? []).filter(({ tool }) => tool === 'incrementCounter');
    expect(counted.length).toBeGreaterThan(0);
    expect(counted.map(({ arguments: args }) => args?.['by'])).toEqual(counted.map(() => 7));
  });

  it('of many tools have other orders for another seed', ({ expect }) => {
    const many = Array.from({ length: 40 }, (_each, at) => player(`write${at}`, { inputSchema: {} }));
    const orders = (seed: number) =>
      new Set(makeSequences(many, 10, seed).flatMap((each) => ordersIn(each, 2, () => true)));
    expect(orders(1).size).toBeGreaterThan(60);
    expect([...orders(1)].filter((each) => !orders(2).has(each)).length).toBeGreaterThan(50);
  });

  it('are scenarios that a file may hold', ({ expect }) => {
    expect(readScenarios(JSON.stringify(made), 'sequences.json')).toEqual({ ok: true, scenarios: made });
  });

  it('are none where nothing keeps anything', ({ expect }) => {
    expect(makeSequences([GET, SEARCH], 10, 1)).toEqual([]);
    expect(makeSequences([{ ...COUNT, inputs: [] }, GET], 10, 1)).toEqual([]);
  });
});
