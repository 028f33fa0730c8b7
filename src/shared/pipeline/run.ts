/**
 * Runs a definition's own code, a tool's or a prompt's: within its deadline, with a context, until it gives a value, a
 * fault or questions for the client. Never throws, and always settles once the deadline or the signal says so.
 */
import type { ToolContext } from '../define/context.ts';
import { startAsking } from './ask.ts';
import { aborted, Deadline, Ending } from './clock.ts';
import { toolContext } from './context.ts';
import type { Fault } from './fault.ts';
import type { AskedQuestion, RunPorts } from './ports.ts';
import { faultOfThrown } from './services.ts';

export type Ran<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly fault: Fault; readonly cause?: unknown }
  | { readonly kind: 'questions'; readonly questions: readonly AskedQuestion[] };

export const failed = (fault: Fault, cause?: unknown): Ran<never> => ({ kind: 'failed', fault, cause });

export interface Run<T> {
  /** The tool's or the prompt's name, for faults and reports. */
  readonly name: string;
  readonly limitMs: number;
  /** What the code may take longer, where it is cut off at its limit elsewhere. */
  readonly graceMs?: number;
  readonly ports: RunPorts;
  readonly code: (ctx: ToolContext, running: Running) => Ran<T> | Promise<Ran<T>>;
  /** Called before each question; what it throws is thrown where the code asks. */
  readonly beforeQuestion?: (key: string) => void;
}

/** A run that is under way. */
export interface Running {
  readonly deadline: Deadline;
  readonly ending: Ending;
}

export async function run<T>({ name, limitMs, graceMs = 0, ports, code, beforeQuestion }: Run<T>): Promise<Ran<T>> {
  const deadline = new Deadline(limitMs + graceMs);
  const ending = new Ending(ports.signal);
  const asking = startAsking({
    tool: name,
    port: ports.ask,
    version: ports.version,
    deadline,
    ending,
    ...(beforeQuestion !== undefined && { beforeQuestion }),
  });
  try {
    const work = settled(name, () => code(toolContext(name, ports, asking.questions, ending), { deadline, ending }));
    const soon = ports.signal.aborted ? undefined : await withoutWaiting(work);
    if (soon !== undefined) return soon;
    deadline.arm();
    return await Promise.race([
      work,
      asking.suspended.then((questions) => ({ kind: 'questions', questions }) as const),
      deadline.passed.then(() => failed({ fault: 'deadline_exceeded', tool: name, limitMs })),
      aborted(ports.signal).then(() => failed({ fault: 'cancelled', tool: name })),
    ]);
  } finally {
    deadline.stop();
    ending.end();
  }
}

/** Enough for a tool that computes and awaits only what is there; no time passes between two of them. */
const TURNS = 16;

/**
 * What the code gives without waiting for the world. Neither the clock nor the client can come in between, so most calls
 * need no timer and no listener.
 */
async function withoutWaiting<T>(work: Promise<Ran<T>>): Promise<Ran<T> | undefined> {
  const seen: { ran?: Ran<T> } = {};
  void work.then((ran) => {
    seen.ran = ran;
  });
  for (let turn = 0; turn < TURNS && seen.ran === undefined; turn += 1) await Promise.resolve();
  return seen.ran;
}

async function settled<T>(name: string, code: () => Ran<T> | Promise<Ran<T>>): Promise<Ran<T>> {
  try {
    return await code();
  } catch (cause) {
    const thrown = faultOfThrown(name, cause);
    return failed(thrown.fault, thrown.cause);
  }
}
