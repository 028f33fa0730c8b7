/**
 * Runs a reducer against stored state. Called by whoever owns the state, without a wait between read and write.
 * Pure: storage is the caller's. On a fault the old state is untouched.
 */
import type { ReducerContext } from '../define/context.ts';
import type { ToolReply } from '../define/reply.ts';
import { versionOf, type StateDefinition } from '../define/state.ts';
import type { AnyTool } from '../define/tool.ts';
import { isPlainObject, utf8BytesOver, type Json } from '../json.ts';
import type { Fault } from '../pipeline/fault.ts';
import { faultOfThrown } from '../pipeline/services.ts';
import { parseNow } from '../schema/standard.ts';
import type { StoredState } from './ownership.ts';

/**
 * All state behind one handle. SQLite-backed Durable Objects store at most 2 MB a value, and a stored string takes up
 * to twice its UTF-8 length.
 */
export const MAX_STATE_BYTES = 900_000;

export type StatefulToolDefinition = Extract<AnyTool, { kind: 'stateful' }>;

/** What a step needs of a tool: its name for faults, and its state. */
export type StateUser = Pick<StatefulToolDefinition, 'name' | 'state'>;

export type ReduceOutcome =
  /** `next` is the whole state to store; absent where the stored state stays as it is. */
  | { readonly ok: true; readonly reply: ToolReply; readonly next?: StoredState }
  | { readonly ok: false; readonly fault: Fault; readonly cause?: string };

/** @param stored The state as it was stored, or undefined where there is none yet. */
export function reduceState(
  tool: StatefulToolDefinition,
  stored: StoredState | undefined,
  args: unknown,
  ctx: ReducerContext,
): ReduceOutcome {
  const input = parseNow(tool.input, args);
  if (!input.ok) return { ok: false, fault: { fault: 'invalid_arguments', tool: tool.name, issues: input.issues } };
  const before = readState(tool, stored);
  if (!before.ok) return { ok: false, fault: { fault: 'state_unreadable', tool: tool.name }, cause: before.cause };
  // Taken before the reducer runs: one that changes its argument must not pass for one that changed nothing.
  const beforeText = storedText(tool, stored, before.value);
  let reduced: unknown;
  try {
    reduced = tool.reduce(before.value, input.value, ctx);
  } catch (cause) {
    const thrown = faultOfThrown(tool.name, cause);
    return { ok: false, fault: thrown.fault, cause: textOf(thrown.cause) };
  }
  if (!isPlainObject(reduced) || !isPlainObject(reduced['reply'])) {
    return {
      ok: false,
      fault: { fault: 'invalid_result', tool: tool.name },
      cause: 'the reducer gave no { state, reply }',
    };
  }
  // The reply may cross from one Durable Object to another, which would turn functions into stubs: JSON only.
  const reply = throughJson(reduced['reply']) as ToolReply | undefined;
  if (reply === undefined)
    return { ok: false, fault: { fault: 'invalid_result', tool: tool.name }, cause: 'JSON cannot carry the reply' };
  if (reply.isError === true) return { ok: true, reply };
  const next = nextState(tool, reduced['state'], beforeText);
  return next.ok ? { ...next, reply } : next;
}

/** What is stored before a step, to be compared with what it gives. */
export const storedText = ({ state }: StateUser, stored: StoredState | undefined, value: unknown): string =>
  JSON.stringify({ v: stored?.v ?? versionOf(state), value });

type StepOutcome = { readonly ok: true; readonly next?: StoredState } | Extract<ReduceOutcome, { readonly ok: false }>;

/** @returns The state to store; no `next` where it stays as it is. */
export function nextState(tool: StateUser, state: unknown, beforeText: string): StepOutcome {
  const broken = (cause: string): StepOutcome => ({
    ok: false,
    fault: { fault: 'invalid_result', tool: tool.name },
    cause,
  });
  const after = parseNow(tool.state.schema, state);
  if (!after.ok) {
    const why = after.cause === undefined ? '' : `: ${textOf(after.cause)}`;
    return broken(`the step gave a state that its schema refuses${why}`);
  }
  const value = throughJson(after.value);
  if (value === undefined) return broken('JSON cannot carry the state');
  const next: StoredState = { v: versionOf(tool.state), value };
  const text = JSON.stringify(next);
  if (utf8BytesOver(text, MAX_STATE_BYTES)) {
    return { ok: false, fault: { fault: 'state_too_large', tool: tool.name, limitBytes: MAX_STATE_BYTES } };
  }
  return text === beforeText ? { ok: true } : { ok: true, next };
}

/** The stored state as its definition reads it today, or why it cannot. */
export function readState(
  { state }: StateUser,
  stored: StoredState | undefined,
): { ok: true; value: unknown } | { ok: false; cause: string } {
  if (stored === undefined) return read(state, structuredClone(state.initial));
  const version = versionOf(state);
  if (stored.v === version) return read(state, stored.value);
  if (stored.v > version)
    return { ok: false, cause: `version ${stored.v} of "${state.name}" is newer than ${version}` };
  if (state.migrate === undefined)
    return { ok: false, cause: `"${state.name}" cannot migrate from version ${stored.v}` };
  try {
    return read(state, state.migrate(structuredClone(stored.value), stored.v));
  } catch (cause) {
    return { ok: false, cause: textOf(cause) };
  }
}

function read(state: StateDefinition, value: unknown): { ok: true; value: unknown } | { ok: false; cause: string } {
  const parsed = parseNow(state.schema, value);
  if (parsed.ok) return parsed;
  if (parsed.cause !== undefined) return { ok: false, cause: textOf(parsed.cause) };
  return { ok: false, cause: parsed.issues.map(({ path, message }) => `${path}: ${message}`).join('; ') };
}

/** The value as JSON reads it back, or undefined where JSON cannot carry it. */
export function throughJson(value: unknown): Json | undefined {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

const textOf = (cause: unknown): string => (cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
