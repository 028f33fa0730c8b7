/** The phases of a run, each with the sessions that it needs. Every phase stops when its targets are gone. */
import { setTimeout as delay } from 'node:timers/promises';
import { differencesOf } from '../../../src/parity/judge.ts';
import type { Case } from '../cases/case.ts';
import { BadRecording, recordedCases } from '../cases/recorded.ts';
import type { Scenario } from '../cases/scenario.ts';
import { makeSequences, type Player } from '../cases/sequences.ts';
import { objectIn, textOf } from '../../../src/parity/surface/listing.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import type { Seen } from './make-report.ts';
import type { Answer } from '../targets/connect.ts';
import { isSilent } from './breaker.ts';
import { NEXT_SECOND_MS, type Parts } from './compare-case.ts';
import { sideOf } from './side.ts';
import { compareSideBySide } from './crowd.ts';
import { AA_CALLS, FRESH_SHRINK_BUDGET, type RunOptions } from './options.ts';
import type { Plan } from './plan.ts';
import { pool } from './pool.ts';
import { runScenario } from './run-scenario.ts';
import { runSequence } from './run-sequence.ts';
import { stopped, type Running } from './running.ts';
import { once, targetsOf } from './sessions.ts';
import { ask, open, openSession, type AskAgain, type Session } from './session.ts';

export async function runSafe(running: Running): Promise<void> {
  const { session, parts, plan, onProgress } = running;
  const total = plan.safe.length + plan.fresh.flat().length;
  let done = 0;
  await findNoise(firstOfEach(plan.safe, AA_CALLS), running);
  await compareSideBySide(plan.safe, session, running, ({ group }) => {
    done += 1;
    onProgress({ phase: 'comparing', group, done, total, mismatches: parts.tally.counts().mismatch });
  });
}

/** Asks the control all of these, and all of them again when a second has passed: what tells the time has changed then. */
async function findNoise(cases: readonly Case[], running: Running): Promise<void> {
  const { options, session, parts, comparer, onProgress } = running;
  const { breaker } = parts;
  if (cases.length === 0) return;
  const told = (group: string): void => onProgress({ phase: 'noise', group, done: 0, mismatches: 0 });
  const startedAt = performance.now();
  const asked: (readonly [Case, Answer])[] = [];
  await pool(cases, options.concurrency, async (one) => {
    if (parts.signal?.aborted !== true)
      asked.push([one, await ask(session.control, one.group, one.call, breaker, false)]);
    told(one.group);
  });
  await delay(Math.max(0, NEXT_SECOND_MS - (performance.now() - startedAt)));
  // A tool that left a call unanswered is not made to do so again; it is asked alone when all are compared.
  const silent = new Set(asked.filter(([, answer]) => isSilent(answer)).map(([{ group }]) => group));
  await pool(asked, options.concurrency, async ([one, first]) => {
    if (breaker.closed(session.control.target.name, one.group) !== undefined || silent.has(one.group)) return;
    if (parts.signal?.aborted === true) return;
    await comparer.askAgain(one, session.control, first);
    told(one.group);
  });
}

function firstOfEach(cases: readonly Case[], count: number): readonly Case[] {
  const seen = new Map<string, number>();
  return cases.filter(({ group }) => {
    const before = seen.get(group) ?? 0;
    seen.set(group, before + 1);
    return before < count;
  });
}

/** Tools that may write: sessions of their own for each tool, every call in order, and for the A/A run two controls. */
export async function runFresh(running: Running): Promise<void> {
  const { options, parts, plan, session: main } = running;
  for (const cases of plan.fresh) {
    if (!stopped(running, main)) await noiseInFreshSessions(cases.slice(0, AA_CALLS), options, parts);
    const again = againInFresh(running);
    let rest = cases;
    // Once for each tool, as for a session that holds nothing.
    const losses = { left: 1 };
    while (rest.length > 0) {
      if (stopped(running, main)) break;
      const session = await openSession(options.control, targetsOf(options, main), once(parts.limits), parts.breaker);
      if (session === undefined) break;
      try {
        rest = await compareInOrder(rest, session, again, running, losses);
      } finally {
        await session.close();
      }
    }
    for (const one of rest) running.skip(one);
  }
}

/** What is left when a session was lost on the way: it goes on in new ones, on all sides alike. */
async function compareInOrder(
  cases: readonly Case[],
  session: Session,
  again: AskAgain,
  running: Running,
  losses: { left: number },
): Promise<readonly Case[]> {
  const { parts, comparer, plan, onProgress } = running;
  const total = plan.safe.length + plan.fresh.flat().length;
  for (const [at, one] of cases.entries()) {
    if (stopped(running, session)) return cases.slice(at);
    const outcome = await comparer.compare(one, session, again, 'fresh', losses.left > 0);
    if (typeof outcome === 'object' && 'lost' in outcome) {
      losses.left -= 1;
      const why = `its session was lost at ${one.id}, and new ones were opened on all sides`;
      parts.listings.notice(outcome.lost, { notice: 'opened_again', why }, parts.rules.allowed);
      return cases.slice(at);
    }
    if (outcome === 'unasked') running.skip(one);
    const { total: done } = parts.tally;
    onProgress({ phase: 'comparing', group: one.group, done, total, mismatches: parts.tally.counts().mismatch });
    if (outcome === 'silent' || [session.control, ...session.candidates].some(({ ended }) => ended))
      return cases.slice(at + 1);
  }
  return [];
}

function againInFresh({ options, parts }: Running): AskAgain {
  let budget = FRESH_SHRINK_BUDGET;
  return async (call, candidate, timeoutMs) => {
    if ((budget -= 1) < 0) return undefined;
    const pair = await openSession(options.control, [candidate.target], once(parts.limits), parts.breaker);
    const [other] = pair?.candidates ?? [];
    if (pair === undefined || other === undefined) return undefined;
    try {
      return [await pair.control.ask(call), await other.ask(call, timeoutMs)];
    } finally {
      await pair.close();
    }
  };
}

async function noiseInFreshSessions(
  cases: readonly Case[],
  options: RunOptions,
  { breaker, rules, limits }: Parts,
): Promise<void> {
  const left = await open(options.control, once(limits), breaker);
  const right = await open(options.control, once(limits), breaker);
  if (left !== undefined && right !== undefined) {
    for (const { group, call } of cases) {
      const first = await ask(left, group, call, breaker, false);
      const second = await ask(right, group, call, breaker, false);
      if (first.saw.kind === 'harness_error' || second.saw.kind === 'harness_error') continue;
      rules.noise.add(group, differencesOf(group, sideOf(left, first), sideOf(right, second), rules.sanitize));
    }
  }
  await Promise.all([left?.close(), right?.close()]);
}

export async function runScenarios(running: Running): Promise<void> {
  const { options, parts, plan, session: main, seen, onProgress } = running;
  const { tally } = parts;
  if (options.just !== undefined) return;
  for (const scenario of options.scenarios) {
    const refused = refusal(scenario, plan);
    if (refused !== undefined) {
      seen.notCompared.push({ group: `scenario ${scenario.name}`, reason: refused });
      continue;
    }
    if (stopped(running, main)) {
      seen.notCompared.push({ group: `scenario ${scenario.name}`, reason: 'not asked, for the run ended before' });
      continue;
    }
    await runScenario(scenario, running);
    onProgress({
      phase: 'comparing',
      group: `scenario ${scenario.name}`,
      done: tally.total,
      mismatches: tally.counts().mismatch,
    });
  }
}

function refusal({ steps }: Scenario, plan: Plan): string | undefined {
  for (const { tool } of steps) {
    const why = tool === undefined ? undefined : plan.refuses(tool);
    if (why !== undefined) return `${tool}: ${why}`;
  }
  return undefined;
}

/** Sequences of the tools that keep something, in the sessions of two clients that take turns. */
export async function runSequences(running: Running): Promise<void> {
  const { options, plan, session: main, seen, parts, onProgress } = running;
  const count = options.sequences ?? 0;
  if (options.just !== undefined || options.cases === 0 || count === 0) return;
  const sequences = makeSequences(playersOf(plan, seen, options), count, options.seed);
  for (const [at, sequence] of sequences.entries()) {
    if (stopped(running, main)) {
      const left = sequences.length - at;
      seen.notCompared.push({ group: 'sequences', reason: `${left} were not played, for the run ended before` });
      return;
    }
    await runSequence(sequence, running);
    const { mismatch: mismatches } = parts.tally.counts();
    onProgress({ phase: 'comparing', group: sequence.name, done: at + 1, total: sequences.length, mismatches });
  }
}

function playersOf({ safe, fresh, succeeded }: Plan, { surfaces }: Seen, { control }: RunOptions): readonly Player[] {
  const inputs = new Map<string, JsonObject[]>();
  for (const { group, kind, call } of [...safe, ...fresh.flat()])
    if (kind === 'valid') inputs.set(group, [...(inputs.get(group) ?? []), objectIn(call.params?.['arguments'])]);
  return (surfaces.get(control.name)?.tools ?? []).map((tool) => ({
    tool,
    inputs: inputs.get(textOf(tool['name'])) ?? [],
    succeeded: succeeded(textOf(tool['name'])),
  }));
}

/** Recorded calls: side by side when all are safe; with --allow-writes in their order, in sessions of their own. */
export async function runRecorded(running: Running): Promise<void> {
  const { options, parts, comparer, plan, seen, onProgress, session: main } = running;
  const { breaker, tally } = parts;
  if (options.just !== undefined) return;
  const { allowWrites } = options.selection;
  for (const file of options.recorded) {
    if (stopped(running, main)) {
      seen.notCompared.push({ group: file, reason: 'not asked, for the run ended before' });
      continue;
    }
    const session = allowWrites
      ? await openSession(options.control, targetsOf(options, main), once(parts.limits), breaker)
      : main;
    if (session === undefined) continue;
    const refused = new Map<string, string | undefined>();
    try {
      if (!allowWrites) await findNoise(await beginningOf(file, plan), running);
      const allowed = async function* (): AsyncGenerator<Case> {
        for await (const one of recordedCases(file)) {
          const { group, call } = one;
          if (call.method === 'tools/call') {
            if (!refused.has(group)) {
              refused.set(group, plan.refuses(group));
              const reason = refused.get(group);
              if (reason !== undefined) seen.notCompared.push({ group, reason: `recorded: ${reason}` });
            }
            if (refused.get(group) !== undefined) continue;
          }
          yield one;
        }
      };
      const told = ({ group }: Case): void =>
        onProgress({ phase: 'comparing', group, done: tally.total, mismatches: tally.counts().mismatch });
      if (allowWrites)
        for await (const one of allowed()) {
          const asked = stopped(running, session)
            ? 'unasked'
            : await comparer.compare(one, session, undefined, 'alone');
          if (asked === 'unasked') running.skip(one);
          else told(one);
        }
      else await compareSideBySide(allowed(), session, running, told);
    } finally {
      if (session !== main) await session.close();
    }
  }
}

/** How much of a recording is looked through for the calls that show the noise of each tool. */
const BEGINNING = 1_000;

async function beginningOf(file: string, plan: Plan): Promise<readonly Case[]> {
  const found: Case[] = [];
  try {
    for await (const one of recordedCases(file)) {
      if (one.call.method !== 'tools/call' || plan.refuses(one.group) === undefined) found.push(one);
      if (found.length >= BEGINNING) break;
    }
  } catch (thrown) {
    // What comes before a line that is none is compared, and then the line is told.
    if (!(thrown instanceof BadRecording)) throw thrown;
  }
  return firstOfEach(found, AA_CALLS);
}
