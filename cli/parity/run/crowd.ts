/**
 * Asks cases side by side. Where one is left without an answer nobody knows which call is to blame: the one, another that
 * ended the server, or their number. So the others are waited for, the silent ones are asked again one at a time, and
 * then all goes on.
 */
import type { Case } from '../cases/case.ts';
import type { Answer } from '../targets/connect.ts';
import type { FaultReason } from '../targets/wire.ts';
import { stopped, type Running } from './running.ts';
import type { AskAgain, Session } from './session.ts';

export async function compareSideBySide(
  cases: AsyncIterable<Case> | Iterable<Case>,
  session: Session,
  running: Running,
  onDone: (one: Case) => void,
): Promise<void> {
  const { options, parts, comparer, skip } = running;
  const again = againIn(session);
  const iterator = Symbol.asyncIterator in cases ? cases[Symbol.asyncIterator]() : cases[Symbol.iterator]();
  let silent: Silent[] = [];
  const reading = { ended: false };
  const hand = async (): Promise<void> => {
    while (!reading.ended && silent.length === 0) {
      const next = await iterator.next();
      if (next.done === true) {
        reading.ended = true;
        return;
      }
      const one = next.value;
      const outcome = stopped(running, session) ? 'unasked' : await comparer.compare(one, session, again, 'crowd');
      // The rest of a plan is told as not asked; the rest of a recording nobody has counted.
      if (parts.signal?.aborted === true && !Array.isArray(cases)) reading.ended = true;
      if (typeof outcome === 'object' && 'target' in outcome) silent.push({ one, ...outcome });
      else if (outcome === 'unasked') skip(one);
      else onDone(one);
    }
  };
  try {
    while (!reading.ended || silent.length > 0) {
      const hands = await Promise.allSettled(
        Array.from({ length: options.concurrency }, () =>
          hand().catch((thrown: unknown) => {
            reading.ended = true;
            throw thrown;
          }),
        ),
      );
      // What is on its way when a recording turns out to be none is compared first.
      const failed = hands.find((each) => each.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      const suspects = silent;
      silent = [];
      await askAlone(suspects, session, again, running, onDone);
    }
  } finally {
    await iterator.return?.();
  }
}

/** A call that a target left without an answer among others. */
interface Silent {
  readonly one: Case;
  readonly target: string;
  readonly fault: FaultReason;
  readonly cause: string;
}

async function askAlone(
  suspects: readonly Silent[],
  session: Session,
  again: AskAgain,
  running: Running,
  onDone: (one: Case) => void,
): Promise<void> {
  const { parts, comparer, skip } = running;
  let answered = 0;
  for (const { one } of suspects) {
    const outcome = stopped(running, session) ? 'unasked' : await comparer.compare(one, session, again, 'alone');
    if (outcome === 'unasked') skip(one);
    else onDone(one);
    if (outcome === 'judged') answered += 1;
  }
  // Where one of them is to blame the others were bystanders; where none is, it was their number.
  const [first] = suspects;
  if (first === undefined || answered < suspects.length) return;
  const { target, fault, cause, one } = first;
  const many = `${cause} (${suspects.length} calls were asked side by side, and each was answered when it was asked alone; a lower --concurrency may help)`;
  parts.breaker.note({ target, where: one.group, reason: fault, cause: many });
}

/** Asks both sides in the sessions that are open: a tool that only reads answers the same whenever it is asked. */
const againIn =
  ({ control }: Session): AskAgain =>
  async (call, candidate, timeoutMs): Promise<readonly [Answer, Answer]> => [
    await control.ask(call),
    await candidate.ask(call, timeoutMs),
  ];
