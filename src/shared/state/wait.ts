/** Runs a tool that waits, in the owner of its state. Never throws; causes are reported here, where they are known. */
import type { AnyTool } from '../define/tool.ts';
import { isPlainObject } from '../json.ts';
import { FaultSignal, type Fault } from '../pipeline/fault.ts';
import { portsFor, type OwnerParts } from '../pipeline/live.ts';
import type { LiveCall, StateOutcome } from '../pipeline/ports.ts';
import { report } from '../pipeline/report.ts';
import { run } from '../pipeline/run.ts';
import type { ToolReply } from '../define/reply.ts';
import { parse } from '../schema/standard.ts';
import { throughJson } from './reduce.ts';
import { HeldSteps, type StepsOptions } from './steps.ts';

export type WaitingToolDefinition = Extract<AnyTool, { kind: 'waiting' }>;

export interface Waiting extends Pick<StepsOptions, 'load' | 'put'>, OwnerParts {
  readonly tool: WaitingToolDefinition;
  /** The arguments as they came, to be parsed here. */
  readonly args: unknown;
  readonly handle: string;
  readonly live: LiveCall;
}

export async function runWaiting(waiting: Waiting): Promise<StateOutcome> {
  const { tool, args, handle, live, load, put } = waiting;
  const { name } = tool;
  const input = await parse(tool.input, args);
  if (!input.ok) return { ok: false, fault: { fault: 'invalid_arguments', tool: name, issues: input.issues } };
  let steps: HeldSteps | undefined;
  const ran = await run<unknown>({
    name,
    limitMs: live.limitMs,
    ports: portsFor(live, waiting),
    code: async (ctx, { ending }) => {
      steps = new HeldSteps({ tool, load, put, isOver: () => ending.isOver, report: waiting.report });
      return { kind: 'done', value: await tool.run(input.value, ctx, steps) };
    },
    beforeQuestion: (key) => {
      if (steps?.hasChanged === true) throw askedTooLate(name, key);
    },
  });
  switch (ran.kind) {
    case 'questions':
      return { ok: 'asked', questions: ran.questions };
    case 'failed':
      return failedWith(waiting, ran.fault, ran.cause);
    case 'done': {
      // The reply may cross from one Durable Object to another, which would turn functions into stubs: JSON only.
      const reply = isPlainObject(ran.value) ? (throughJson(ran.value) as ToolReply | undefined) : undefined;
      if (reply !== undefined) return { ok: true, reply, handle };
      const cause = new TypeError(`The tool "${name}" gave a reply that JSON cannot carry`);
      return failedWith(waiting, { fault: 'invalid_result', tool: name }, cause);
    }
  }
}

function failedWith(waiting: Waiting, fault: Fault, cause: unknown): StateOutcome {
  if (cause !== undefined) report(waiting.report, { fault: fault.fault, tool: waiting.tool.name, cause });
  return { ok: false, fault };
}

/** Refused on every lane: on one that makes the call again with the answer, the update would happen again. */
const askedTooLate = (tool: string, key: string): FaultSignal =>
  new FaultSignal(
    { fault: 'tool_failed', tool },
    { cause: new TypeError(`The tool "${tool}" asked "${key}" after it had changed its state: ask first`) },
  );
