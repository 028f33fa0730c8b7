/** Everything a tool may use beside its input. Each lane fills it; no SDK type and no platform type passes through. */
import type { Caller, Properties } from '../caller.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Questions } from './questions.ts';

/** RFC 5424 severities, as both protocol eras name them. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
/** The levels of a message to the client, from the least to the most urgent. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How far a call has come. */
export interface Progress {
  /** Must grow with each call. */
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Who calls, where the lane knows it: always on modern, for the session on legacy, never on compat. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** The outside world as arguments, so that two lanes given the same world answer the same. */
export interface World {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** In [0, 1). Not for secrets. */
  random(): number;
  /** A fresh UUID. */
  id(): string;
  fetch(input: string | URL, init?: RequestInit): Promise<Response>;
}

/** The request that a definition's code answers, as its lane has read it. */
export interface CallRequest {
  readonly id: string | number;
  /** The request's `_meta`, without the protocol's own envelope. */
  readonly meta?: JsonObject;
  /** Of the session that the request belongs to, if it has one. */
  readonly sessionId?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly url?: string;
  /** What a sign-in has told the SDK of the token, if the lane's SDK is told. */
  readonly authInfo?: unknown;
}

/**
 * What all code of a definition may use that runs for a call. A definition names what it needs of the deployment by the
 * types of its services and of the sign-in's properties; the Worker's `services` option has to give it.
 */
export interface CallContext<Services = unknown, P = Properties> extends World {
  /** Aborts on cancellation, on the deadline, and where the lane notices it, on a client that has gone. */
  readonly signal: AbortSignal;
  readonly client: ClientInfo | undefined;
  /** Who calls, as the sign-in in front of the Worker says. */
  readonly caller: Caller<P>;
  /** The subject of the caller: the authenticated user or service, where the deployment has sign-in. */
  readonly subject: string | undefined;
  /** What the Worker's `services` option makes of bindings and caller: made once per request, when it is first read. */
  readonly services: Services;
  /** Differs between lanes: what depends on it is not the same everywhere. Absent outside of a lane. */
  readonly request?: CallRequest | undefined;
}

/** What a tool is given beside its arguments: who calls, clock, network, services, and ways to tell and to ask the client. */
export interface ToolContext<Services = unknown, P = Properties> extends CallContext<Services, P>, Questions {
  /** Reaches the client only where it asked for progress; never fails. */
  progress(update: Progress): void;
  /** Reaches the client only where its log level allows; never fails. */
  log(level: LogLevel, message: string, data?: Json): void;
}

/** The part of the world that needs no waiting. */
export type StillWorld = Pick<World, 'now' | 'random' | 'id'>;

/** What a reducer may use: it runs where the state lives and may not wait for anything. */
export interface ReducerContext<Services = unknown, P = Properties> extends StillWorld {
  readonly caller: Caller<P>;
  /** Made where the state lives, from that object's bindings, when it is first read. */
  readonly services: Services;
}
