/** Flags: percentages that only grow, and a flag source that is wrong, silent or gone and moves nobody. */
import type { EvaluationContext, Provider, ResolutionDetails } from '@openfeature/server-sdk';
import * as fc from 'fast-check';
import { describe, it, vi } from 'vitest';
import { createBrakeReader } from '../../../src/cutover/brake.ts';
import { inRollout } from '../../../src/cutover/bucket.ts';
import { createFlags, FLAG_CACHE_MS } from '../../../src/cutover/flags/flags.ts';
import { VariablesProvider } from '../../../src/cutover/flags/variables-provider.ts';
import type { Report } from '../../../src/shared/pipeline/report.ts';

const ctx = { waitUntil: () => undefined };
const ASKER = { bucket: 'abc', clientName: 'one', clientVersion: '1.0.0', era: '2025' } as const;

/** A Flagship binding whose answers the test chooses. */
function binding(answer: (key: string, context: EvaluationContext) => unknown) {
  let asked = 0;
  const getDetails = (key: string, _default: unknown, context: EvaluationContext): unknown => {
    asked += 1;
    return answer(key, context);
  };
  return {
    FLAGS: { getStringDetails: getDetails, getDetails, getStringValue: getDetails } as never,
    asked: () => asked,
  };
}
const says = (value: string) => ({ flagKey: 'k', value, variant: value, reason: 'STATIC' });

function flagsOver(answer: (key: string, context: EvaluationContext) => unknown) {
  const reports: Report[] = [];
  let nowMs = 0;
  const source = binding(answer);
  const flags = createFlags(
    source,
    (what) => void reports.push(what),
    () => nowMs,
  );
  return { flags, reports, asked: source.asked, later: (ms: number) => void (nowMs += ms) };
}

describe('percentages', () => {
  it('only grow: whoever is in stays in', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (key, one, other) => {
          const [low, high] = one < other ? [one, other] : [other, one];
          return !inRollout(key, 'salt', low) || inRollout(key, 'salt', high);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('are about what they say, and nobody and everybody at the ends', ({ expect }) => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `client ${index}`);
    const share = (percent: number): number => keys.filter((key) => inRollout(key, 'legacy-route', percent)).length;
    expect([share(0), share(100)]).toEqual([0, 10_000]);
    expect(share(25)).toBeGreaterThan(2_350);
    expect(share(25)).toBeLessThan(2_650);
  });
});

describe('the variables as a flag source', () => {
  const resolve = (
    vars: Record<string, unknown>,
    context: EvaluationContext = {},
  ): Promise<ResolutionDetails<string>> =>
    new VariablesProvider(vars).resolveStringEvaluation('legacy-route', 'legacy', context);

  it('serve the route as before where nothing is set', async ({ expect }) => {
    expect(await resolve({})).toEqual({ value: 'legacy', reason: 'STATIC' });
  });

  it('give named clients and a percentage the next stage', async ({ expect }) => {
    const vars = {
      LEGACY_ROUTE_STAGE: 'legacy',
      LEGACY_ROUTE_NEXT: 'stateless',
      LEGACY_ROUTE_PERCENT: '50',
      LEGACY_ROUTE_CLIENTS: 'one, two',
    };
    expect(await resolve(vars, { clientName: 'two' })).toEqual({ value: 'stateless', reason: 'TARGETING_MATCH' });
    const values = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => (await resolve(vars, { targetingKey: `c${index}` })).value),
    );
    expect(values.filter((value) => value === 'stateless').length).toBeGreaterThan(70);
    expect(values.filter((value) => value === 'legacy').length).toBeGreaterThan(70);
    expect((await resolve(vars)).value).toBe('legacy');
  });

  it.for([
    [{ LEGACY_ROUTE_STAGE: 'sideways' }, 'LEGACY_ROUTE_STAGE must be one of legacy, shadow, stateless, gone.'],
    [{ LEGACY_ROUTE_NEXT: 'off' }, 'LEGACY_ROUTE_NEXT must be one of legacy, shadow, stateless, gone.'],
    [
      { LEGACY_ROUTE_NEXT: 'stateless', LEGACY_ROUTE_PERCENT: '101' },
      'LEGACY_ROUTE_PERCENT must be a number from 0 to 100.',
    ],
  ] as const)('name what is wrong: %o', async ([vars, message], { expect }) => {
    expect(await resolve(vars)).toMatchObject({ reason: 'ERROR', errorMessage: message });
  });

  it('know no other flag and no other type', async ({ expect }) => {
    const provider: Provider = new VariablesProvider({});
    expect((await provider.resolveStringEvaluation('other', 'x', {}, console)).errorCode).toBe('FLAG_NOT_FOUND');
    expect((await provider.resolveBooleanEvaluation('legacy-route', true, {}, console)).errorCode).toBe(
      'TYPE_MISMATCH',
    );
  });
});

describe('reading a flag', () => {
  it('gives the stage, and asks once for the same client while it is fresh', async ({ expect }) => {
    const { flags, asked, later } = flagsOver(() => says('stateless'));
    expect(await flags.stageFor('legacy', ASKER)).toEqual({ stage: 'stateless', reason: 'flag' });
    await flags.stageFor('legacy', ASKER);
    expect(asked()).toBe(1);
    later(FLAG_CACHE_MS);
    await flags.stageFor('legacy', ASKER);
    expect(asked()).toBe(2);
  });

  it('tells the flag source the client, the era and the bucket, and nothing else', async ({ expect }) => {
    const seen: EvaluationContext[] = [];
    const { flags } = flagsOver((_key, context) => (seen.push(context), says('legacy')));
    await flags.stageFor('legacy', { ...ASKER, subject: 'ann' });
    expect(seen).toEqual([
      { targetingKey: 'abc', clientName: 'one', clientVersion: '1.0.0', era: '2025', subject: 'ann' },
    ]);
  });

  it.for([
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    [
      'is broken',
      () => ({ flagKey: 'k', value: 'legacy', reason: 'ERROR', errorCode: 'GENERAL', errorMessage: 'down' }),
    ],
    ['gives another type', () => ({ flagKey: 'k', value: 'legacy', reason: 'ERROR', errorCode: 'TYPE_MISMATCH' })],
    ['gives no stage', () => says('sideways')],
    ['has lost the flag', () => ({ flagKey: 'k', value: 'x', reason: 'ERROR', errorCode: 'FLAG_NOT_FOUND' })],
    ['is disabled', () => ({ flagKey: 'k', value: 'legacy', variant: 'legacy', reason: 'DISABLED' })],
  ] as const)('a source that %s moves nobody: the last good answer stands', async ([, fails], { expect }) => {
    let answer: () => unknown = () => says('stateless');
    const { flags, reports, later } = flagsOver(() => answer());
    expect((await flags.stageFor('legacy', ASKER)).stage).toBe('stateless');
    answer = fails;
    later(FLAG_CACHE_MS);
    expect(await flags.stageFor('legacy', ASKER)).toEqual({ stage: 'stateless', reason: 'flag_unreadable' });
    const stranger = await flags.stageFor('legacy', { ...ASKER, bucket: 'new' });
    expect(stranger.stage).toBe('legacy');
    expect(reports.map(({ fault }) => fault)).toContain('flag_unreadable');
  });

  it('a source that hangs is given up, and moves nobody', async ({ expect }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { flags } = flagsOver(() => new Promise(() => undefined));
    const value = flags.stageFor('mcp', ASKER);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await value).toEqual({ stage: 'stateless', reason: 'flag_unreadable' });
    vi.useRealTimers();
  });

  it('a flag that does not exist is what the route did before', async ({ expect }) => {
    const { flags } = flagsOver(() => ({
      flagKey: 'k',
      value: 'x',
      reason: 'ERROR',
      errorCode: 'FLAG_NOT_FOUND',
      errorMessage: 'none',
    }));
    expect(await flags.stageFor('legacy', ASKER)).toEqual({ stage: 'legacy', reason: 'flag_missing' });
  });

  it('a percentage drawn without a key is no answer for a whole route', async ({ expect }) => {
    const { flags } = flagsOver(() => ({ ...says('stateless'), reason: 'SPLIT' }));
    expect(await flags.stageOf('legacy', ctx)).toEqual({ stage: 'legacy', reason: 'flag' });
    expect((await flags.stageFor('legacy', ASKER)).stage).toBe('stateless');
  });

  it('the stage of a route is refreshed behind the request', async ({ expect }) => {
    let stage = 'legacy';
    const work: Promise<unknown>[] = [];
    const { flags, later } = flagsOver(() => says(stage));
    const behind = { waitUntil: (promise: Promise<unknown>) => void work.push(promise) };
    expect((await flags.stageOf('legacy', behind)).stage).toBe('legacy');
    stage = 'gone';
    later(FLAG_CACHE_MS);
    expect((await flags.stageOf('legacy', behind)).stage).toBe('legacy');
    await Promise.all(work);
    expect([work.length, (await flags.stageOf('legacy', behind)).stage]).toEqual([1, 'gone']);
  });
});

describe('the brake', () => {
  function brakeOver(brake: () => Promise<{ on: boolean }>) {
    let nowMs = 0;
    const env = { OPERATOR_OBJECT: { getByName: () => ({ brake }) } as never };
    return {
      reader: createBrakeReader(
        env,
        () => undefined,
        () => nowMs,
      ),
      later: (ms: number) => void (nowMs += ms),
    };
  }

  it('is read again after two seconds, and what was known stands when it cannot be read', async ({ expect }) => {
    let brake = (): Promise<{ on: boolean }> => Promise.resolve({ on: true });
    const { reader, later } = brakeOver(() => brake());
    expect(await reader.isOn()).toBe(true);
    brake = () => Promise.reject(new Error('down'));
    later(2_000);
    expect(await reader.isOn()).toBe(true);
    brake = () => Promise.resolve({ on: false });
    expect(await reader.isOn()).toBe(true);
    later(2_000);
    expect(await reader.isOn()).toBe(false);
  });

  it('is off where there is no operator', async ({ expect }) => {
    expect(await createBrakeReader({}, () => undefined).isOn()).toBe(false);
  });
});
