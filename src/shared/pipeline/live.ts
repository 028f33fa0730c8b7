/**
 * A call while its tool runs elsewhere, in the owner of its state: both ends of what goes between them. Progress, log and
 * questions are called back; the end of the call is told by a promise, which also fails where the caller is gone.
 */
import type { Caller } from '../caller.ts';
import type { World } from '../define/context.ts';
import { aborted } from './clock.ts';
import type { AskPort, CallPorts, LiveAsk, LiveCall, RunPorts } from './ports.ts';
import type { Reporter } from './report.ts';
import type { Running } from './run.ts';

/** The caller's end. */
export function liveCall(
  ports: CallPorts,
  { deadline, ending, limitMs }: Running & { readonly limitMs: number },
): LiveCall {
  const { client, version, ask, progress, log } = ports;
  const isOver = (): boolean => ending.isOver;
  return {
    limitMs,
    client,
    ...(version !== undefined && { version }),
    ask: ask.kind === 'push' ? pushing(ask, deadline, ending.signal) : ask,
    over: () => aborted(ending.signal),
    ...(progress !== undefined && { progress: async (update) => (isOver() ? undefined : progress(update)) }),
    log: async (level, data) => (isOver() ? undefined : log(level, data)),
  };
}

/** The user's thinking time is not the tool's, at either end. */
function pushing(
  port: Extract<AskPort, { kind: 'push' }>,
  deadline: Running['deadline'],
  signal: AbortSignal,
): LiveAsk {
  return {
    kind: 'push',
    client: port.client,
    push: async (question) => {
      deadline.pause();
      try {
        return await port.push(question, signal);
      } finally {
        deadline.resume();
      }
    },
  };
}

/** What the owner of the state runs a tool with that waits, beside what comes with the call. */
export interface OwnerParts {
  readonly world: World;
  readonly report: Reporter;
  readonly caller: Caller;
  /** Made from the bindings of the object that owns the state. */
  readonly services: () => unknown;
}

/** The owner's end, as what its tool is run with. */
export function portsFor(live: LiveCall, { world, report, caller, services }: OwnerParts): RunPorts {
  const { client, version, ask, progress, log, over } = relayed(live);
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  over().then(abort, abort);
  return {
    world,
    report,
    signal: controller.signal,
    client,
    caller,
    services,
    ...(version !== undefined && { version }),
    ask,
    ...(progress !== undefined && { progress }),
    log,
  };
}

/** The same for an owner still further away. A function that came from another object is sent on as one of this object's. */
export function relayed({ ask, over, progress, log, ...rest }: LiveCall): LiveCall {
  return {
    ...rest,
    ask: ask.kind === 'push' ? { ...ask, push: (question) => ask.push(question) } : ask,
    // Fails where the caller is gone, and with nobody left to hear of it where the call has ended.
    over: () => over().catch(() => undefined),
    ...(progress !== undefined && { progress: (update) => progress(update) }),
    log: (level, data) => log(level, data),
  };
}
