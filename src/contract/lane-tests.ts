/**
 * The contract of a Worker's lanes as a list of tests: what each lane lists and answers, held against a literal or against
 * the first lane, over the real wire of each.
 */
import { Aliases } from '../parity/alias.ts';
import { compare } from '../parity/compare.ts';
import type { Difference } from '../parity/difference.ts';
import { DifferenceLedger, type KnownDifference } from '../parity/known.ts';
import { observe, type Observation } from '../parity/observe.ts';
import { sanitize, type SanitizerName } from '../parity/sanitize.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import { LANE_NAMES, openLane, type LaneName, type WireOptions } from './wire.ts';

/** One request of a case. A text `<name 1>` in its parameters stands for the first handle that the case was given. */
export interface LaneStep {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Requests of one client, in order, of which the last answer is compared. */
export interface LaneCase {
  readonly name: string;
  readonly steps: readonly LaneStep[];
  /** What every lane must answer. Without it, what the first lane answers. */
  readonly expected?: Observation;
}

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
 * The lanes are not equal, or the tests do not look at all there is. The message says where, and what to do.
 *
 * @example
 * ```ts
 * const [test] = laneTests({ send: fetch, origin: 'https://example.com', cases: [{ name: 'add', steps: [callTool('add')] }] });
 * await test?.run().catch((error: unknown) => {
 *   if (error instanceof LaneTestError) console.error(error.differences);
 * });
 * ```
 */
export class LaneTestError extends Error {
  override readonly name = 'LaneTestError';
  readonly differences: readonly Difference[];

  constructor(message: string, differences: readonly Difference[] = []) {
    super(message);
    this.differences = differences;
  }
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
  const cases = [...LISTS, ...options.cases];
  if (options.cases.length === 0) throw new TypeError('laneTests was given no cases. Give one for each tool at least.');
  const names = cases.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new TypeError(`Two cases are named "${twice}". Give each a name of its own.`);
  const [first] = lanes;
  if (first === undefined) throw new TypeError('laneTests was given no lanes. Leave "lanes" out to test all three.');

  const ledger = new DifferenceLedger(knownDifferences);
  const seen = new Map<string, Promise<Observation>>();
  const saw = (lane: LaneName, item: LaneCase): Promise<Observation> => {
    const key = `${lane} ${item.name}`;
    const run = seen.get(key) ?? runCase(lane, item, options);
    seen.set(key, run);
    return run;
  };
  const hold = async (lane: LaneName, item: LaneCase): Promise<void> => {
    const control =
      item.expected === undefined
        ? { lane: first, saw: await saw(first, item) }
        : { lane: 'expected', saw: item.expected };
    const candidate = { lane, saw: await saw(lane, item) };
    const { verdict, cause, differences } = compare({ case: item.name, control, candidate }, ledger);
    if (verdict === 'match' || verdict === 'known_difference') return;
    throw new LaneTestError(cause ?? differenceText(item, control.lane, lane, differences), differences);
  };

  const tests = cases.flatMap((item) =>
    lanes.map((lane) => ({ name: `${item.name}, on ${lane}`, run: () => hold(lane, item) })),
  );
  return [
    ...tests,
    {
      name: 'every tool has a case',
      run: async () => coverTools(await saw(first, LISTS[0] as LaneCase), options.cases, uncalled),
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

/** On a lane of its own, so that no state goes from one case into another. */
async function runCase(name: LaneName, { steps }: LaneCase, options: LaneTestsOptions): Promise<Observation> {
  const lane = await openLane(name, { ...options, origin: options.origin ?? 'http://localhost' });
  const aliases = new Aliases();
  let last: Observation = { kind: 'harness_error', cause: 'the case has no steps' };
  try {
    for (const { method, params } of steps) {
      const { answer, status } = await lane.request(
        method,
        aliases.restore((params ?? {}) as Json) as Record<string, unknown>,
      );
      const observed: Observation =
        answer === undefined
          ? { kind: 'harness_error', cause: `HTTP status ${status} without a JSON-RPC answer to ${method}` }
          : observe(answer);
      last = sanitize(aliases.apply(observed), toolOf(params), { names: options.sanitize ?? [], paths: [] });
    }
  } finally {
    await lane.close();
  }
  return last;
}

const toolOf = (params: LaneStep['params']): string => (typeof params?.['name'] === 'string' ? params['name'] : '');

function coverTools(list: Observation, cases: readonly LaneCase[], uncalled: readonly string[]): void {
  const tools =
    list.kind === 'result' ? (list.result['tools'] as readonly { readonly name: string }[] | undefined) : [];
  const listed = (tools ?? []).map(({ name }) => name);
  if (listed.length === 0) throw new LaneTestError(`No tool is listed, so nothing was proven: ${JSON.stringify(list)}`);
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
