/** What hosting is composed of, and a request and an answer on their way through it. Types only. */
import type { Census } from '../cutover/census/collect.ts';
import type { CensusEnv } from '../cutover/census/shards.ts';
import type { Cutover } from '../cutover/cutover.ts';
import type { Era } from '../lane/contract.ts';
import type { HostedExchange, HostingAgent } from '../lane/hosting.ts';
import type { Caller, SubjectReader } from '../shared/caller.ts';
import type { HandleSettings } from './handle-listing.ts';
import type { Message } from '../shared/message.ts';
import type { SessionAgentApi } from '../state/transfer.ts';

/** A handler as the agents package's `serve` gives it. */
export interface ServedPath<Env = unknown> {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response>;
}

/** The same, which can say before a sign-in that nothing is to be had. */
export interface Front extends ServedPath<object> {
  /** The answer to a client whose generation this URL serves no more, whoever calls; undefined where it does. */
  closed(request: Request, env: object, ctx: ExecutionContext): Promise<Response | undefined>;
}

export type Agent = HostingAgent & Pick<SessionAgentApi, 'standing' | 'endSession'>;

export interface HostedSettings {
  readonly subjectOf: SubjectReader;
  /** True for a class that keeps nothing between calls, so that callers who are nobody may share a few objects. */
  readonly keepsNoState: boolean;
  /** How many objects they share. */
  readonly poolSize: number;
  /** How callers without a sign-in are given state of their own; undefined if they are not. */
  readonly handles: HandleSettings | undefined;
  /** True for a class that has more to say to its 2025 clients than answers. */
  readonly needsSession: boolean;
}

export interface FrontOptions {
  /** The class as the package serves it. */
  readonly plain: ServedPath<object>;
  readonly path: string;
  /** True if the path is one of the HTTP+SSE transport, which has no stateless counterpart. */
  readonly isOldTransport: boolean;
  /** @throws as the package does, for a binding that is missing or no namespace. */
  readonly agents: (env: object) => DurableObjectNamespace;
  /** Undefined if nothing in the environment can say a stage: then the class is served as it is. */
  readonly cutover: (env: object) => Cutover | undefined;
  readonly census: Census;
  readonly envOf: (env: object) => CensusEnv;
  readonly eraOf: (request: Request, message: Message) => Promise<Era>;
  readonly answer: (request: Request, exchange: HostedExchange) => Promise<Response>;
  readonly settingsOf: (env: object) => HostedSettings;
  readonly corsHeaders: Readonly<Record<string, string>>;
  /** Told of properties of a sign-in in which no subject was found. */
  readonly onNoSubject: (props: Readonly<Record<string, unknown>>) => void;
  /** Told why callers cannot be given handles. */
  readonly onHandleClash: (problem: string) => void;
}

export interface Asked {
  readonly request: Request;
  readonly env: object;
  readonly ctx: ExecutionContext;
  readonly message: Message;
  readonly era: Era;
  readonly caller: Caller;
  readonly sessionId: string | null;
}

export interface Answered {
  readonly response: Response;
  readonly lane: 'legacy' | 'compat' | 'modern' | 'none';
  readonly reason: string;
}

/** What the class serves to a caller; undefined if there is no such session of this caller's. */
export type Describe = (
  agent: HostingAgent,
  of: HostedExchange['of'],
  caller: HostedExchange['caller'],
) => Promise<HostedExchange['server'] | undefined>;
