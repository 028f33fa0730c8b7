/**
 * Raw JSON-RPC to one server. SDK clients are not used on purpose: they check answers, rewrite errors and hide fields,
 * and here an answer has to be compared as it came. A wire knows nothing of eras; what differs by era comes as headers.
 */
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
}

export interface Wire {
  /** @throws WireFault when no JSON-RPC answer came. */
  send(request: Request, options: SendOptions): Promise<Received>;
  notify(method: string, options: SendOptions): Promise<void>;
  /** What the last answer's `Server-Timing` calls its lane; only HTTP has a place for it. */
  lane?(): string | undefined;
  /** Ends what `open` began. Never throws. */
  close(): Promise<void>;
}

export interface Received {
  readonly message: unknown;
  readonly sessionId?: string;
}

export const FAULTS = [
  'unreachable',
  'refused_sign_in',
  'wrong_era',
  'died',
  'no_answer',
  'flood',
  'garbage',
  'broken_listing',
] as const;
export type FaultReason = (typeof FAULTS)[number];

/** Why a server could not be asked. */
export class WireFault extends Error {
  override readonly name = 'WireFault';
  readonly reason: FaultReason;
  constructor(reason: FaultReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** How much one answer may be before it counts as a flood: more than any model could read. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** How many other messages may come before an answer. */
export const MAX_OTHER_MESSAGES = 10_000;

export const excerpt = (text: string, length = 160): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length)}…` : line;
};
