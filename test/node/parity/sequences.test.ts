/** Generated sequences: the same for the same seed, in two sessions, with what keeps something and what looks at it. */
import { describe, it } from 'vitest';
import { makeSequences, type Player } from '../../../cli/parity/cases/sequences.ts';
import { readScenarios } from '../../../cli/parity/cases/scenario.ts';
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
const SEARCH = player('search', { inputSchema: {}, annotations: { readOnlyHint: true } });

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

  it('are scenarios that a file may hold', ({ expect }) => {
    expect(readScenarios(JSON.stringify(made), 'sequences.json')).toEqual({ ok: true, scenarios: made });
  });

  it('are none where nothing keeps anything', ({ expect }) => {
    expect(makeSequences([GET, SEARCH], 10, 1)).toEqual([]);
    expect(makeSequences([{ ...COUNT, inputs: [] }, GET], 10, 1)).toEqual([]);
  });
});
