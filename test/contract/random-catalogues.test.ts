/**
 * The lanes are equal for catalogues that nobody thought of: random schemas, random tools, random calls over the real
 * wires, with no known difference at all. `FC_SEED` repeats a run, and `FC_RUNS` makes it longer.
 */
import { Validator, type Schema } from '@cfworker/json-schema';
import { env } from 'cloudflare:workers';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { Aliases } from '../../src/parity/alias.ts';
import { compare } from '../../src/parity/compare.ts';
import { DifferenceLedger } from '../../src/parity/known.ts';
import { observe, type Observation } from '../../src/parity/observe.ts';
import { isPlainObject, type JsonObject } from '../../src/shared/json.ts';
import { RANDOM_ORIGIN } from '../fixture/random.ts';
import { RANDOM_TOOLS } from '../fixture/random-options.ts';
import { callsOf, type DrawnCall } from '../support/random/calls.ts';
import { BEHAVIOURS, type DrawnTool } from '../support/random/draw.ts';
import { LANE_NAMES, openLane, type Lane } from '../support/wire.ts';
import { send } from './fixture-lanes.ts';

const { FC_SEED, FC_RUNS } = env as unknown as Readonly<Record<string, string>>;
const SEED = Number(FC_SEED);
const RUNS = Number(FC_RUNS);
/** A slow machine stops here with fewer runs, but never with less than what proves anything. */
const RUN_FOR_MS = Math.max(6_000, RUNS * 20);
/** After a failure: the time to make the example smaller. */
const SHRINK_FOR_MS = 15_000;
const none = new DifferenceLedger([]);

const counts = { compared: 0, valid: 0, refused: 0, structured: 0, behaviours: new Set<string>() };
const isEnough = (): boolean =>
  counts.compared >= 60 &&
  Math.min(counts.valid, counts.refused, counts.structured) >= 10 &&
  counts.behaviours.size === BEHAVIOURS.length;

const open = (): Promise<Lane[]> =>
  Promise.all(LANE_NAMES.map((name) => openLane(name, { origin: RANDOM_ORIGIN, send })));
const close = (lanes: readonly Lane[]): Promise<unknown> => Promise.all(lanes.map((lane) => lane.close()));

/** Each step on one lane. A counter goes on with the handle of its first answer. */
async function play(lane: Lane, tool: DrawnTool, calls: readonly DrawnCall[]): Promise<Observation[]> {
  const aliases = new Aliases();
  const seen: Observation[] = [];
  for (const { params } of calls) {
    const { arguments: args } = params;
    const onward = tool.behaviour === 'counter' && seen.length > 0 && isPlainObject(args);
    const sent: JsonObject = onward ? { ...params, arguments: { ...args, handle: '<name 1>' } } : params;
    const { answer } = await lane.request('tools/call', aliases.restore(sent) as Record<string, unknown>);
    seen.push(aliases.apply(observe(answer)));
  }
  return seen;
}

const refusedArguments = (saw: Observation): boolean =>
  saw.kind === 'result' &&
  String((saw.result['content'] as { text?: string }[])[0]?.text).startsWith('Invalid arguments for tool');

/** What this lane's own listing promises about a call and its answer; undefined where it kept the promise. */
function brokenPromise(entry: Listed, { intent, params }: DrawnCall, saw: Observation): string | undefined {
  if (params['name'] !== entry.name || saw.kind !== 'result') return undefined;
  if (intent === 'valid' && refusedArguments(saw)) return 'valid arguments were refused';
  const listed = new Validator(entry.inputSchema, '2020-12', false).validate(params['arguments']).valid;
  if (listed && refusedArguments(saw)) return 'arguments that fit the listed schema were refused';
  // Zod leaves `__proto__` out of what it reads, so what is in it does not count.
  const ignored = JSON.stringify(params).includes('"__proto__"');
  if (!listed && !ignored && !refusedArguments(saw)) return 'arguments that do not fit the listed schema were taken';
  const { structuredContent } = saw.result;
  if (entry.outputSchema === undefined || saw.result['isError'] === true) return undefined;
  counts.structured += 1;
  const result = new Validator(entry.outputSchema, '2020-12', false).validate(structuredContent);
  return result.valid ? undefined : `the result does not fit the listed schema: ${JSON.stringify(result.errors)}`;
}

interface Listed {
  readonly name: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema;
}

describe('random catalogues', () => {
  let shared: Lane[] = [];
  const listings = new Map<string, Map<string, Listed>>();

  beforeAll(async () => {
    shared = await open();
    for (const lane of shared) {
      const tools = (await lane.request('tools/list')).answer?.result?.['tools'] as Listed[];
      listings.set(lane.name, new Map(tools.map((tool) => [tool.name, tool])));
    }
  });
  afterAll(() => close(shared));

  const drawn = fc.constantFrom(...RANDOM_TOOLS).chain((tool) => {
    const calls = fc.array(callsOf(tool), { minLength: 1, maxLength: tool.behaviour === 'counter' ? 4 : 1 });
    return fc.record({ tool: fc.constant(tool), calls });
  });

  it('is listed the same on every lane', ({ expect }) => {
    const [first, ...others] = LANE_NAMES.map((name) => JSON.stringify([...(listings.get(name) ?? [])]));
    expect(listings.get(LANE_NAMES[0])?.size).toBe(35);
    expect(others).toEqual(LANE_NAMES.slice(1).map(() => first));
  });

  /** Throws where the lanes differ, or where one of them does not keep to what it listed. */
  async function check(tool: DrawnTool, calls: readonly DrawnCall[]): Promise<void> {
    // State belongs to a session on two lanes, so a sequence that has some starts on lanes of its own.
    const lanes = tool.behaviour === 'counter' ? await open() : shared;
    const played = await Promise.all(
      lanes.map(async (lane) => ({ lane: lane.name, seen: await play(lane, tool, calls) })),
    );
    if (lanes !== shared) await close(lanes);
    for (const [index, call] of calls.entries()) {
      const [control, ...candidates] = played.map(({ lane, seen }) => ({ lane, saw: seen[index]! }));
      for (const candidate of candidates) {
        const comparison = compare({ case: tool.name, control: control!, candidate }, none);
        if (comparison.verdict !== 'match')
          throw new Error(`${control!.lane} and ${candidate.lane}: ${JSON.stringify(comparison)}`);
      }
      for (const { lane, saw } of [control!, ...candidates]) {
        const broken = brokenPromise(listings.get(lane)!.get(tool.name)!, call, saw);
        if (broken !== undefined) throw new Error(`${lane}: ${broken}: ${JSON.stringify(saw)}`);
      }
      counts.compared += 1;
      counts.valid += call.intent === 'valid' ? 1 : 0;
      counts.refused += refusedArguments(control!.saw) ? 1 : 0;
      counts.behaviours.add(tool.behaviour);
    }
  }

  it(
    'every call is answered alike, and as its lane listed it',
    { timeout: RUN_FOR_MS * 2 + 30_000 },
    async ({ expect }) => {
      let until = Date.now() + RUN_FOR_MS;
      let failed = false;
      const property = fc.asyncProperty(drawn, async ({ tool, calls }) => {
        if (Date.now() > until && (failed || isEnough())) return;
        try {
          await check(tool, calls);
        } catch (cause) {
          if (!failed) until = Date.now() + SHRINK_FOR_MS;
          failed = true;
          throw cause;
        }
      });
      await fc.assert(property, { seed: SEED, numRuns: RUNS });

      const { compared, valid, refused, structured } = counts;
      console.log(
        `FC_SEED=${SEED}: ${compared} calls compared on ${LANE_NAMES.length} lanes, ${valid} valid, ${refused} with refused arguments, ${structured} structured results`,
      );
      expect(isEnough()).toBe(true);
    },
  );
});
