/**
 * The only way a tool runs, on every lane: parse the arguments, run within the deadline, check the reply, give a
 * result or a fault. Never throws, and always settles once the deadline or the signal says so.
 */
import type { Json } from '../json.ts';
import type { AnyTool } from '../define/tool.ts';
import type { ToolContext } from '../define/context.ts';
import type { ToolReply } from '../define/reply.ts';
import { parse } from '../schema/standard.ts';
import { startAsking } from './ask.ts';
import { checkReply, type WireToolResult } from './check-reply.ts';
import { Deadline } from './clock.ts';
import { faultOnWire, FaultSignal, type Fault, type RpcError } from './fault.ts';
import type { AskedQuestion, CallPorts } from './ports.ts';
import { report } from './report.ts';

export interface CallLimits {
  /** Longest run of a tool that does not say its own, in milliseconds. */
  readonly deadlineMs: number;
  /** Largest result, in bytes of UTF-8 JSON. */
  readonly maxResultBytes: number;
}

export type CallOutcome =
  | { readonly kind: 'result'; readonly result: WireToolResult; readonly fault?: Fault['fault'] }
  | { readonly kind: 'error'; readonly error: RpcError; readonly fault: Fault['fault'] }
  | { readonly kind: 'questions'; readonly questions: readonly AskedQuestion[] };

/** @param args The call's `arguments`, an object of JSON. */
export async function callTool(
  tool: AnyTool,
  args: Readonly<Record<string, unknown>>,
  ports: CallPorts,
  limits: CallLimits,
): Promise<CallOutcome> {
  const { handle, rest } = splitHandle(tool, args);
  if (handle.problem) return asOutcome({ fault: 'invalid_arguments', tool: tool.name, issues: [HANDLE_ISSUE] });
  const parsed = await parse(tool.input, rest);
  if (!parsed.ok) return asOutcome({ fault: 'invalid_arguments', tool: tool.name, issues: parsed.issues });

  const limitMs = tool.deadlineMs ?? limits.deadlineMs;
  const deadline = new Deadline(limitMs);
  const stop = new AbortController();
  const signal = AbortSignal.any([ports.signal, stop.signal]);
  const asking = startAsking(tool.name, ports.ask, deadline, signal);
  const run = runTool(
    tool,
    parsed.value,
    { args: rest, handle: handle.value },
    contextFor(tool, ports, asking.ask, signal),
  );
  try {
    const first = await Promise.race([
      run,
      asking.suspended.then((questions) => ({ kind: 'questions', questions }) as const),
      deadline.passed.then(() => failed({ fault: 'deadline_exceeded', tool: tool.name, limitMs })),
      aborted(ports.signal).then(() => failed({ fault: 'cancelled', tool: tool.name })),
    ]);
    if (first.kind === 'questions') return first;
    if (first.kind === 'failed') return faulted(first.fault, first.cause, ports);
    const checked = await checkReply(first.reply, {
      output: tool.output,
      maxBytes: limits.maxResultBytes,
      ...(first.handle !== undefined && { extra: { handle: first.handle } }),
    });
    if (checked.ok) return { kind: 'result', result: checked.result };
    if (checked.reason === 'result_too_large') {
      return faulted(
        { fault: 'result_too_large', tool: tool.name, limitBytes: limits.maxResultBytes },
        undefined,
        ports,
      );
    }
    return faulted({ fault: 'invalid_result', tool: tool.name }, new TypeError(checked.problem), ports);
  } finally {
    deadline.stop();
    stop.abort();
  }
}

type Ran =
  | { readonly kind: 'replied'; readonly reply: ToolReply; readonly handle?: string }
  | { readonly kind: 'failed'; readonly fault: Fault; readonly cause?: unknown };

const failed = (fault: Fault, cause?: unknown): Ran => ({ kind: 'failed', fault, cause });

async function runTool(
  tool: AnyTool,
  input: unknown,
  state: { readonly args: unknown; readonly handle: string | undefined },
  context: { readonly ctx: ToolContext; readonly ports: CallPorts },
): Promise<Ran> {
  try {
    if (tool.kind === 'plain') return { kind: 'replied', reply: await tool.run(input, context.ctx) };
    const outcome = await context.ports.state.apply({ tool: tool.name, args: state.args, handle: state.handle });
    if (!outcome.ok) return failed(outcome.fault, outcome.cause);
    return { kind: 'replied', reply: outcome.reply, handle: outcome.handle };
  } catch (cause) {
    if (cause instanceof FaultSignal) return failed(cause.fault);
    return failed({ fault: tool.kind === 'plain' ? 'tool_failed' : 'state_unavailable', tool: tool.name }, cause);
  }
}

function contextFor(
  tool: AnyTool,
  ports: CallPorts,
  ask: ToolContext['ask'],
  signal: AbortSignal,
): { ctx: ToolContext; ports: CallPorts } {
  const { world } = ports;
  const quietly = (send: Promise<void> | undefined): void => {
    send?.catch((cause: unknown) => report(ports.report, { fault: 'notification_failed', tool: tool.name, cause }));
  };
  const ctx: ToolContext = {
    now: () => world.now(),
    random: () => world.random(),
    id: () => world.id(),
    fetch: (input, init) => world.fetch(input, { signal, ...init }),
    signal,
    client: ports.client,
    subject: ports.subject,
    ask,
    progress: (update) => {
      if (!signal.aborted) quietly(ports.progress?.(update));
    },
    log: (level, message, data) => {
      const line: Json = data === undefined ? message : { message, data };
      if (!signal.aborted) quietly(ports.log(level, line));
    },
  };
  return { ctx, ports };
}

const HANDLE_ISSUE = { path: 'handle', message: 'must be a string: the handle of an earlier result' } as const;

/** Every stateful tool takes a `handle` beside its own input; the tool's schema never sees it. */
function splitHandle(
  tool: AnyTool,
  args: Readonly<Record<string, unknown>>,
): { handle: { value: string | undefined; problem: boolean }; rest: Readonly<Record<string, unknown>> } {
  if (tool.kind !== 'stateful') return { handle: { value: undefined, problem: false }, rest: args };
  const { handle, ...rest } = args;
  if (handle === undefined) return { handle: { value: undefined, problem: false }, rest };
  if (typeof handle !== 'string' || handle === '') return { handle: { value: undefined, problem: true }, rest };
  return { handle: { value: handle, problem: false }, rest };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Reports a fault that is the server's own doing, and gives its wire form. */
function faulted(fault: Fault, cause: unknown, ports: CallPorts): CallOutcome {
  if (cause !== undefined)
    report(ports.report, {
      fault: fault.fault,
      tool: fault.fault === 'malformed_request' ? undefined : fault.tool,
      cause,
    });
  return asOutcome(fault);
}

export function asOutcome(fault: Fault): CallOutcome {
  const wire = faultOnWire(fault);
  if (wire.kind === 'error') return { kind: 'error', error: wire.error, fault: fault.fault };
  return {
    kind: 'result',
    fault: fault.fault,
    result: { content: [{ type: 'text', text: wire.text }], isError: true },
  };
}
