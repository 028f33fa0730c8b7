/** Tests with several callers of different rights: each is answered for itself, also while the others are. */
import { compare } from '../parity/compare.ts';
import { DifferenceLedger } from '../parity/known.ts';
import type { Observation } from '../parity/observe.ts';
import { LaneTestError, runCase, type CaseOptions, type LaneCase } from './run-case.ts';
import type { LaneName, WireOptions } from './wire.ts';

/** How one caller reaches the Worker: with headers of their own, or another `send`. */
export type LaneCaller = Partial<Pick<WireOptions, 'headers' | 'send'>>;

/** A caller with everything that a case is run with. */
export interface Who {
  /** Undefined where the tests have one caller only. */
  readonly name: string | undefined;
  readonly options: CaseOptions;
}

export function callersOf(
  options: CaseOptions & { readonly callers?: Readonly<Record<string, LaneCaller>> },
): readonly Who[] {
  const { callers, ...common } = options;
  if (callers === undefined) return [{ name: undefined, options: common }];
  return Object.entries(callers).map(([name, own]) => ({
    name,
    options: { ...common, ...own, headers: { ...common.headers, ...own.headers } },
  }));
}

export interface CallerTestsOptions {
  readonly lanes: readonly LaneName[];
  readonly whos: readonly Who[];
  readonly cases: (who: Who) => readonly LaneCase[];
  /** What a caller is answered alone. */
  readonly saw: (lane: LaneName, item: LaneCase, who: Who) => Promise<Observation>;
  /** The tools that a caller is listed. */
  readonly toolsOf: (lane: LaneName, who: Who) => Promise<readonly string[]>;
}

interface Test {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** None where there is one caller: nobody is beside them. */
export function callerTests(options: CallerTestsOptions): readonly Test[] {
  const { lanes, whos } = options;
  if (whos.length < 2) return [];
  return [
    ...lanes.flatMap((lane) => [
      { name: `callers are answered side by side as alone, on ${lane}`, run: () => sideBySide(lane, options) },
      { name: `what only other callers are listed is unknown, on ${lane}`, run: () => unknownTo(lane, options) },
    ]),
    { name: 'callers have different rights', run: () => areDifferent(options) },
  ];
}

async function sideBySide(lane: LaneName, { whos, cases, saw }: CallerTestsOptions): Promise<void> {
  const alone = new Map<Who, Observation[]>();
  for (const who of whos) {
    const answers: Observation[] = [];
    for (const item of cases(who)) answers.push(await saw(lane, item, who));
    alone.set(who, answers);
  }
  await Promise.all(
    whos.map(async (who) => {
      for (const [at, item] of cases(who).entries()) {
        const candidate = { lane: `${lane} beside others`, saw: await runCase(lane, item, who.options) };
        const control = { lane, saw: alone.get(who)?.[at] ?? { kind: 'harness_error' as const, cause: 'not asked' } };
        const { verdict, cause, differences } = compare(
          { case: item.name, control, candidate },
          new DifferenceLedger([]),
        );
        if (verdict === 'match') continue;
        const what = `"${item.name}", as ${who.name}, is answered otherwise on ${lane} while other callers call`;
        throw new LaneTestError(`${what}: ${cause ?? JSON.stringify(differences)}`, differences);
      }
    }),
  );
}

/** A name that nobody has given to a tool. */
const NEVER = 'no-such-tool-was-ever-here';

async function unknownTo(lane: LaneName, { whos, toolsOf }: CallerTestsOptions): Promise<void> {
  const listed = new Map<Who, ReadonlySet<string>>();
  for (const who of whos) listed.set(who, new Set(await toolsOf(lane, who)));
  const all = new Set([...listed.values()].flatMap((names) => [...names]));
  for (const who of whos) {
    const hidden = [...all].filter((name) => listed.get(who)?.has(name) !== true);
    const never = await answerTo(lane, NEVER, who);
    for (const name of hidden) {
      const answer = await answerTo(lane, name, who);
      if (answer === never) continue;
      throw new LaneTestError(
        `The tool "${name}" is not listed for ${who.name}, and on ${lane} its call is not answered as that of a name that never existed:\n  ${answer}\n  ${never}`,
      );
    }
  }
}

async function answerTo(lane: LaneName, name: string, { options }: Who): Promise<string> {
  const saw = await runCase(
    lane,
    { name, steps: [{ method: 'tools/call', params: { name, arguments: {} } }] },
    options,
  );
  return JSON.stringify(saw).replaceAll(name, '<name>');
}

/** Callers who are the same prove nothing of each other. */
async function areDifferent({ lanes, whos, cases, saw }: CallerTestsOptions): Promise<void> {
  const [lane] = lanes;
  if (lane === undefined) return;
  const answers: string[] = [];
  for (const who of whos) {
    const told: unknown[] = [];
    for (const item of cases(who)) told.push([item.name, await saw(lane, item, who)]);
    answers.push(JSON.stringify(told));
  }
  if (new Set(answers).size === answers.length) return;
  throw new LaneTestError('Two callers are answered the same in every case. Give callers of different rights.');
}
