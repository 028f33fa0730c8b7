/**
 * One scenario on every target, step by step, each target with the values that it gave itself. A second session of the
 * control runs along: where the two differ, the step is noisy.
 */
import { differencesOf } from '../../../src/parity/judge.ts';
import type { Difference } from '../../../src/parity/compare.ts';
import type { Json } from '../../../src/shared/json.ts';
import { callOf, valueAt, withNames, type Scenario, type Step } from '../cases/scenario.ts';
import type { Case } from '../cases/case.ts';
import type { Answer, Connection } from '../targets/connect.ts';
import { sideOf } from './side.ts';
import type { Running } from './running.ts';
import { once, targetsOf } from './sessions.ts';
import { ask, open, openSession, type Session } from './session.ts';

interface Actor {
  readonly connection: Connection;
  readonly captured: Map<string, Json>;
}

/** The same session on every target, and on the control once more. */
interface Stage {
  readonly session: Session;
  readonly twin: Connection;
}

export async function runScenario(scenario: Scenario, running: Running): Promise<void> {
  const stages = new Map<string, Stage>();
  try {
    await playOn(stages, scenario, running);
  } finally {
    await Promise.all([...stages.values()].flatMap(({ session, twin }) => [session.close(), twin.close()]));
  }
}

async function stageOf(name: string, stages: Map<string, Stage>, running: Running): Promise<Stage | undefined> {
  const known = stages.get(name);
  if (known !== undefined) return known;
  const { options, parts, session: main } = running;
  const session = await openSession(options.control, targetsOf(options, main), once(parts.limits), parts.breaker);
  const twin = await open(options.control, once(parts.limits), parts.breaker);
  if (session === undefined || twin === undefined) {
    await Promise.all([session?.close(), twin?.close()]);
    return undefined;
  }
  stages.set(name, { session, twin });
  return { session, twin };
}

async function playOn(stages: Map<string, Stage>, scenario: Scenario, running: Running): Promise<void> {
  const { comparer, parts } = running;
  const { rules } = parts;
  const group = `scenario ${scenario.name}`;
  // A target keeps what it captured, in whichever session.
  const captured = new Map<string, Map<string, Json>>();
  const actorOf = (connection: Connection, key: string): Actor => {
    const own = captured.get(key) ?? new Map<string, Json>();
    captured.set(key, own);
    return { connection, captured: own };
  };
  for (const [at, step] of scenario.steps.entries()) {
    const stage = await stageOf(step.session ?? '', stages, running);
    if (stage === undefined) return;
    const { session, twin } = stage;
    const actors = [session.control, ...session.candidates].map((each) => actorOf(each, each.target.name));
    const answers: Answer[] = [];
    for (const actor of actors) answers.push(await act(step, group, actor, running));
    const shadow = await act(step, group, actorOf(twin, ''), running);
    const [control, ...others] = answers;
    if (control === undefined) return;
    if (control.saw.kind !== 'harness_error' && shadow.saw.kind !== 'harness_error')
      rules.noise.add(
        group,
        differencesOf(group, sideOf(session.control, control), sideOf(twin, shadow), rules.sanitize),
      );
    const one: Case = {
      id: `${scenario.name}, step ${at + 1}`,
      group,
      source: 'scenario',
      call: callOf(step, new Map()),
    };
    await comparer.judgeAll(one, session, control, others, undefined, 'alone');
    for (const [index, { connection }] of actors.entries()) {
      const answer = answers[index];
      if (answer === undefined || answer.saw.kind === 'harness_error') continue;
      const missed = missedExpectations(step, answer);
      if (missed.length > 0) comparer.missed(one, session.control, connection, answer, missed);
    }
    // Without its answer the later steps would ask something else.
    if (answers.some(({ saw }) => saw.kind === 'harness_error')) {
      running.seen.notCompared.push({ group, reason: `ended at step ${at + 1}, which a target did not answer` });
      return;
    }
  }
}

/** Asks one target a step, keeps what the step captures, and shows captured values by their names. */
async function act(step: Step, group: string, { connection, captured }: Actor, { parts }: Running): Promise<Answer> {
  const answer = await ask(connection, group, callOf(step, captured), parts.breaker, true);
  for (const [name, path] of Object.entries(step.capture ?? {})) {
    const value = valueAt(answer.saw, path);
    if (value !== undefined) captured.set(name, value);
  }
  return { ...answer, saw: withNames(answer.saw, captured) };
}

function missedExpectations(step: Step, { saw }: Answer): readonly Difference[] {
  return Object.entries(step.expect ?? {}).flatMap(([path, expected]) => {
    const actual = valueAt(saw, path);
    return JSON.stringify(actual) === JSON.stringify(expected) ? [] : [{ path, control: expected, candidate: actual }];
  });
}
