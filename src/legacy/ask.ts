/** Asks the client of a legacy session: a request pushed on the stream of the call that it belongs to. */
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { AskedQuestion, AskPort, RawAnswer } from '../shared/pipeline/ports.ts';
import { askableOf } from '../shared/pipeline/question.ts';
import { report, type Reporter } from '../shared/pipeline/report.ts';
import type { LegacyExtra } from './server.ts';

export interface PushOptions {
  readonly extra: LegacyExtra;
  /** What the client declared at `initialize`. */
  readonly capabilities: unknown;
  readonly timeoutMs: number;
  /** Keeps the agent awake until the work is done. */
  readonly awake: <T>(work: () => Promise<T>) => Promise<T>;
  readonly report: Reporter;
}

export function pushPort(options: PushOptions): AskPort {
  return {
    kind: 'push',
    client: askableOf(options.capabilities),
    push: async (question, signal) => {
      try {
        // Sent before anything is waited for, so that questions asked together keep their order.
        const answer = send(options, question, signal);
        answer.catch(() => undefined);
        return await options.awake(() => answer);
      } catch (cause) {
        report(options.report, { fault: 'unanswered', tool: undefined, cause });
        return undefined;
      }
    },
  };
}

/**
 * Related to the call, so that it reaches clients that hold no GET stream open. The answer is checked by the pipeline:
 * the SDK's own elicitInput compiles a validator, which workerd forbids in a request.
 */
async function send(
  { extra, timeoutMs }: PushOptions,
  { method, params }: AskedQuestion,
  signal: AbortSignal,
): Promise<RawAnswer> {
  const request = { method, params } as unknown as Parameters<LegacyExtra['sendRequest']>[0];
  // A signal of its own: the SDK goes on listening after the answer, and would tell the client that it was cancelled.
  const waiting = new AbortController();
  const cancel = (): void => waiting.abort(signal.reason);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await extra.sendRequest(request, ResultSchema, { signal: waiting.signal, timeout: timeoutMs });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
