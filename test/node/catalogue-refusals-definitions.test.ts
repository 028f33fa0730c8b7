/** What a tool, its state and the catalogue's limits may not be. One deviation from the valid definition a test. */
import { describe, it } from 'vitest';
import { z } from 'zod';
import { defineState } from '../../src/shared/define/state.ts';
import { build, counter, refusal, statefulTool, tool } from '../support/valid-definition.ts';

const one = (change: Record<string, unknown>): string => refusal({ tools: [tool(change)] });
const HINTS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

describe('definitions of tools', () => {
  it('an unknown key is refused, such as a cache hint', ({ expect }) => {
    expect(one({ cacheHint: { ttlMs: 5000 } })).toBe(
      'The tool "look" has the key "cacheHint", which no lane serves the same way. Remove it. Known keys: kind, name, title, description, input, output, annotations, icons, _meta, visible, scopes, enabled, deadlineMs, run.',
    );
  });

  it('two tools of one name are refused', ({ expect }) => {
    expect(refusal({ tools: [tool(), tool()] })).toBe('The tool "look" is defined twice. Give each its own name.');
  });

  it.for(['', 'two words', 'grüße', 'a'.repeat(129), 'slash/name'])('the name "%s" is refused', (name, { expect }) => {
    expect(one({ name })).toBe(
      name === ''
        ? 'The tool "" has no name. The model or the user sees it: write one.'
        : `The tool "${name}" has a name that clients may refuse. Use 1 to 128 of: letters, digits, _ - and a dot.`,
    );
  });

  it.for(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'the name "%s", which every object has, is refused',
    (name, { expect }) => {
      expect(one({ name })).toBe(
        `The tool "${name}" has the name of a property that every object has. SDK registries find it even where it is not registered: choose another.`,
      );
    },
  );

  it.for(['title', 'description'])('a missing %s is refused', (key, { expect }) => {
    expect(one({ [key]: '  ' })).toBe(`The tool "look" has no ${key}. The model or the user sees it: write one.`);
  });

  it.for(Object.keys(HINTS))('a hint that is not said is refused: %s', (hint, { expect }) => {
    expect(one({ annotations: { ...HINTS, [hint]: undefined } })).toBe(
      `The tool "look" does not say its ${hint}. Say all four hints: clients read an absent one as the dangerous value.`,
    );
  });

  it('no annotations at all are refused', ({ expect }) => {
    expect(one({ annotations: undefined })).toBe(
      'The tool "look" does not say its readOnlyHint. Say all four hints: clients read an absent one as the dangerous value.',
    );
  });

  it('an annotation of another name is refused', ({ expect }) => {
    expect(one({ annotations: { ...HINTS, title: 'Other' } })).toBe(
      'The tool "look" has the annotation "title". Known annotations: readOnlyHint, destructiveHint, idempotentHint, openWorldHint; the title is the tool\'s own.',
    );
  });

  it('a tool that cannot run is refused', ({ expect }) => {
    expect(one({ run: undefined })).toBe(
      'The tool "look" has no function "run". Every request for it would fail: write one.',
    );
  });

  it.for([0, -1, Number.NaN, 2_147_483_648])('a deadline of %s ms is refused', (deadlineMs, { expect }) => {
    expect(one({ deadlineMs })).toBe(
      `The tool "look" has a deadline of ${deadlineMs} ms. Use a number of milliseconds from 1 to 2147483647.`,
    );
  });

  it('metadata that JSON cannot carry is refused', ({ expect }) => {
    expect(one({ _meta: { big: 1n } })).toBe(
      'The tool "look" cannot be listed, because JSON cannot carry it. Use plain JSON values in _meta, icons, annotations and schema defaults.',
    );
  });

  it('limits that cannot be kept are refused', ({ expect }) => {
    expect(refusal({ limits: { deadlineMs: 0 } })).toBe(
      'The catalogue "limits" has a deadline of 0 ms. Use a number of milliseconds from 1 to 2147483647.',
    );
    expect(refusal({ limits: { maxResultBytes: 0 } })).toBe(
      'The catalogue "limits" has a result size of 0 bytes. Use a number of bytes from 1.',
    );
  });

  it('a list that grows after building changes nothing', ({ expect }) => {
    const tools = [tool()];
    const catalogue = build({ tools });
    tools.push(tool({ name: 'late' }));
    expect([[...catalogue.tools.keys()], catalogue.listed.tools.map(({ name }) => name)]).toEqual([['look'], ['look']]);
  });
});

const withState = (state: Record<string, unknown>): string =>
  refusal({ tools: [statefulTool({ state: { ...counter, ...state } })] });

describe('state of tools', () => {
  it('an initial value that the schema refuses is refused', ({ expect }) => {
    expect(withState({ initial: { value: 0.5 } })).toBe(
      'The state "counter" of the tool "count" has an initial value that its own schema refuses. Make the initial value fit the schema; the schema must validate at once, without a promise.',
    );
  });

  it('a schema that answers later is refused', ({ expect }) => {
    expect(withState({ schema: z.object({ value: z.number().refine(async () => true) }) })).toBe(
      'The state "counter" of the tool "count" has an initial value that its own schema refuses. Make the initial value fit the schema; the schema must validate at once, without a promise.',
    );
  });

  it.for([
    ['a number', z.number(), 0],
    ['a list', z.array(z.string()), []],
    ['an object or nothing', z.object({}).nullable(), null],
  ] as const)('a state that is %s is refused', ([, schema, initial], { expect }) => {
    expect(withState({ schema, initial })).toBe(
      'The state "counter" has a state schema that is not a plain object at its root. The lanes list a union, array or primitive root differently: wrap it in an object, for example { value: … }.',
    );
  });

  const self: Record<string, unknown> = {};
  self['self'] = self;
  it.for([
    ['a bigint', { n: 1n }],
    ['a function', { run: () => 1 }],
    ['a cycle', self],
  ] as const)('an initial value with %s is refused', ([, initial], { expect }) => {
    expect(withState({ schema: z.record(z.string(), z.any()), initial })).toBe(
      'The state "counter" of the tool "count" has an initial value that JSON cannot carry and read back. Use plain JSON values, and a schema that accepts what it gives.',
    );
  });

  it('a schema that changes what it reads is refused', ({ expect }) => {
    const schema = z.object({ value: z.number().overwrite((value) => value + 1) });
    expect(withState({ schema })).toBe(
      'The state "counter" of the tool "count" has an initial value that JSON cannot carry and read back. Use plain JSON values, and a schema that accepts what it gives.',
    );
  });

  it('a bad name of a state is refused', ({ expect }) => {
    expect(withState({ name: 'two words' })).toBe(
      'The state "two words" has a name that clients may refuse. Use 1 to 128 of: letters, digits, _ - and a dot.',
    );
  });

  it('two definitions of one state are refused', ({ expect }) => {
    const other = defineState({ ...counter, initial: { value: 1 } });
    expect(refusal({ tools: [statefulTool(), statefulTool({ name: 'recount', state: other })] })).toBe(
      'The state "counter" of the tool "recount" is defined twice. Use the same defineState(…) value in both tools, or another name.',
    );
    expect(refusal({ tools: [statefulTool(), statefulTool({ name: 'recount' })] })).toBe('built: count, recount');
  });

  it('a tool without a reducer is refused', ({ expect }) => {
    expect(refusal({ tools: [statefulTool({ reduce: undefined })] })).toBe(
      'The tool "count" has no function "reduce". Every request for it would fail: write one.',
    );
  });
});

describe('whose a state is', () => {
  const of = (change: object): string => refusal({ tools: [statefulTool({ state: { ...counter, ...change } })] });

  it('is one of three, and may show a handle or not', ({ expect }) => {
    const fine = [{}, { of: 'session' }, { of: 'session', handle: false }, { of: 'subject' }, { of: 'handle' }];
    expect(fine.map(of)).toEqual(fine.map(() => 'built: count'));
  });

  it.for([
    [{ of: 'user' }, 'The state "counter" is of "user". Say whose it is: session, subject, handle.'],
    [{ handle: 'yes' }, 'The state "counter" has a "handle" that is neither true nor false. Say one of them.'],
    [
      { of: 'subject', handle: true },
      'The state "counter" is of the subject and has a handle. Leave "handle" out: the subject finds its state on every lane, and nobody else may have it.',
    ],
    [
      { of: 'handle', handle: false },
      'The state "counter" is of the handle and has none, so no call could find it again. Leave "handle" out, or say of: "session".',
    ],
  ] as const)('%j is refused', ([change, text], { expect }) => {
    expect(of(change)).toBe(text);
  });
});
