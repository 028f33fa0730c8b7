/** What a lane gives the pipeline for one call. The lanes fill these; the pipeline knows no lane. */
import type { Caller } from '../caller.ts';
import type { CallRequest, ClientInfo, LogLevel, Progress, World } from '../define/context.ts';
import type { Askable } from '../define/questions.ts';
import type { ToolReply } from '../define/reply.ts';
import type { StateOf } from '../define/state.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Fault } from './fault.ts';
import type { Reporter } from './report.ts';

/** A question as the client gets it: one of the protocol's requests to a client. */
export interface AskedQuestion {
  readonly key: string;
  /** What the client must have declared. */
  readonly needs: Askable;
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: JsonObject;
}

/** The client's result for a question, before anything in it is checked. */
export type RawAnswer = Readonly<Record<string, unknown>>;

/**
 * How questions reach the client.
 * - `push`: a request to the client while the call is open; undefined where no answer came in time.
 * - `rounds`: the call ends with the questions and is made again with the answers.
 * - `none`: they do not.
 *
 * `client` is what the client declared that it can be asked for.
 */
export type AskPort =
  | {
      readonly kind: 'push';
      readonly client: ReadonlySet<Askable>;
      push(question: AskedQuestion, signal: AbortSignal): Promise<RawAnswer | undefined>;
    }
  | {
      readonly kind: 'rounds';
      readonly client: ReadonlySet<Askable>;
      readonly answers: ReadonlyMap<string, RawAnswer>;
    }
  | {
      readonly kind: 'none';
      /** The path at which clients of the same protocol can be asked; undefined if there is none. */
      readonly otherwiseAt: string | undefined;
    };

export interface StateCall {
  readonly tool: string;
  /** The call's arguments without the handle, unparsed: the owner of the state parses them. */
  readonly args: unknown;
  readonly handle: string | undefined;
  /** Whose state it is, as its definition says. */
  readonly of: StateOf;
}

export type StateOutcome =
  /** Of a tool that waits: its call is made again with the answers. */
  | { readonly ok: 'asked'; readonly questions: readonly AskedQuestion[] }
  | { readonly ok: true; readonly reply: ToolReply; readonly handle: string }
  | { readonly ok: false; readonly fault: Fault; readonly cause?: string };

/** Runs the tool where the state lives and gives back its reply with the state's handle. */
export interface StatePort {
  /** @param live For a tool that waits. */
  apply(call: StateCall, live?: LiveCall): Promise<StateOutcome>;
}

/** The caller has the signal itself. */
export type LiveAsk =
  | Exclude<AskPort, { kind: 'push' }>
  | {
      readonly kind: 'push';
      readonly client: ReadonlySet<Askable>;
      push(question: AskedQuestion): Promise<RawAnswer | undefined>;
    };

/**
 * What a tool that waits needs of its call while it runs in the owner of its state, which may be another object: JSON
 * and functions, so that it can be sent there.
 */
export interface LiveCall extends Pick<CallPorts, 'client' | 'version' | 'progress' | 'log'> {
  readonly limitMs: number;
  readonly ask: LiveAsk;
  /** Settles when the call is over for its caller, if only because the caller is gone. */
  readonly over: () => Promise<void>;
}

export interface CallPorts {
  readonly world: World;
  /** Aborts when the client cancels or, where the lane can tell, goes away. */
  readonly signal: AbortSignal;
  readonly client: ClientInfo | undefined;
  /** The protocol version that the client speaks, if the lane knows it; absent means the newest. */
  readonly version?: string;
  readonly caller: Caller;
  /** Gives what the deployment's `services` option makes for this caller; throws what that throws. */
  readonly services: () => unknown;
  readonly ask: AskPort;
  readonly state: StatePort;
  readonly report: Reporter;
  /** What the lane knows of the request; few tools ask. */
  readonly request?: () => CallRequest;
  /** Sends a progress notification for this call; absent where the client asked for none. */
  readonly progress?: (update: Progress) => Promise<void>;
  readonly log: (level: LogLevel, data: Json) => Promise<void>;
}

/** What code of a definition is run with. */
export type RunPorts = Omit<CallPorts, 'state'>;
