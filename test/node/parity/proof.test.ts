/** Shrinking, the bound on a rate, and the certificate. */
import { describe, it } from 'vitest';
import { upperBound } from '../../../src/parity/bound.ts';
import { signatureOf, signed } from '../../../cli/parity/certificate/sign.ts';
import { countInputs } from '../../../cli/parity/generate/count-inputs.ts';
import { NO_ANSWERS } from '../../../src/parity/answer-kind.ts';
import {
  certifiedTool,
  checkCertificate,
  readLeast,
  USUAL_LEAST,
  type Certificate,
  type Demand,
  type Known,
} from '../../../src/parity/certificate.ts';
import { refusalText } from '../../../src/parity/refusal-text.ts';
import type { ToolCounts } from '../../../src/parity/verdict-table.ts';
import { shrink } from '../../../src/parity/shrink.ts';
import { isPlainObject, type Json } from '../../../src/shared/json.ts';

const toolOf = (step: Json): unknown => (isPlainObject(step) ? step['tool'] : undefined);

describe('shrinking', () => {
  const smallest = async (input: Json, fails: (value: Json) => boolean, budget = 500) =>
    shrink(input, (value) => Promise.resolve(fails(value)), budget);

  it('finds the edge of a number', async ({ expect }) => {
    expect(
      (await smallest({ a: 831, b: 'x' }, (value) => isPlainObject(value) && Number(value['a']) > 99)).input,
    ).toEqual({ a: 100 });
  });

  it('finds one member of a long list and the letter in a text', async ({ expect }) => {
    const list = Array.from({ length: 60 }, (_each, at) => at);
    expect((await smallest(list, (value) => Array.isArray(value) && value.includes(37))).input).toEqual([37]);
    const text = 'many letters and one ü among them';
    expect((await smallest(text, (value) => typeof value === 'string' && value.includes('ü'))).input).toBe('ü');
  });

  it.for([
    [
      { a: -999_999_999.999_998, b: 4 },
      { a: -1, b: 0 },
    ],
    [
      { a: -1.7e308, b: 2.5e-323 },
      { a: -1, b: 0 },
    ],
    [
      { a: -2.58e-25, b: -4 },
      { a: -1, b: 0 },
    ],
    [
      { a: -9_007_199_254_740_991, b: 'much more' },
      { a: -1, b: '' },
    ],
  ] as const)('of %o takes no more tries than a program may be started again', async ([input, least], { expect }) => {
    const valid = (value: Json): boolean =>
      isPlainObject(value) && typeof value['a'] === 'number' && typeof value['b'] === typeof input.b;
    const fails = (value: Json) => Promise.resolve(isPlainObject(value) && Number(value['a']) < 0);
    expect((await shrink(input, fails, 30, valid)).input).toEqual(least);
  });

  it.for([
    [0, 11],
    [3, 9],
    [10, 11],
    [5, 6],
  ])('of twelve steps finds the two that matter, %i and %i, in forty tries', async (two, { expect }) => {
    const steps = Array.from({ length: 12 }, (_each, at): Json => ({ session: 'a', tool: `t${at}`, by: 90 + at }));
    const fails = (value: Json) =>
      Promise.resolve(Array.isArray(value) && two.every((at) => value.some((each: Json) => toolOf(each) === `t${at}`)));
    const known = new Set(steps.map(toolOf));
    const fits = (value: Json): boolean => Array.isArray(value) && value.every((each: Json) => known.has(toolOf(each)));
    const { input } = await shrink(steps, fails, 40, fits);
    expect((input as readonly Json[]).map(toolOf)).toEqual(two.map((at) => `t${at}`));
  });

  it('stays within its budget, and says when that ended it', async ({ expect }) => {
    const shrunk = await smallest('x'.repeat(5_000), (value) => typeof value === 'string' && value.length > 4_000, 3);
    expect(shrunk).toMatchObject({ tried: 3, minimal: false });
  });

  it('passes over what is not worth asking', async ({ expect }) => {
    const asked: Json[] = [];
    const fails = (value: Json) => Promise.resolve(asked.push(value) > 0);
    await shrink({ a: 5 }, fails, 100, (value) => isPlainObject(value) && 'a' in value);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every((value) => isPlainObject(value) && 'a' in value)).toBe(true);
  });
});

describe('the 95 % bound', () => {
  it.for([
    [0, 300, 0.009936],
    [0, 1, 0.95],
    [1, 100, 0.046562],
    [5, 50, 0.199],
    [3, 3, 1],
    [0, 0, 1],
  ] as const)('of %i in %i is %f', ([mismatches, trials, bound], { expect }) => {
    expect(upperBound(mismatches, trials)).toBeCloseTo(bound, 3);
  });
});

describe('a certificate', () => {
  const target = {
    ...{ name: 'old', address: 'http://x/legacy/mcp', era: '2025' as const, protocol: '2025-11-25', version: 'x 1' },
    ...{ lane: 'legacy', differsBy: [] },
  };
  const counts = (over: Partial<ToolCounts> = {}): ToolCounts => ({
    ...{ tool: 'add', calls: 300, distinctInputs: 300, succeeded: 150, mismatches: 0 },
    control: { ...NO_ANSWERS, result: 150, error: 20, refusal: 130 },
    candidate: { ...NO_ANSWERS, result: 150, error: 20, refusal: 130 },
    ...over,
  });
  const toolOf = (over: Partial<ToolCounts> = {}, known: Partial<Known> = {}) =>
    certifiedTool(counts(over), { noisyPaths: [], ...known });
  const certificate: Certificate = {
    format: 'mcp-parity-certificate/2',
    date: '2026-06-01T12:00:00.000Z',
    seed: 1,
    step: 'legacy stateless',
    equal: true,
    control: { ...target, catalogueSha256: 'a'.repeat(64) },
    candidate: { ...target, name: 'new', address: 'http://x/mcp', lane: 'compat', catalogueSha256: 'b'.repeat(64) },
    tools: [toolOf()],
    notCompared: [],
    noisyTools: [],
    allowed: [],
    sanitized: [],
    table: { file: 'parity.table.ndjson', lines: 300, sha256: 'c'.repeat(64) },
  };
  const demand: Demand = {
    now: new Date('2026-06-01T13:00:00Z'),
    maxAgeMs: 2 * 3_600_000,
    ...{ least: USUAL_LEAST, signature: 'good', takesUnsigned: false },
    step: 'legacy stateless',
    lanes: { control: 'legacy', candidate: 'compat' },
    origin: 'http://x',
  };
  const refusals = (over: Partial<Certificate>, more: Partial<Demand> = {}): string[] =>
    checkCertificate({ ...certificate, ...over }, { ...demand, ...more }).map(({ reason }) => reason);

  it('that is signed, fresh, good and for this step is accepted', ({ expect }) => {
    expect(refusals({})).toEqual([]);
    const running = {
      control: { version: 'x 1', catalogueSha256: 'a'.repeat(64), lane: 'legacy' },
      candidate: { version: 'x 1', catalogueSha256: 'b'.repeat(64), lane: 'compat' },
    };
    expect(refusals({}, { running, recounted: [counts()] })).toEqual([]);
    expect(refusals({}, { signature: 'unsigned', takesUnsigned: true, recounted: [counts()] })).toEqual([]);
  });

  const never = toolOf({ succeeded: 0, control: { ...NO_ANSWERS, error: 300 } });
  const now = { version: 'x 1', catalogueSha256: 'a'.repeat(64), lane: 'legacy' };
  it.for<[string, Partial<Certificate>, Partial<Demand>]>([
    ['not_equal', { equal: false }, {}],
    ['too_old', {}, { now: new Date('2026-06-01T15:00:00Z') }],
    ['from_the_future', {}, { now: new Date('2026-06-01T11:00:00Z') }],
    ['not_signed', {}, { signature: 'unsigned' }],
    ['edited', {}, { signature: 'bad' }],
    ['edited', {}, { recounted: 'other_file' }],
    ['edited', {}, { recounted: [counts({ mismatches: 1 })] }],
    ['edited', {}, { recounted: [] }],
    ['edited', {}, { recounted: [counts({ tool: 'put' })] }],
    ['no_table', {}, { signature: 'unsigned', takesUnsigned: true }],
    ['other_step', {}, { step: 'mcp stateless' }],
    ['other_step', { step: undefined }, {}],
    ['other_lanes', { control: { ...certificate.control, lane: 'modern' } }, {}],
    ['other_lanes', { candidate: { ...certificate.candidate, lane: undefined } }, {}],
    ['other_address', { candidate: { ...certificate.candidate, address: 'http://y/mcp' } }, {}],
    ['other_catalogue', {}, { running: { control: { ...now, catalogueSha256: 'd'.repeat(64) } } }],
    ['other_version', {}, { running: { control: { ...now, version: 'x 2' } } }],
    ['nothing_compared', { tools: [] }, {}],
    ['not_compared', { notCompared: [{ tool: 'write', reason: 'writes' }] }, {}],
    ['never_succeeded', { tools: [never] }, {}],
    ['too_few_succeeded', { tools: [toolOf({ succeeded: 19 })] }, {}],
    ['bound_too_high', {}, { maxUpperBound: 0.001 }],
  ])('is refused: %s', ([reason, over, more], { expect }) => {
    const undone = Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined));
    const base = { ...certificate, ...undone };
    if ('step' in over && over.step === undefined) delete (base as { step?: string }).step;
    const found = checkCertificate(JSON.parse(JSON.stringify(base)), { ...demand, ...more });
    expect(found.map((each) => each.reason)).toEqual([reason]);
    // The reason, and what to do about it.
    expect(found.map(refusalText).join(' ')).toMatch(/\. ["A-Z].*\.$/);
  });

  it('of a deployment with itself is refused, however its address is written', ({ expect }) => {
    const itself = { ...certificate.control, address: 'http://localhost:8787/mcp/' };
    const again = { ...itself, address: 'HTTP://127.0.0.1:8787/mcp' };
    const free = { lanes: undefined, origin: undefined } as unknown as Partial<Demand>;
    expect(refusals({ control: itself, candidate: again }, free)).toEqual(['itself']);
    expect(refusals({ control: itself, candidate: { ...again, differsBy: ['header x-version'] } }, free)).toEqual([]);
    expect(refusals({ control: itself, candidate: { ...again, era: '2026' } }, free)).toEqual([]);
  });

  it('of a tool that takes few inputs needs all of them and no more', ({ expect }) => {
    expect(refusals({ tools: [toolOf({ succeeded: 1 }, { validInputs: 1 })] })).toEqual([]);
    expect(refusals({ tools: [toolOf({ succeeded: 1 }, { validInputs: 2 })] })).toEqual(['too_few_succeeded']);
  });

  it('with a bound that it does not have is computed again', ({ expect }) => {
    const tools = [{ ...toolOf({ succeeded: 25 }), upperBound95: 0 }];
    expect(refusals({ tools }, { maxUpperBound: 0.1 })).toEqual(['bound_too_high']);
  });

  it('of an earlier form is refused with what to do, and what is none is not read', ({ expect }) => {
    const earlier = { ...certificate, format: 'mcp-parity-certificate/1' };
    const [refusal, ...others] = checkCertificate(earlier, demand);
    expect(others).toEqual([]);
    expect(refusal && refusalText(refusal)).toBe(
      'It is of an earlier form (mcp-parity-certificate/1), which does not say what succeeded or which lanes were compared. Run the comparison again.',
    );
    expect(checkCertificate({ equal: true }, demand).map(({ reason }) => reason)).toEqual(['unreadable']);
  });

  it('asks less of a tool that knows only a few things, where that is said', ({ expect }) => {
    const tools = [toolOf({ succeeded: 8 })];
    expect(refusals({ tools }, { least: readLeast('20,add=8')! })).toEqual([]);
    expect(refusals({ tools }, { least: readLeast('20,add=9')! })).toEqual(['too_few_succeeded']);
    expect(['20', 'a=3,7', '0', 'a=', 'x'].map(readLeast)).toEqual([
      { usual: 20, of: {} },
      { usual: 7, of: { a: 3 } },
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('excuses what is exempt', ({ expect }) => {
    expect(refusals({ notCompared: [{ tool: 'write', reason: 'writes' }] }, { exempt: ['write'] })).toEqual([]);
    expect(refusals({ tools: [never, toolOf({ tool: 'put' })] }, { exempt: ['add'] })).toEqual([]);
  });
});

describe('a signature', () => {
  const key = 'k'.repeat(32);
  const made = signed({ seed: 1, equal: false } as unknown as Certificate, key);

  it('fits whatever the order of the keys, and no edited file', ({ expect }) => {
    expect(signatureOf(made, key)).toBe('good');
    expect(signatureOf({ signature: made.signature, equal: false, seed: 1 }, key)).toBe('good');
    expect(signatureOf({ ...made, equal: true }, key)).toBe('bad');
    expect(signatureOf(made, 'j'.repeat(32))).toBe('bad');
    expect(signatureOf({ ...made, signature: { algorithm: 'HMAC-SHA256', value: 'zz' } }, key)).toBe('bad');
    expect([signatureOf(made, undefined), signatureOf({ seed: 1 }, key), signatureOf(3, key)]).toEqual([
      'unsigned',
      'unsigned',
      'unsigned',
    ]);
  });
});

describe('the number of valid inputs', () => {
  it.for([
    [{ type: 'object' }, 1],
    [{ type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] }, 2],
    [{ type: 'object', properties: { a: { type: 'boolean' }, b: { enum: [1, 2, 3] } }, required: ['a'] }, 8],
    [{ type: 'object', properties: { a: { const: 1 } } }, 2],
    [{ type: 'object', properties: { a: { type: 'string' } } }, undefined],
    [{ type: 'object', additionalProperties: { type: 'string' } }, undefined],
    [{ anyOf: [{}] }, undefined],
  ] as const)('of %o is %s', ([schema, count], { expect }) => {
    expect(countInputs(schema)).toBe(count);
  });
});
