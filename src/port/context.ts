/** What a registration is given beside the server: the environment, and who calls. */
import type { Caller } from '../shared/caller.ts';
import { callerNow, type Recording } from './recording.ts';

/** The second argument of a registration. An agent hands the same over: `{ env: this.env, props: this.props }`. */
export interface RegistrationContext<Env = unknown, Props = unknown> {
  /** What `registrations()` was given as `env`. */
  readonly env: Env;
  /** The properties of the caller's sign-in; an empty object for a caller without one. In a handler: of that call. */
  readonly props: Props;
  /** The caller with its subject. In a handler: of that call. */
  readonly caller: Caller;
}

/** As an agent has them in a Worker without a sign-in. */
const NO_PROPERTIES = Object.freeze({});

export function contextFor(env: unknown, recording: Recording): RegistrationContext {
  return {
    env,
    get props() {
      return callerNow(recording).properties ?? NO_PROPERTIES;
    },
    get caller() {
      return callerNow(recording);
    },
  };
}
