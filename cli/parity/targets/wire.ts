/**
 * Raw JSON-RPC to one server. SDK clients are not used on purpose: they check answers, rewrite errors and hide fields,
 * and here an answer has to be compared as it came. A wire knows nothing of eras; what differs by era comes as options.
 */
import { deeperThan, MOST_LEVELS } from '../../../src/parity/depth.ts';
import type { JsonObject } from '../../../src/shared/json.ts';

export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: number;
  readonly method: string;
  readonly params?: JsonObject;
}

export interface SendOptions {
  readonly timeoutMs: number;
  /** For HTTP; other wires have no place for them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON-RPC errors that the era sends with an HTTP status of its own. Any other such status is a refusal. */
  readonly errorStatus?: ReadonlyMap<number, number>;
}

export interface Wire {
  /**
   * The JSON-RPC response.
   * @throws WireFault when none came.
   */
  send(request: Request, options: SendOptions): Promise<unknown>;
  notify(method: string, options: SendOptions): Promise<void>;
  /** Why it carries nothing any more: a pipe ends with its process. Undefined while it does. */
  readonly ended: WireFault | undefined;
  /** What the last answer's `Server-Timing` calls its lane; only HTTP has a place for it. */
  lane?(): string | undefined;
  /** Ends what opening it began. Never throws. */
  close(): Promise<void>;
}

/** What a server does beside answering, and what was done about it. None of it ends a wire. */
export type Notice =
  /** Text that is no JSON-RPC, between the messages. */
  | { readonly notice: 'stray_output'; readonly text: string }
  | { readonly notice: 'answered_twice'; readonly request: Pick<Request, 'method' | 'params'> }
  | { readonly notice: 'opened_again'; readonly why: string }
  | { readonly notice: 'told_to_wait'; readonly ms: number; readonly why: string };
export type Notify = (notice: Notice) => void;

export const FAULTS = [
  'unreachable',
  'refused_sign_in',
  'refused',
  'session_lost',
  'wrong_era',
  'died',
  'no_answer',
  'flood',
  'too_deep',
  'garbage',
  'broken_listing',
  'schema_work',
  'interrupted',
] as const;
export type FaultReason = (typeof FAULTS)[number];

interface FaultOptions extends ErrorOptions {
  /** Of the HTTP response that refused. */
  readonly status?: number;
  readonly body?: string;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs?: number;
}

/** Why a server could not be asked. */
export class WireFault extends Error {
  override readonly name = 'WireFault';
  readonly reason: FaultReason;
  readonly status: number | undefined;
  readonly body: string | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(reason: FaultReason, message: string, { status, body, retryAfterMs, ...options }: FaultOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
  }
}

/** How much one answer may be before it counts as a flood: more than any model could read. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** How many other messages may come before an answer. */
export const MAX_OTHER_MESSAGES = 10_000;

export const tooDeep = (): WireFault =>
  new WireFault('too_deep', `the answer is nested more than ${MOST_LEVELS} levels deep`);

/**
 * What a text says, or undefined when it is no JSON.
 * @throws WireFault for JSON that nothing here could walk through.
 */
export function readJson(text: string): unknown {
  if (deeperThan(text, MOST_LEVELS)) throw tooDeep();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const excerpt = (text: string, length = 160): string => {
  const line = text
    .slice(0, length * 8)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > length || text.length > length * 8 ? `${line.slice(0, length)}…` : line;
};
