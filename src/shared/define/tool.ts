/** Definitions of tools, written once and served by every lane. Building a catalogue checks them; see `catalogue/`. */
import type { Properties } from '../caller.ts';
import type { JsonObject } from '../json.ts';
import type { InferOutput, Schema } from '../schema/standard.ts';
import type { Access } from './access.ts';
import type { ReducerContext, ToolContext } from './context.ts';
import type { Needing } from './needs.ts';
import type { ToolReply } from './reply.ts';
import type { StateDefinition } from './state.ts';

/** Hints for clients. All four must be said: a client reads an absent hint as the dangerous value. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A picture that a client may show for a tool. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

interface ToolBase<I extends Schema, O extends Schema | undefined, Services, P>
  extends Needing<Services, P>, Access<P> {
  /** Letters, digits, `_`, `-`, `.`; at most 128. */
  readonly name: string;
  readonly title: string;
  /** Written for the model that calls it: what it does, its limits, when not to use it. */
  readonly description: string;
  readonly input: I;
  /** Needed where the tool replies with structured content. */
  readonly output?: O;
  readonly annotations: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /** A disabled tool is neither listed nor callable, on any lane. */
  readonly enabled?: boolean;
  /** Longest run in milliseconds; the catalogue's limit where absent. */
  readonly deadlineMs?: number;
}

/** A tool without state. */
export interface PlainTool<
  I extends Schema = Schema,
  O extends Schema | undefined = Schema | undefined,
  Services = unknown,
  P = Properties,
> extends ToolBase<I, O, Services, P> {
  readonly run: (input: InferOutput<I>, ctx: ToolContext<Services, P>) => ToolReply | Promise<ToolReply>;
}

/** What a reducer gives back: the whole next state, and the reply. An error reply keeps the old state. */
export interface Reduced<S> {
  readonly state: S;
  readonly reply: ToolReply;
}

/** A tool that reads and changes a state. */
export interface StatefulTool<
  I extends Schema = Schema,
  O extends Schema | undefined = Schema | undefined,
  S extends Schema = Schema,
  Services = unknown,
  P = Properties,
> extends ToolBase<I, O, Services, P> {
  readonly state: StateDefinition<S>;
  /** Pure and immediate: it runs inside the owner of the state, so no update can slip in between. */
  readonly reduce: (
    state: InferOutput<S>,
    input: InferOutput<I>,
    ctx: ReducerContext<Services, P>,
  ) => Reduced<InferOutput<S>>;
  readonly run?: never;
}

/**
 * A state as a tool that waits has it. Each step is immediate and is stored when it returns, so none can come between
 * the reading and the writing of another, whatever calls are under way. Refused once the call has ended, and where the
 * state has moved to another lane meanwhile.
 */
export interface StateSteps<S> {
  /** The state as it is now; another call may have changed it since it was read before. */
  read(): S;
  /**
   * Changes the state in one step, and gives back what it is then. What it stored stays, also if the call fails later.
   * @param step Pure and immediate: the whole next state from the one that is there.
   */
  update(step: (state: S) => S): S;
}

/** A tool that keeps a state and waits: for a service, for the user, for time to pass. */
export interface WaitingTool<
  I extends Schema = Schema,
  O extends Schema | undefined = Schema | undefined,
  S extends Schema = Schema,
  Services = unknown,
  P = Properties,
> extends ToolBase<I, O, Services, P> {
  readonly state: StateDefinition<S>;
  /** Runs inside the owner of the state. Asks before it updates: a tool that asks may run again from the start. */
  readonly run: (
    input: InferOutput<I>,
    ctx: ToolContext<Services, P>,
    state: StateSteps<InferOutput<S>>,
  ) => ToolReply | Promise<ToolReply>;
  readonly reduce?: never;
}

/** A tool with the types of its input and output put away, as a catalogue holds it. What it needs stays. */
export type AnyTool<Services = unknown, P = Properties> =
  | ({ readonly kind: 'plain' } & ToolBase<Schema, Schema | undefined, Services, P> & {
        readonly run: (input: unknown, ctx: ToolContext<Services, P>) => ToolReply | Promise<ToolReply>;
      })
  | ({ readonly kind: 'stateful' } & ToolBase<Schema, Schema | undefined, Services, P> & {
        readonly state: StateDefinition;
        readonly reduce: (state: unknown, input: unknown, ctx: ReducerContext<Services, P>) => Reduced<unknown>;
      })
  | ({ readonly kind: 'waiting' } & ToolBase<Schema, Schema | undefined, Services, P> & {
        readonly state: StateDefinition;
        readonly run: (
          input: unknown,
          ctx: ToolContext<Services, P>,
          state: StateSteps<unknown>,
        ) => ToolReply | Promise<ToolReply>;
      });

/**
 * Defines a tool without state. Checked when a catalogue is built from it.
 *
 * @example
 * ```ts
 * const add = defineTool({
 *   name: 'add',
 *   title: 'Add',
 *   description: 'Adds two numbers.',
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
 *   run: ({ a, b }) => reply.text(String(a + b)),
 * });
 * ```
 */
export function defineTool<
  I extends Schema,
  O extends Schema | undefined = undefined,
  Services = unknown,
  P = Properties,
>(tool: PlainTool<I, O, Services, P>): AnyTool<Services, P> {
  return { kind: 'plain', ...tool } as unknown as AnyTool<Services, P>;
}

/**
 * Defines a tool that reads or changes state: at once by `reduce`, or with waiting in between by `run`. Unless its state
 * is without a handle, every lane adds an optional `handle` to its input and a `handle` to its structured output, so a
 * caller can carry the state to another session or lane.
 *
 * @example
 * ```ts
 * const count = defineStatefulTool({
 *   name: 'count',
 *   title: 'Count',
 *   description: 'Adds to a counter.',
 *   input: z.object({ by: z.int() }),
 *   annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
 *   state: defineState({ name: 'counter', schema: z.object({ value: z.int() }), initial: { value: 0 } }),
 *   reduce: ({ value }, { by }) => ({ state: { value: value + by }, reply: reply.text(String(value + by)) }),
 * });
 * ```
 */
export function defineStatefulTool<
  I extends Schema,
  S extends Schema,
  O extends Schema | undefined = undefined,
  Services = unknown,
  P = Properties,
>(tool: StatefulTool<I, O, S, Services, P> | WaitingTool<I, O, S, Services, P>): AnyTool<Services, P> {
  return { kind: 'run' in tool ? 'waiting' : 'stateful', ...tool } as unknown as AnyTool<Services, P>;
}
