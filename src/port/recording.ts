/**
 * Who is meant by "the caller" in the code of a registration: while it registers, the caller that it is recorded for; in a
 * handler, the caller of that call. Code that runs outside of both has none.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '../shared/caller.ts';
import type { CallContext } from '../shared/define/context.ts';
import type { HandlerExtra } from './extra.ts';

/** One run of a registration. */
export interface Recording {
  readonly kind: 'recording';
  readonly caller: Caller;
  /** True once the registration, or a handler of it, has asked who the caller is. */
  looked: boolean;
  /** True once the registration has ended: nothing more can be registered then. */
  done: boolean;
}

/** One call of a handler. */
export interface HandlerCall {
  readonly kind: 'call';
  readonly recording: Recording;
  readonly caller: Caller;
  readonly ctx: CallContext;
  readonly extra: HandlerExtra;
}

const current = new AsyncLocalStorage<Recording | HandlerCall>();

export const runIn = <T>(of: Recording | HandlerCall, work: () => T): T => current.run(of, work);

/** The call that code runs in; undefined while a registration runs, and outside of both. */
export function callNow(): HandlerCall | undefined {
  const now = current.getStore();
  return now?.kind === 'call' ? now : undefined;
}

/**
 * The caller, noting that the registration depends on it.
 * @throws if the registration has ended and no handler of it runs.
 */
export function callerNow(recording: Recording): Caller {
  const now = current.getStore();
  if (now?.kind === 'call') {
    now.recording.looked = true;
    return now.caller;
  }
  if (recording.done || now === undefined) {
    throw new Error(
      'The caller was asked for after the registration had ended, outside of a handler. Await what the registration starts, or read the caller in the handler.',
    );
  }
  recording.looked = true;
  return recording.caller;
}
