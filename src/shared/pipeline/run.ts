/**
 * Runs a definition's own code, a tool's or a prompt's: within its deadline, with a context, until it gives a value, a
 * fault or questions for the client. Never throws, and always settles once the deadline or the signal says so.
 */
import type { CallContext, ToolContext } from '../define/context.ts';
import type { Questions } from '../define/questions.ts';
import { type Json, throughWire } from '../json.ts';
import { startAsking } from './ask.ts';
import { aborted, Deadline, Ending } from './clock.ts';
import { FaultSignal, type Fault } from './fault.ts';
import type { AskedQuestion, CallPorts } from './ports.ts';
import { report } from './report.ts';

export type Ran<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly fault: Fault; readonly cause?: unknown }
  | { readonly kind: 'questions'; readonly questions: readonly AskedQuestion[] };

export const failed = (fault: Fault, cause?: unknown): Ran<never> => ({ kind: 'failed', fault, cause });

export interface Run<T> {
  /** The tool's or the prompt's name, for faults and reports. */
  readonly name: string;
  readonly limitMs: number;
  readonly ports: RunPorts;
  readonly code: (ctx: ToolContext, running: Running) => Ran<T> | Promise<Ran<T>>;
  /** Called before each question; what it throws is thrown where the code asks. */
  readonly beforeQuestion?: (key: string) => void;
}

/** What code of a definition is run with. */
export type RunPorts = Omit<CallPorts, 'state'>;

/** A run that is under way. */
export interface Running {
  readonly deadline: Deadline;
  readonly ending: Ending;
}

export async function run<T>({ name, limitMs, ports, code, beforeQuestion }: Run<T>): Promise<Ran<T>> {
  const deadline = new Deadline(limitMs);
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
    const work = settled(name, () => code(contextFor(name, ports, asking.questions, ending), { deadline, ending }));
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
    return cause instanceof FaultSignal
      ? failed(cause.fault, cause.cause)
      : failed({ fault: 'tool_failed', tool: name }, cause);
  }
}

function contextFor(name: string, ports: RunPorts, questions: Questions, ending: Ending): ToolContext {
  // What JSON cannot carry fails the notification and not the tool.
  const quietly = (send: () => Promise<void> | undefined): void => {
    const failed = (cause: unknown): void => report(ports.report, { fault: 'notification_failed', tool: name, cause });
    try {
      send()?.catch(failed);
    } catch (cause) {
      failed(cause);
    }
  };
  // Not spread: that would make the signal and the request of every call.
  return Object.assign(callContext(ports, ending), questions, {
    progress: (update) => {
      if (!ending.isOver) quietly(() => ports.progress?.(throughWire(update)));
    },
    log: (level, message, data) => {
      const line: Json = data === undefined ? message : { message, data };
      if (!ending.isOver) quietly(() => ports.log(level, throughWire(line)));
    },
  } satisfies Pick<ToolContext, 'progress' | 'log'>);
}

/** What also code is given that can neither tell nor ask: that of resources and completions. */
export function callContext(ports: RunPorts, ending: Ending): CallContext {
  const { world } = ports;
  return {
    now: () => world.now(),
    random: () => world.random(),
    id: () => world.id(),
    fetch: (input, init) => world.fetch(input, { signal: ending.signal, ...init }),
    get signal() {
      return ending.signal;
    },
    client: ports.client,
    subject: ports.subject,
    caller: ports.caller,
    get request() {
      return ports.request?.();
    },
  };
}
