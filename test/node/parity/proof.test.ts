/** Shrinking, the bound on a rate, and the certificate. */
import { describe, it } from 'vitest';
import { upperBound } from '../../../src/parity/bound.ts';
import { certifiedTool, checkCertificate, type Certificate } from '../../../src/parity/certificate.ts';
import { shrink } from '../../../src/parity/shrink.ts';
import { isPlainObject, type Json } from '../../../src/shared/json.ts';

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
  const target = { name: 'x', address: 'http://x/mcp', era: '2025' as const, protocol: '2025-11-25', version: 'x 1' };
  const certificate: Certificate = {
    format: 'mcp-parity-certificate/1',
    date: '2026-06-01T12:00:00.000Z',
    seed: 1,
    equal: true,
    control: { ...target, catalogueSha256: 'a'.repeat(64) },
    candidate: { ...target, catalogueSha256: 'b'.repeat(64) },
    tools: [certifiedTool({ tool: 'add', calls: 300, distinctInputs: 300, mismatches: 0, noisyPaths: [] })],
    notCompared: [],
    noisyTools: [],
    allowed: [],
  };
  const demand = { now: new Date('2026-06-01T13:00:00Z'), maxAgeMs: 2 * 3_600_000, maxUpperBound: 0.01 };
  const refusals = (over: Partial<Certificate>, more: object = {}): string[] =>
    checkCertificate({ ...certificate, ...over }, { ...demand, ...more }).map(({ reason }) => reason);

  it('that is fresh and good is accepted', ({ expect }) => {
    expect(refusals({})).toEqual([]);
    expect(refusals({}, { catalogues: { control: 'a'.repeat(64), candidate: 'b'.repeat(64) } })).toEqual([]);
  });

  it.for([
    ['not_equal', { equal: false }, {}],
    ['too_old', {}, { now: new Date('2026-06-01T15:00:00Z') }],
    ['from_the_future', {}, { now: new Date('2026-06-01T11:00:00Z') }],
    ['other_catalogue', {}, { catalogues: { candidate: 'c'.repeat(64) } }],
    ['nothing_compared', { tools: [] }, {}],
    ['not_compared', { notCompared: [{ tool: 'write', reason: 'writes' }] }, {}],
    ['bound_too_high', {}, { maxUpperBound: 0.001 }],
  ] as const)('is refused: %s', ([reason, over, more], { expect }) => {
    expect(refusals(over as Partial<Certificate>, more)).toEqual([reason]);
  });

  it('with a bound that it does not have is computed again', ({ expect }) => {
    const [tool] = certificate.tools;
    expect(refusals({ tools: [{ ...tool!, distinctInputs: 3, upperBound95: 0 }] })).toEqual(['bound_too_high']);
  });

  it('excuses what is exempt, and does not read what is none', ({ expect }) => {
    expect(refusals({ notCompared: [{ tool: 'write', reason: 'writes' }] }, { exempt: ['write'] })).toEqual([]);
    expect(checkCertificate({ equal: true }, demand).map(({ reason }) => reason)).toEqual(['unreadable']);
  });
});
