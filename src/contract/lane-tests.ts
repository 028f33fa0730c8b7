/**
 * The contract of a Worker's lanes as a list of tests: what each lane lists and answers, held against a literal or against
 * the first lane, over the real wire of each.
 */
import { compare } from '../parity/compare.ts';
import type { Difference } from '../parity/difference.ts';
import { DifferenceLedger, type KnownDifference } from '../parity/known.ts';
import type { Observation } from '../parity/observe.ts';
import type { SanitizerName } from '../parity/sanitize.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import { callersOf, callerTests, type LaneCaller, type Who } from './callers.ts';
import { LaneTestError, runCase, toolOf, type LaneCase, type LaneStep } from './run-case.ts';
import { LANE_NAMES, type LaneName, type WireOptions } from './wire.ts';

/** How the Worker is reached, which calls are made on each lane, and what may differ. */
export interface LaneTestsOptions extends Pick<WireOptions, 'send' | 'capabilities' | 'paths' | 'headers'> {
  readonly cases: readonly LaneCase[];
  /** The lanes of the Worker. Default: all three. The first is what the others are compared with. */
  readonly lanes?: readonly LaneName[];
  /** Where the requests go. Default: `http://localhost`. */
  readonly origin?: string;
  /** Differences that must stay, each with its reason. One that does not happen fails. */
  readonly knownDifferences?: readonly KnownDifference[];
  /** Forms of text that are meant to differ between two calls, such as `timestamp` or `uuid`. Handles are known. */
  readonly sanitize?: readonly SanitizerName[];
  /**
   * Callers of different rights, by names of your own. Every case is made as each of them, and all of them at the same time;
   * what only others are listed has to be unknown. Default: one caller.
   */
  readonly callers?: Readonly<Record<string, LaneCaller>>;
  /** Tools that no case calls, on purpose. Any other tool without a case fails. */
  readonly uncalled?: readonly string[];
}

/** A test for any runner: `it(test.name, test.run)`. */
export interface LaneTest {
  readonly name: string;
  /** Rejects with a {@link LaneTestError}. */
  readonly run: () => Promise<void>;
}

/**
 * The step that calls a tool.
 *
 * @example
 * ```ts
 * const increment = { name: 'a counter counts', steps: [callTool('increment', { by: 2 })] };
 * ```
 */
export const callTool = (name: string, args: JsonObject = {}): LaneStep => ({
  method: 'tools/call',
  params: { name, arguments: args },
});

const LISTS: readonly LaneCase[] = [
  ['the list of tools', 'tools/list'],
  ['the list of prompts', 'prompts/list'],
  ['the list of resources', 'resources/list'],
  ['the list of resource templates', 'resources/templates/list'],
].map(([name = '', method = '']) => ({ name, steps: [{ method }] }));

/**
 * Makes the tests that hold all lanes of a Worker equal: what they list, each case on each lane, a case for every tool,
 * and no known difference that no longer happens.
 *
 * @throws TypeError if there are no cases, or if two have the same name.
 * @example
 * ```ts
 * // In a test file of `@cloudflare/vitest-plugin`; with a Worker that runs elsewhere, `send` is `fetch` and `origin` its URL.
 * import { exports } from 'cloudflare:workers';
 * import { it } from 'vitest';
 *
 * const send = (request: Request) => exports.default.fetch(request);
 * const cases = [{ name: 'add adds', steps: [callTool('add', { a: 2, b: 3 })] }];
 * for (const { name, run } of laneTests({ send, cases })) it(name, run);
 * ```
 */
export function laneTests(options: LaneTestsOptions): readonly LaneTest[] {
  const { lanes = LANE_NAMES, knownDifferences = [], uncalled = [] } = options;
  const whos = callersOf(options);
  const [first, somebody] = [lanes[0], whos[0]];
  const cases = [...LISTS, ...options.cases];
  refuseUnusable(options, cases);
  if (first === undefined) throw new TypeError('laneTests was given no lanes. Leave "lanes" out to test all three.');
  if (somebody === undefined)
    throw new TypeError('laneTests was given no callers. Leave "callers" out to test as one.');

  const ledger = new DifferenceLedger(knownDifferences);
  const seen = new Map<string, Promise<Observation>>();
  const saw = (lane: LaneName, item: LaneCase, who: Who): Promise<Observation> => {
    const key = JSON.stringify([lane, item.name, who.name]);
    const run = seen.get(key) ?? runCase(lane, item, who.options);
    seen.set(key, run);
    return run;
  };
  const hold = async (lane: LaneName, item: LaneCase, who: Who): Promise<void> => {
    const control =
      item.expected === undefined
        ? { lane: first, saw: await saw(first, item, who) }
        : { lane: 'expected', saw: item.expected };
    const candidate = { lane, saw: await saw(lane, item, who) };
    const { verdict, cause, differences } = compare({ case: item.name, control, candidate }, ledger);
    if (verdict === 'match' || verdict === 'known_difference') return;
    throw new LaneTestError(cause ?? differenceText(item, control.lane, lane, differences), differences);
  };
  const casesOf = ({ name }: Who): readonly LaneCase[] =>
    cases.filter(({ as }) => as === undefined || name === undefined || as === name);
  const toolsOf = async (lane: LaneName, who: Who): Promise<readonly string[]> =>
    toolsIn(await saw(lane, LISTS[0] as LaneCase, who));

  const tests = whos.flatMap((who) =>
    casesOf(who).flatMap((item) =>
      lanes.map((lane) => ({
        name: `${item.name}${who.name === undefined ? '' : `, as ${who.name}`}, on ${lane}`,
        run: () => hold(lane, item, who),
      })),
    ),
  );
  return [
    ...tests,
    ...callerTests({ lanes, whos, cases: casesOf, saw, toolsOf }),
    {
      name: 'every tool has a case',
      run: async () => {
        const listed = await Promise.all(whos.map((who) => toolsOf(first, who)));
        coverTools([...new Set(listed.flat())], options.cases, uncalled);
      },
    },
    {
      name: 'every known difference happens',
      run: async () => {
        // Whichever tests the runner has chosen: a row can be judged after all of them only.
        await Promise.allSettled(tests.map(({ run }) => run()));
        const stale = ledger.stale().map(({ id }) => id);
        if (stale.length > 0)
          throw new LaneTestError(`These known differences no longer happen; delete them: ${stale.join(', ')}`);
      },
    },
  ];
}

function refuseUnusable({ cases, callers }: LaneTestsOptions, all: readonly LaneCase[]): void {
  if (cases.length === 0) throw new TypeError('laneTests was given no cases. Give one for each tool at least.');
  const names = all.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new TypeError(`Two cases are named "${twice}". Give each a name of its own.`);
  const stranger = cases.find(({ as }) => as !== undefined && !Object.hasOwn(callers ?? {}, as));
  if (stranger === undefined) return;
  throw new TypeError(
    `The case "${stranger.name}" is made as "${stranger.as}", who is not in "callers". Add the caller, or leave "as" out.`,
  );
}

function toolsIn(list: Observation): readonly string[] {
  const tools =
    list.kind === 'result' ? (list.result['tools'] as readonly { readonly name: string }[] | undefined) : [];
  const names = (tools ?? []).map(({ name }) => name);
  if (names.length === 0) throw new LaneTestError(`No tool is listed, so nothing was proven: ${JSON.stringify(list)}`);
  return names;
}

function coverTools(listed: readonly string[], cases: readonly LaneCase[], uncalled: readonly string[]): void {
  const called = new Set([
    ...uncalled,
    ...cases.flatMap(({ steps }) =>
      steps.filter(({ method }) => method === 'tools/call').map(({ params }) => toolOf(params)),
    ),
  ]);
  const left = listed.filter((name) => !called.has(name));
  if (left.length > 0)
    throw new LaneTestError(`No case calls ${left.join(', ')}. Add one for each, or name it in "uncalled".`);
}

function differenceText(item: LaneCase, control: string, lane: string, differences: readonly Difference[]): string {
  const places = differences.map(
    ({ path, control: left, candidate: right }) =>
      `  ${path === '' ? 'the answer' : path}\n    ${control}: ${valueText(left)}\n    ${lane}: ${valueText(right)}`,
  );
  return [`"${item.name}" is answered otherwise on ${lane}:`, ...places].join('\n');
}

const valueText = (value: Json | undefined): string => (value === undefined ? 'nothing' : JSON.stringify(value));
