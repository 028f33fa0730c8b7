/**
 * Before anything is compared, every tool that may be called is tried with a few inputs: what succeeds is
 * varied later, and what the answers hold is what other tools need. Tools that take nothing go first, since they list.
 * What may write is tried on all targets alike, so that no side knows more than another when the comparison begins.
 */
import { answerKind } from '../../../src/parity/answer-kind.ts';
import { objectIn, textOf, type Surface } from '../../../src/parity/surface/listing.ts';
import type { Call } from '../../../src/parity/run-table.ts';
import type { Json, JsonObject } from '../../../src/shared/json.ts';
import { recordedIn } from '../cases/examples.ts';
import { admit, onlyReads } from '../cases/safety.ts';
import { Knowledge } from '../generate/knowledge.ts';
import type { SchemaWork } from '../schemas/schema-work.ts';
import { connect, type Answer, type Connection } from '../targets/connect.ts';
import type { Limits } from '../targets/open.ts';
import type { RunOptions } from './options.ts';
import { pool } from './pool.ts';
import type { Session } from './session.ts';

/** Each round knows what the one before has learned. */
const ROUNDS = 3;
/** Inputs of each tool and round. */
const MOST_PROBES = 10;
/** A tool that has succeeded so often needs no more. */
const ENOUGH = 12;

export interface Explored {
  readonly options: RunOptions;
  readonly session: Session;
  readonly surfaces: ReadonlyMap<string, Surface>;
  readonly work: SchemaWork;
  readonly limits: Limits;
}

interface Tried {
  readonly name: string;
  readonly tool: JsonObject;
  readonly reads: boolean;
}

export async function explore(explored: Explored): Promise<Knowledge> {
  const { options, session, surfaces } = explored;
  const known = new Knowledge();
  if (options.cases === 0 || (options.just !== undefined && 'call' in options.just)) return known;
  const control = surfaces.get(session.control.target.name);
  if (control === undefined) return known;
  for (const entry of [...control.resources, ...control.prompts]) known.listed(entry);
  for (const { params } of await examplesOf(options))
    known.succeeded(textOf(params?.['name']), params?.['arguments'] ?? {});
  const tools = toolsIn(explored, control);
  for (const reads of [true, false]) {
    const some = tools.filter((each) => each.reads === reads);
    if (some.length > 0) await tryInOwnSessions(some, reads, explored, known);
  }
  return known;
}

/** What somebody gave as succeeding, and what was recorded, which mostly does. */
async function examplesOf({ examples = [], recorded }: RunOptions): Promise<readonly Call[]> {
  // A recording that turns out to be none is told of when it is played.
  const read = await Promise.all(recorded.map((file) => recordedIn(file).catch(() => [])));
  return [...examples, ...read.flat()];
}

function toolsIn({ options, surfaces }: Explored, control: Surface): readonly Tried[] {
  const needs = ({ tool }: Tried): number => {
    const required = objectIn(tool['inputSchema'])['required'];
    return Array.isArray(required) ? required.length : 0;
  };
  return control.tools
    .flatMap((tool): readonly Tried[] => {
      const name = textOf(tool['name']);
      const listed = [...surfaces.values()].flatMap(({ tools }) => tools.filter((each) => each['name'] === name));
      if (!admit(name, listed, options.selection).call) return [];
      return [{ name, tool, reads: listed.every(onlyReads) }];
    })
    .toSorted((left, right) => needs(left) - needs(right));
}

/**
 * In sessions of their own, for what a server keeps of one must not meet what is compared in another. What fails here is
 * no finding: the comparison asks again.
 */
async function tryInOwnSessions(
  tools: readonly Tried[],
  reads: boolean,
  explored: Explored,
  known: Knowledge,
): Promise<void> {
  const { session, limits } = explored;
  const asked = reads ? [session.control] : [session.control, ...session.candidates];
  const opened = await Promise.all(
    asked.map(({ target }) => connect(target, { ...limits, reuseConnections: false }).catch(() => undefined)),
  );
  const connections = opened.filter((each) => each !== undefined);
  try {
    if (connections.length === asked.length) await tryAll(tools, connections, explored, known);
  } finally {
    await Promise.all(connections.map((each) => each.close()));
  }
}

async function tryAll(
  tools: readonly Tried[],
  connections: readonly Connection[],
  explored: Explored,
  known: Knowledge,
): Promise<void> {
  const failed = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const tried of tools) {
      if (connections.some(({ gone }) => gone)) return;
      if (failed.has(tried.name) || known.seeds(tried.name).length >= ENOUGH) continue;
      // A tool that hangs is waited for once.
      if (!(await tryOne(tried, round, connections, explored, known))) failed.add(tried.name);
    }
}

/** False where somebody gave no answer at all. */
async function tryOne(
  { name, tool, reads }: Tried,
  round: number,
  connections: readonly Connection[],
  { options, session, surfaces, work }: Explored,
  known: Knowledge,
): Promise<boolean> {
  const surface = surfaces.get(session.control.target.name);
  if (surface === undefined) return false;
  const draw = {
    ...{ seed: options.seed, count: Math.min(MOST_PROBES, Math.ceil(options.cases / 4)) },
    ...known.drawOf(name, tool['inputSchema']),
  };
  const inputs = await work.probe(tool, surface, draw, round);
  const answers: Answer[] = [];
  let answered = true;
  await pool(inputs.entries(), reads ? options.concurrency : 1, async ([at, input]) => {
    if (!answered) return;
    const call: Call = { method: 'tools/call', params: { name, arguments: input } };
    const all = await Promise.all(connections.map((each) => each.ask(call)));
    if (all.some(({ saw }) => saw.kind === 'harness_error')) answered = false;
    if (all[0] !== undefined) answers[at] = all[0];
  });
  // In the order of the inputs: what comes of a seed must not depend on who answered first.
  for (const [at, input] of inputs.entries()) learn(known, name, input, answers[at]);
  return answered;
}

function learn(known: Knowledge, name: string, input: Json, answer: Answer | undefined): void {
  if (answer === undefined || answer.saw.kind === 'harness_error') return;
  const { saw } = answer;
  if (answerKind(saw) === 'result') known.succeeded(name, input);
  else known.failed(name, input);
  if (saw.kind !== 'result')
    return known.complained(name, { content: [{ type: 'text', text: textOf(saw.error['message']) }] });
  if (saw.result['isError'] === true) known.complained(name, saw.result);
  else known.saw(saw.result, input);
}
