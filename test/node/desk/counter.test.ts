/** The counter tools: each reducer alone, and the three together on one state. */
import { describe, it } from 'vitest';
import { deskCatalogue } from '../../../examples/desk/catalogue.ts';
import type { Json } from '../../../src/shared/json.ts';
import { reduceState } from '../../../src/shared/state/reduce.ts';
import { stillContext } from '../../support/ports.ts';
import { openDesk } from './open-desk.ts';

function reduce(name: string, stored: Json | undefined, args: unknown = {}) {
  const tool = deskCatalogue.tools.get(name);
  if (tool?.kind !== 'stateful') throw new TypeError(`"${name}" is no stateful tool.`);
  return reduceState(tool, stored === undefined ? undefined : { v: 1, value: stored }, args, stillContext());
}

const shows = (value: number) => ({ structuredContent: { value } });

describe('the counter reducers', () => {
  it('count from 0, by 1 unless told otherwise', ({ expect }) => {
    expect(reduce('incrementCounter', undefined)).toEqual({
      ok: true,
      reply: shows(1),
      next: { v: 1, value: { value: 1 } },
    });
    expect(reduce('incrementCounter', { value: 5 }, { by: 1000 })).toEqual({
      ok: true,
      reply: shows(1005),
      next: { v: 1, value: { value: 1005 } },
    });
  });

  it('read without a change', ({ expect }) => {
    expect(reduce('getCounter', { value: 7 })).toEqual({
      ok: true,
      reply: shows(7),
    });
    expect(reduce('getCounter', undefined)).toEqual({ ok: true, reply: shows(0) });
  });

  it('reset to 0', ({ expect }) => {
    expect(reduce('resetCounter', { value: 7 })).toEqual({
      ok: true,
      reply: shows(0),
      next: { v: 1, value: { value: 0 } },
    });
  });

  it('reach the last safe integer and stop there, with the state untouched', ({ expect }) => {
    const last = 9007199254740991;
    expect(reduce('incrementCounter', { value: last - 5 }, { by: 5 })).toMatchObject({
      next: { v: 1, value: { value: last } },
    });
    expect(reduce('incrementCounter', { value: last - 5 }, { by: 6 })).toEqual({
      ok: true,
      reply: {
        content: [
          {
            type: 'text',
            text: 'The counter stands at 9007199254740986, and adding 6 would pass 9007199254740991, the highest it can show. Add less, or start again with resetCounter.',
          },
        ],
        isError: true,
      },
    });
  });

  it.for([{ value: -1 }, { value: 0.5 }, { value: '3' }, {}])(
    'leave state that is no counter alone: %j',
    (stored, { expect }) => {
      for (const name of ['incrementCounter', 'getCounter', 'resetCounter']) {
        expect(reduce(name, stored)).toMatchObject({ ok: false, fault: { fault: 'state_unreadable', tool: name } });
      }
    },
  );
});

describe('the counter tools', () => {
  it('share one counter and hand out its handle', async ({ expect }) => {
    const desk = openDesk();
    await desk.call('incrementCounter', { by: 41 });
    expect(await desk.call('incrementCounter')).toEqual({
      content: [
        { type: 'text', text: '{"value":42,"handle":"own"}' },
        { type: 'text', text: 'To go on with this state, pass "own" as the argument "handle" of the next call.' },
      ],
      structuredContent: { value: 42, handle: 'own' },
    });
    expect((await desk.call('getCounter', { handle: 'own' })).structuredContent).toEqual({ value: 42, handle: 'own' });
    expect((await desk.call('resetCounter')).structuredContent).toEqual({ value: 0, handle: 'own' });
    expect((await desk.call('getCounter')).structuredContent).toEqual({ value: 0, handle: 'own' });
  });

  it('say first what to do with the handle, to a model that reads names and descriptions only', ({ expect }) => {
    const opening =
      'Keeps state between calls: pass the "handle" of the last answer as the argument "handle", or the call may start from a new state.';
    const described = deskCatalogue.listed.tools.map(({ name, description }) => [name, String(description)] as const);
    const stateful = described.filter(([, description]) => description.startsWith(`${opening} `));
    expect(stateful.map(([name]) => name)).toEqual(['incrementCounter', 'getCounter', 'resetCounter']);
  });

  it('tell the caller about an overflow and keep the value', async ({ expect }) => {
    const desk = openDesk();
    desk.ports.state.put('full', 'counter', { value: 9007199254740991 });
    expect(await desk.refusal('incrementCounter', { handle: 'full' })).toBe(
      'The counter stands at 9007199254740991, and adding 1 would pass 9007199254740991, the highest it can show. Add less, or start again with resetCounter.',
    );
    expect(desk.ports.state.get('full', 'counter')).toEqual({ value: 9007199254740991 });
  });

  it.for([
    [0, 'Too small: expected number to be >=1'],
    [1001, 'Too big: expected number to be <=1000'],
    [1.5, 'Invalid input: expected int, received number'],
  ] as const)('refuse to count by %d, and store nothing', async ([by, why], { expect }) => {
    const desk = openDesk();
    expect(await desk.refusal('incrementCounter', { by })).toBe(
      `Invalid arguments for tool "incrementCounter": by: ${why}`,
    );
    expect(desk.ports.state.get('own', 'counter')).toBeUndefined();
  });
});
