/** What `sessionAgent` can be told, and what it adds to a class. Types, and the defaults. */
import type { McpAgent } from 'agents/mcp';
import { usualSubjectOf } from '../../shared/caller.ts';
import type { SessionAgentApi, SessionStanding } from '../../state/transfer.ts';
import type { EnteredAgent } from '../entrance.ts';

/**
 * Faults of the package that a session is kept from, each of which can be switched off. The three about the event store
 * are off for a class that has its own `getEventStore`.
 */
export interface Workarounds {
  /** A message over about 2 MB is sent without an event id; the package would never send it. */
  readonly largeMessages: boolean;
  /** The last eight answered calls can still be taken up with `Last-Event-ID`. */
  readonly answeredCalls: boolean;
  /** A stream that was taken up with `Last-Event-ID` ends after its answer. */
  readonly resumedStreams: boolean;
  /** The stream of a cancelled call ends. */
  readonly cancelledCalls: boolean;
  /** An agent that wakes keeps the answer to its repeated `initialize` to itself, which the package reports as an error. */
  readonly quietWake: boolean;
}

/** The session layer's own record of a session. */
export interface SessionRecord {
  /** True while the session is handed to the stateless lanes; false once it was taken back. */
  readonly drained?: boolean;
  /** Of a session that has an idle time of its own, whatever its class says. */
  readonly idleMs?: number;
}

/** The environment of an agent, whose bindings are the application's. */
export type AgentEnv = object;

export type MoveEarlier = (
  agent: { readonly state: unknown; setState(state: unknown): void },
  storage: DurableObjectStorage,
) => void;

/** How the sessions of a class are kept. */
export interface SessionAgentOptions {
  /** Milliseconds without a use after which a session ends. Undefined, the default: sessions do not expire. */
  readonly idleMs?: number | ((env: AgentEnv) => number | undefined);
  /** Finds the subject in a caller's properties. Default: their `subject`. */
  readonly subjectOf?: (props: unknown) => string | undefined;
  /** Told of each session that ends, whether by its client, an operator or its age. */
  readonly onSessionEnd?: (env: AgentEnv, sessionId: string) => Promise<void>;
  /** Told of what went wrong where no caller waits for it. */
  readonly onError?: (cause: unknown) => void;
  /** All are on by default. */
  readonly workarounds?: Partial<Workarounds>;
  /** Moves the record of a session that an earlier version of the class has kept in its state. */
  readonly moveEarlier?: MoveEarlier;
}

/** TypeScript requires the base of a mixin to take this. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyArguments = any[];

// oxlint-disable typescript/no-explicit-any
/** A class that `sessionAgent` can be put on, whatever its environment, state and properties are. */
export type McpAgentClass = abstract new (...args: AnyArguments) => McpAgent<any, any, any>;
// oxlint-enable typescript/no-explicit-any

/** What `sessionAgent` adds to the instances of a class. */
export interface SessionAgentMembers extends Omit<SessionAgentApi, 'applyOrRelease' | 'standing'>, EnteredAgent {
  /** Where the session is served; `foreign` if a caller is given and the session is not the caller's. */
  standing(caller?: Caller): Promise<SessionStanding>;
}

/** Who asks, by the subject of the caller's properties; undefined for nobody. */
export interface Caller {
  readonly subject: string | undefined;
}

/** A class with sessions that can be drained, taken back, ended and expire. */
export type SessionAgentClass<Base extends McpAgentClass> = Base &
  (abstract new (...args: AnyArguments) => SessionAgentMembers);

/** The names of the members that `sessionAgent` adds, so that a class that has one of its own is refused. */
export const ADDED_MEMBERS = [
  '_enter',
  'admits',
  'drain',
  'endSession',
  'isSession',
  'standing',
  'takeBack',
] as const satisfies readonly (keyof SessionAgentMembers)[];

/** The options with the defaults filled in, once per class. */
export interface SessionSettings {
  readonly idleMs: (env: AgentEnv) => number | undefined;
  readonly subjectOf: (props: unknown) => string | undefined;
  readonly onSessionEnd: (env: AgentEnv, sessionId: string) => Promise<void>;
  readonly onError: (cause: unknown) => void;
  readonly workarounds: Workarounds;
  readonly moveEarlier: MoveEarlier;
}

export function settingsOf(options: SessionAgentOptions): SessionSettings {
  const { idleMs } = options;
  return {
    idleMs: typeof idleMs === 'function' ? idleMs : () => idleMs,
    subjectOf: options.subjectOf ?? usualSubjectOf,
    onSessionEnd: options.onSessionEnd ?? (async () => undefined),
    onError: options.onError ?? (() => undefined),
    workarounds: {
      largeMessages: true,
      answeredCalls: true,
      resumedStreams: true,
      cancelledCalls: true,
      quietWake: true,
      ...options.workarounds,
    },
    moveEarlier: options.moveEarlier ?? (() => undefined),
  };
}
