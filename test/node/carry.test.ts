/** Mappings between what a class keeps and the catalogue's states: the law, and what is refused. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import * as fc from 'fast-check';
import { defineState } from 'hybrid-mcp/define';
import { carries, roundTrip, type ClassData } from 'hybrid-mcp/port';
import { describe, it } from 'vitest';
import { z } from 'zod';
import { putBack, statesIn } from '../../src/shared/state/carry.ts';

interface Own {
  readonly count: number;
  readonly theme: string;
}

const counter = defineState({ name: 'counter', schema: z.object({ value: z.int() }), initial: { value: 0 } });
const notes = defineState({
  name: 'notes',
  schema: z.object({ texts: z.array(z.string()) }),
  initial: { texts: [] },
});

const carry = carries({
  states: { counter, texts: notes },
  out: ({ state, sql }: ClassData<Own>) => ({
    counter: { value: state.count },
    texts: { texts: sql<{ text: string }>`select text from notes order by id`.map(({ text }) => text) },
  }),
  back: ({ counter: { value }, texts: { texts } }, { state, sql }) => {
    void sql`delete from notes`;
    for (const text of texts) void sql`insert into notes (text) values (${text})`;
    return { ...state, count: value };
  },
});

/** Tables as an object of the class has them. */
function tables(texts: readonly string[] = []): ClassData['sql'] {
  const database = new DatabaseSync(':memory:');
  database.exec('create table notes (id integer primary key autoincrement, text text not null)');
  const sql: ClassData['sql'] = <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
    database.prepare(strings.join('?')).all(...(values as SQLInputValue[])) as Row[];
  for (const text of texts) void sql`insert into notes (text) values (${text})`;
  return sql;
}

const withoutTables: ClassData['sql'] = () => [];

describe('a mapping between a class and the catalogue', () => {
  it('gives the states as they are stored, beside those that the class has nothing of', ({ expect }) => {
    const data = { state: { count: 3, theme: 'dark' }, sql: tables(['a', 'b']) };
    expect(statesIn(carry, data, { other: { v: 2, value: [1] } })).toEqual({
      ok: true,
      value: {
        other: { v: 2, value: [1] },
        counter: { v: 1, value: { value: 3 } },
        notes: { v: 1, value: { texts: ['a', 'b'] } },
      },
    });
  });

  it('puts stored states back, those of an earlier version and none at all too', ({ expect }) => {
    const sql = tables(['old']);
    const data = { state: { count: 3, theme: 'dark' }, sql };
    expect(putBack(carry, { counter: { v: 1, value: { value: 9 } } }, data)).toEqual({
      ok: true,
      value: { count: 9, theme: 'dark' },
    });
    expect(sql`select * from notes`).toEqual([]);
    const newer = defineState({
      ...counter,
      version: 2,
      migrate: (stored) => ({ value: (stored as { value: number }).value * 10 }),
    });
    const renewed = carries({
      states: { newer },
      out: ({ state }: ClassData<Own>) => ({ newer: { value: state.count } }),
      back: ({ newer: { value } }, { state }) => ({ ...state, count: value }),
    });
    expect(putBack(renewed, { counter: { v: 1, value: { value: 4 } } }, data)).toEqual({
      ok: true,
      value: { count: 40, theme: 'dark' },
    });
  });

  it('comes back as it went, whatever the class and the catalogue have', ({ expect }) => {
    const text = fc.string({ unit: 'grapheme' });
    const texts = fc.array(text);
    const count = fc.integer();
    fc.assert(
      fc.property(count, text, texts, count, texts, (own, theme, kept, value, given) => {
        const problems = roundTrip(carry, {
          classes: [{ state: { count: own, theme }, sql: tables(kept) }],
          values: [
            {
              states: { counter: { value }, texts: { texts: given } },
              into: { state: { count: own, theme }, sql: tables(kept) },
            },
          ],
        });
        expect(problems).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('is told what does not come back', ({ expect }) => {
    const forgetful = carries({
      states: { counter },
      out: ({ state }: ClassData<Own>) => ({ counter: { value: Math.abs(state.count) } }),
      back: ({ counter: { value } }) => ({ count: value, theme: 'light' }),
    });
    const examples = {
      classes: [{ state: { theme: 'light', count: 1 } }, { state: { count: 1, theme: 'dark' } }],
      values: [{ states: { counter: { value: -4 } }, into: { state: { count: 0, theme: '' } } }],
    };
    expect(roundTrip(forgetful, examples)).toEqual([
      'Class 2: the class\'s state was {"count":1,"theme":"dark"}, and came back as {"count":1,"theme":"light"}',
      'Values 1: the state "counter" was {"value":-4}, and came back as {"value":4}',
    ]);
    expect(roundTrip(carry, { classes: [{ state: { count: 1, theme: '' } }] })).toEqual([
      'Class 1: The mapping from the class to the catalogue (out) failed: TypeError: this example has no tables: give it { sql }',
    ]);
    expect(roundTrip(carry, {})).toEqual(['There was no example to try.']);
  });

  it('says in words what is wrong with what it gives', ({ expect }) => {
    const OUT = 'The mapping from the class to the catalogue (out) failed: ';
    const BACK = 'The mapping from the catalogue to the class (back) failed: ';
    const of = (out: unknown, back: unknown = () => ({ count: 0, theme: '' })) =>
      carries({ states: { counter }, out: out as never, back: back as never });
    const data = { state: {}, sql: withoutTables };
    const problems = [
      of(() => {
        throw new RangeError('no');
      }),
      of(async () => ({ counter: { value: 1 } })),
      of(() => undefined),
      of(() => ({ counter: { value: 1.5 } })),
      of(
        () => ({ counter: { value: 1 } }),
        async () => ({ count: 1 }),
      ),
      of(
        () => ({ counter: { value: 1 } }),
        () => ({ count: 1n }),
      ),
    ].map((each) => {
      const out = statesIn(each, data);
      return out.ok ? putBack(each, out.value, data) : out;
    });
    expect(problems).toEqual([
      { ok: false, problem: `${OUT}RangeError: no` },
      { ok: false, problem: `${OUT}it gave a promise, and must answer at once` },
      { ok: false, problem: `${OUT}it gave no object` },
      {
        ok: false,
        problem: `${OUT}the state "counter" is refused by its schema: value: Invalid input: expected int, received number`,
      },
      { ok: false, problem: `${BACK}it gave a promise, and must answer at once` },
      { ok: false, problem: `${BACK}JSON cannot carry the state that it gave for the class` },
    ]);
    expect(
      putBack(
        of(() => ({})),
        { counter: { v: 7, value: { value: 1 } } },
        data,
      ),
    ).toEqual({
      ok: false,
      problem: `${BACK}the state "counter" cannot be read: version 7 of "counter" is newer than 1`,
    });
  });

  it('carries no more than a state object can store', ({ expect }) => {
    const large = { state: { count: 1, theme: '' }, sql: tables(['x'.repeat(900_000)]) };
    expect(statesIn(carry, large)).toEqual({
      ok: false,
      problem:
        'The mapping from the class to the catalogue (out) failed: the states are larger than 900000 bytes together',
    });
  });

  it('is refused if it carries nothing, a state twice, or one that does not move', ({ expect }) => {
    const ways = { out: () => ({}) as never, back: () => ({}) };
    const mine = defineState({ name: 'mine', schema: z.object({}), initial: {}, of: 'subject' });
    expect(() => carries({ states: {}, ...ways })).toThrow('carries() was given no state to carry.');
    expect(() => carries({ states: { one: counter, two: counter }, ...ways })).toThrow(
      'carries() was given the state "counter" twice.',
    );
    expect(() => carries({ states: { mine }, ...ways })).toThrow(
      'The state "mine" is of the subject, and only a session\'s state moves.',
    );
    expect(() => carries({ states: { counter }, out: ways.out } as never)).toThrow(
      'carries() takes { states, out, back }: the states to carry, and a function for each way.',
    );
  });
});
