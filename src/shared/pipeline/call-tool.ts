/**
 * The only way a tool runs, on every lane: parse the arguments, run within the deadline, check the reply, give a
 * result or a fault. Never throws, and always settles once the deadline or the signal says so.
 */
import type { ToolReply } from '../define/reply.ts';
import { showsHandle, stateOf } from '../define/state.ts';
import type { AnyTool } from '../define/tool.ts';
import { parse } from '../schema/standard.ts';
import { checkReply, type WireToolResult } from './check-reply.ts';
import { faultOnWire, type Fault, type Named, type RpcError } from './fault.ts';
import type { AskedQuestion, CallPorts, StateCall } from './ports.ts';
import { liveCall } from './live.ts';
import { report } from './report.ts';
import { failed, run, type Ran, type Running } from './run.ts';

export interface CallLimits {
  /** Longest run of a tool that does not say its own, and of a prompt, in milliseconds. */
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
  if (!parsed.ok) {
    return faulted({ fault: 'invalid_arguments', tool: tool.name, issues: parsed.issues }, parsed.cause, ports);
  }

  const limitMs = tool.deadlineMs ?? limits.deadlineMs;
  const ran = await run({
    name: tool.name,
    limitMs,
    // Its owner ends it: a client that hears of the end must not meet an update that comes after it.
    ...(tool.kind === 'waiting' && { graceMs: OWNER_GRACE_MS }),
    ports,
    code: async (ctx, running) =>
      tool.kind === 'plain'
        ? { kind: 'done', value: { reply: await tool.run(parsed.value, ctx) } }
        : runStateful(tool, { args: rest, handle: handle.value }, ports, { ...running, limitMs }),
  });
  if (ran.kind === 'questions') return ran;
  if (ran.kind === 'failed') return faulted(ran.fault, ran.cause, ports);
  const checked = await checkReply(ran.value.reply, {
    output: tool.output,
    maxBytes: limits.maxResultBytes,
    ...(ports.version !== undefined && { version: ports.version }),
    ...(ran.value.handle !== undefined && { handle: ran.value.handle }),
  });
  if (checked.ok) return { kind: 'result', result: checked.result };
  if (checked.reason === 'result_too_large') {
    return faulted({ fault: 'result_too_large', tool: tool.name, limitBytes: limits.maxResultBytes }, undefined, ports);
  }
  return faulted(
    { fault: 'invalid_result', tool: tool.name },
    new TypeError(checked.problem, { cause: checked.cause }),
    ports,
  );
}

/** How long the owner of a state may take to say that its tool was cut off. */
const OWNER_GRACE_MS = 1_000;

interface Replied {
  readonly reply: ToolReply;
  readonly handle?: string;
}

/** In the owner of the state. A tool that waits is run there with what it needs of this call. */
async function runStateful(
  tool: Exclude<AnyTool, { kind: 'plain' }>,
  { args, handle }: Pick<StateCall, 'args' | 'handle'>,
  ports: CallPorts,
  running: Running & { readonly limitMs: number },
): Promise<Ran<Replied>> {
  const of = stateOf(tool.state);
  const { subject, unidentified } = ports.caller;
  if (of === 'subject' && subject === undefined) {
    return failed({ fault: unidentified === true ? 'caller_unidentified' : 'sign_in_needed', tool: tool.name });
  }
  try {
    const call: StateCall = { tool: tool.name, args, handle, of };
    const outcome = await (tool.kind === 'waiting'
      ? ports.state.apply(call, liveCall(ports, running))
      : ports.state.apply(call));
    if (outcome.ok === 'asked') return { kind: 'questions', questions: outcome.questions };
    if (!outcome.ok) return failed(outcome.fault, outcome.cause);
    return {
      kind: 'done',
      value: { reply: outcome.reply, ...(showsHandle(tool.state) && { handle: outcome.handle }) },
    };
  } catch (cause) {
    return failed({ fault: 'state_unavailable', tool: tool.name }, cause);
  }
}

const HANDLE_ISSUE = {
  path: 'handle',
  message: 'must be a string that is not empty: the handle of an earlier result',
} as const;

/** Unless its state is without, a stateful tool takes a `handle` beside its own input; the tool's schema never sees it. */
function splitHandle(
  tool: AnyTool,
  args: Readonly<Record<string, unknown>>,
): { handle: { value: string | undefined; problem: boolean }; rest: Readonly<Record<string, unknown>> } {
  if (tool.kind === 'plain' || !showsHandle(tool.state))
    return { handle: { value: undefined, problem: false }, rest: args };
  const { handle, ...rest } = args;
  if (handle === undefined) return { handle: { value: undefined, problem: false }, rest };
  if (typeof handle !== 'string' || handle === '') return { handle: { value: undefined, problem: true }, rest };
  return { handle: { value: handle, problem: false }, rest };
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

export function asOutcome(fault: Fault, what: Named = 'tool'): CallOutcome {
  const wire = faultOnWire(fault, what);
  if (wire.kind !== 'result') return { kind: 'error', error: wire.error, fault: fault.fault };
  return {
    kind: 'result',
    fault: fault.fault,
    result: { content: [{ type: 'text', text: wire.text }], isError: true },
  };
}
