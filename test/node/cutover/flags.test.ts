/** Flags: percentages that only grow, and a flag source that is wrong, silent or gone and moves nobody. */
import type { EvaluationContext, Provider, ResolutionDetails } from '@openfeature/server-sdk';
import * as fc from 'fast-check';
import { describe, it, vi } from 'vitest';
import { createBrakeReader } from '../../../src/cutover/brake.ts';
import { inRollout } from '../../../src/cutover/bucket.ts';
import { createFlags, FLAG_CACHE_MS, type Flags, type StageMemory } from '../../../src/cutover/flags/flags.ts';
import { providerFor } from '../../../src/cutover/flags/provider.ts';
import { VariablesProvider } from '../../../src/cutover/flags/variables-provider.ts';
import type { Report } from '../../../src/shared/pipeline/report.ts';
import { reportLine } from '../../../src/state/log.ts';

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

/** What the deployment remembers for all its isolates. */
function stagesKept(): StageMemory {
  const stages = new Map<string, string>();
  return {
    recall: async (route) => stages.get(route),
    keep: async (route, stage) => void stages.set(route, stage),
  };
}

function flagsOver(answer: (key: string, context: EvaluationContext) => unknown, memory = stagesKept()) {
  const reports: Report[] = [];
  let nowMs = 0;
  const source = binding(answer);
  /** Another isolate of the same deployment. */
  const isolate = (): Flags =>
    createFlags({
      source: providerFor(source),
      report: (what) => void reports.push(what),
      memory,
      now: () => nowMs,
    });
  return { flags: isolate(), isolate, reports, asked: source.asked, later: (ms: number) => void (nowMs += ms) };
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
  it('gives the stage, and asks once for the same client and once for its route while they are fresh', async ({
    expect,
  }) => {
    const { flags, asked, later } = flagsOver(() => says('stateless'));
    expect(await flags.stageFor('legacy', ASKER, ctx)).toEqual({ stage: 'stateless', reason: 'flag' });
    await flags.stageFor('legacy', ASKER, ctx);
    expect(asked()).toBe(2);
    later(FLAG_CACHE_MS);
    await flags.stageFor('legacy', ASKER, ctx);
    expect(asked()).toBe(4);
  });

  it('tells the flag source the client, the era and the bucket, and nothing else', async ({ expect }) => {
    const seen: EvaluationContext[] = [];
    const { flags } = flagsOver((_key, context) => (seen.push(context), says('legacy')));
    await flags.stageFor('legacy', { ...ASKER, subject: 'ann' }, ctx);
    expect(seen).toEqual([
      // The route itself, which nobody in particular asks for.
      {},
      { targetingKey: 'abc', clientName: 'one', clientVersion: '1.0.0', era: '2025', subject: 'ann' },
    ]);
  });

  it('a source that hangs is given up, and moves nobody', async ({ expect }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { flags } = flagsOver(() => new Promise(() => undefined));
    const value = flags.stageFor('mcp', ASKER, ctx);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await value).toMatchObject({ stage: 'stateless', reason: 'flag_unreadable' });
    vi.useRealTimers();
  });

  it('a percentage drawn without a key is no answer for a whole route', async ({ expect }) => {
    const { flags } = flagsOver(() => ({ ...says('stateless'), reason: 'SPLIT' }));
    expect(await flags.stageOf('legacy', ctx)).toEqual({ stage: 'legacy', reason: 'flag' });
    expect((await flags.stageFor('legacy', ASKER, ctx)).stage).toBe('stateless');
  });
});

const ERROR = { flagKey: 'k', value: 'legacy', reason: 'ERROR' } as const;
const MISSING = { ...ERROR, errorCode: 'FLAG_NOT_FOUND', errorMessage: 'none' } as const;
/** Every way in which a flag that was read can be lost, and what is said of it. */
const LOSSES = [
  ['throws', () => Promise.reject(new Error('down')), 'The flag legacy-route cannot be read: down'],
  [
    'is broken',
    () => ({ ...ERROR, errorCode: 'GENERAL', errorMessage: 'down' }),
    'The flag legacy-route cannot be read: down',
  ],
  [
    'gives another type',
    () => ({ ...ERROR, errorCode: 'TYPE_MISMATCH' }),
    'The flag legacy-route cannot be read: Binding error: TYPE_MISMATCH',
  ],
  [
    'gives a value of another type',
    () => ({ ...says('legacy'), value: false }),
    'The flag legacy-route cannot be read: Flag "legacy-route" type mismatch: expected string, got boolean',
  ],
  ['gives no stage', () => says('sideways'), 'The flag legacy-route has a value that is no stage of its route.'],
  ['has lost the flag', () => MISSING, 'The flag legacy-route is not there any more.'],
  ['is disabled', () => ({ ...says('legacy'), reason: 'DISABLED' }), 'The flag legacy-route is disabled.'],
] as const;

describe('a flag that is lost', () => {
  it('on a route where sessions only begin moves nobody who comes new, in this isolate and in a fresh one', async ({
    expect,
  }) => {
    let answer: () => unknown = () => says('stateless');
    const { flags, isolate, later } = flagsOver(() => answer());
    const work: Promise<unknown>[] = [];
    const background = { waitUntil: (promise: Promise<unknown>) => void work.push(promise) };
    expect((await flags.stageFor('legacy', ASKER, background)).stage).toBe('stateless');
    expect(work.length).toBeGreaterThan(0);
    // Reading the route itself begins to remember it, which is work of its own.
    await Promise.all(work);
    await Promise.all(work);
    answer = () => MISSING;
    later(FLAG_CACHE_MS);
    const held = { stage: 'stateless', reason: 'flag_unreadable' };
    expect(await flags.stageFor('legacy', { ...ASKER, bucket: 'somebody new' }, ctx)).toMatchObject(held);
    expect(await isolate().stageFor('legacy', { ...ASKER, bucket: 'somebody else' }, ctx)).toMatchObject(held);
  });

  it.for(LOSSES)(
    'because its source %s moves nobody, however often it is asked',
    async ([, fails, problem], { expect }) => {
      let answer: () => unknown = () => says('stateless');
      const { flags, isolate, reports, later } = flagsOver(() => answer());
      const quiet = isolate();
      await flags.stageOf('legacy', ctx);
      await flags.stageFor('legacy', ASKER, ctx);
      answer = fails;
      const held = { stage: 'stateless', reason: 'flag_unreadable', trouble: { problem, since: FLAG_CACHE_MS } };
      for (let round = 0; round < 4; round += 1) {
        later(FLAG_CACHE_MS);
        expect(await flags.stageOf('legacy', ctx)).toEqual(held);
        expect(await flags.stageFor('legacy', ASKER, ctx)).toEqual(held);
        // Whoever was never asked for stands where the route stands, in a fresh and in a quiet isolate as well.
        expect(await flags.stageFor('legacy', { ...ASKER, bucket: `new ${round}` }, ctx)).toEqual(held);
        expect(await isolate().stageFor('legacy', ASKER, ctx)).toMatchObject({
          stage: 'stateless',
          reason: 'flag_unreadable',
        });
        expect(await quiet.stageOf('legacy', ctx)).toMatchObject({ stage: 'stateless', reason: 'flag_unreadable' });
      }
      // Two isolates, and four fresh ones: each says it once.
      expect(reports.map(({ fault, cause }) => [fault, (cause as Error).message])).toEqual(
        Array.from({ length: 6 }, () => ['flag_unreadable', problem]),
      );
      answer = () => says('gone');
      later(FLAG_CACHE_MS);
      expect(await flags.stageOf('legacy', ctx)).toEqual({ stage: 'gone', reason: 'flag' });
    },
  );

  it('moves nobody if what the deployment remembers cannot be asked for', async ({ expect }) => {
    const silent: StageMemory = {
      recall: () => Promise.reject(new Error('down')),
      keep: () => Promise.reject(new Error('down')),
    };
    let answer: () => unknown = () => says('stateless');
    const { flags, isolate, reports, later } = flagsOver(() => answer(), silent);
    await flags.stageOf('legacy', ctx);
    answer = () => MISSING;
    later(FLAG_CACHE_MS);
    for (let round = 0; round < 3; round += 1) {
      expect(await flags.stageOf('legacy', ctx)).toMatchObject({ stage: 'stateless', reason: 'flag_unreadable' });
      later(FLAG_CACHE_MS);
    }
    expect(await isolate().stageOf('legacy', ctx)).toMatchObject({ stage: 'legacy', reason: 'flag_missing' });
    expect(new Set(reports.map(({ fault }) => fault))).toEqual(
      new Set(['dependency_unavailable', 'flag_unreadable', 'flag_missing']),
    );
  });
});

describe('a flag that was never made', () => {
  it('is what the route does without flags, and is said once and as what it is', async ({ expect }) => {
    const { flags, reports, later } = flagsOver(() => MISSING);
    for (let round = 0; round < 5; round += 1) {
      const trouble = { problem: 'The flag legacy-route was never made.', since: 0 };
      expect(await flags.stageOf('legacy', ctx)).toEqual({ stage: 'legacy', reason: 'flag_missing', trouble });
      expect(await flags.stageFor('legacy', ASKER, ctx)).toEqual({ stage: 'legacy', reason: 'flag_missing', trouble });
      later(FLAG_CACHE_MS);
    }
    expect(reports.map(({ fault }) => fault)).toEqual(['flag_missing']);
    expect(reportLine(reports[0] as Report)).toMatchObject({ level: 'warn', fault: 'flag_missing' });
  });
});

describe('a stage that is older than five seconds', () => {
  const ROUTES = [
    ['legacy', 'gone'],
    ['sse', 'gone'],
    ['mcp', 'off'],
  ] as const;

  it.for(ROUTES)('of %s is not used by an isolate that is fresh, quiet or busy', async ([route, to], { expect }) => {
    let stage = route === 'mcp' ? 'stateless' : 'legacy';
    const work: Promise<unknown>[] = [];
    const behind = { waitUntil: (promise: Promise<unknown>) => void work.push(promise) };
    const { flags: busy, isolate, asked, later } = flagsOver(() => says(stage));
    const quiet = isolate();
    expect((await quiet.stageOf(route, behind)).stage).toBe(stage);
    // Asked every 100 ms, a busy isolate has each next value read behind a request.
    for (let at = 0; at < 60_000; at += 100) {
      await busy.stageOf(route, behind);
      await Promise.all(work.splice(0));
      later(100);
    }
    expect(asked()).toBeGreaterThan(20);
    expect(asked()).toBeLessThan(30);
    const before = stage;
    stage = to;
    expect((await busy.stageOf(route, behind)).stage).toBe(before);
    later(FLAG_CACHE_MS);
    expect([
      (await isolate().stageOf(route, behind)).stage,
      (await quiet.stageOf(route, behind)).stage,
      (await busy.stageOf(route, behind)).stage,
    ]).toEqual([to, to, to]);
  });

  it('is waited for, and no longer than a second', async ({ expect }) => {
    let answer: () => unknown = () => says('legacy');
    const { flags, later } = flagsOver(() => answer());
    await flags.stageOf('legacy', ctx);
    answer = () => new Promise(() => undefined);
    later(60_000);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const value = flags.stageOf('legacy', ctx);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await value).toMatchObject({ stage: 'legacy', reason: 'flag_unreadable' });
    // And the next request does not wait again.
    expect(await flags.stageOf('legacy', ctx)).toMatchObject({ stage: 'legacy', reason: 'flag_unreadable' });
    vi.useRealTimers();
  });

  it('counts from the question, not from a late answer', async ({ expect }) => {
    const answers: ((value: unknown) => void)[] = [];
    const { flags, asked, later } = flagsOver(() => new Promise((resolve) => answers.push(resolve)));
    const first = flags.stageOf('legacy', ctx);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    later(900);
    answers[0]?.(says('legacy'));
    await first;
    later(FLAG_CACHE_MS - 900);
    const second = flags.stageOf('legacy', ctx);
    await vi.waitFor(() => expect(asked()).toBe(2));
    answers[1]?.(says('gone'));
    expect((await second).stage).toBe('gone');
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
