/** The open connections of one comparison: the control and every candidate that could be opened. */
import type { Call } from '../../../src/parity/run-table.ts';
import { connect, type Answer, type Connection } from '../targets/connect.ts';
import type { Limits } from '../targets/open.ts';
import type { Target } from '../targets/target.ts';
import { WireFault } from '../targets/wire.ts';
import type { Breaker } from './breaker.ts';

export interface Session {
  readonly control: Connection;
  readonly candidates: readonly Connection[];
  close(): Promise<void>;
}

/** Opens all, and notes each that cannot be opened; undefined when nothing is left to compare. */
export async function openSession(
  control: Target,
  candidates: readonly Target[],
  limits: Limits,
  breaker: Breaker,
): Promise<Session | undefined> {
  const opened = await Promise.all([control, ...candidates].map((target) => open(target, limits, breaker)));
  const [first, ...rest] = opened;
  const others = rest.filter((each) => each !== undefined);
  const close = async (): Promise<void> => {
    await Promise.all(opened.map(async (each) => each?.close()));
  };
  if (first !== undefined && others.length > 0) return { control: first, candidates: others, close };
  await close();
  return undefined;
}

export async function open(target: Target, limits: Limits, breaker: Breaker): Promise<Connection | undefined> {
  try {
    return await connect(target, limits);
  } catch (thrown) {
    const [reason, cause] =
      thrown instanceof WireFault ? [thrown.reason, thrown.message] : (['garbage', String(thrown)] as const);
    breaker.note({ target: target.name, where: 'connecting', reason, cause });
    return undefined;
  }
}

/** @param alone Nothing else is asked of the target meanwhile. */
export async function ask(
  connection: Connection,
  group: string,
  call: Call,
  breaker: Breaker,
  alone: boolean,
): Promise<Answer> {
  const { name } = connection.target;
  const closed = breaker.closed(name, group);
  if (closed !== undefined) return { saw: { kind: 'harness_error', cause: `not asked: ${closed}` }, ms: 0 };
  const answer = await connection.ask(call);
  breaker.saw(name, group, answer, alone);
  if (connection.gone && answer.saw.kind === 'harness_error') breaker.lost(name, answer.saw.cause);
  return answer;
}

/** Asks a pair again in the way that the case was asked; undefined where asking again would mean something else. */
export type AskAgain = (
  call: Call,
  candidate: Connection,
  timeoutMs?: number,
) => Promise<readonly [Answer, Answer] | undefined>;

/** True when nothing is left to compare: the control is gone, or every candidate. */
export function goneForAll({ control, candidates }: Session, breaker: Breaker): boolean {
  const gone = ({ target }: Connection): boolean => breaker.gone(target.name) !== undefined;
  return gone(control) || candidates.every(gone);
}
