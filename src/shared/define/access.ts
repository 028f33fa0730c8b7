/** Who may see a definition, and what they must be allowed to do to use it. Types only. */
import type { Caller, Properties } from '../caller.ts';

/** Keys of every definition that a client can see. */
export interface Access<P = Properties> {
  /**
   * Whether this caller may know of it: to everybody else it is unknown on every lane, with the answer that a name gets which
   * never existed. Pure and immediate: it is asked in every request. What it throws hides the definition.
   */
  readonly visible?: (caller: Caller<P>) => boolean;
  /**
   * What the caller must have been allowed to do, all of it (RFC 6749, section 3.3). Whoever lacks one gets no answer from the
   * definition; whether they see it is said by `scopesMissing` of the catalogue.
   */
  readonly scopes?: readonly string[];
}

/**
 * What becomes of a definition for a caller who lacks its scopes. `challenge`: it is listed, and its use is refused with the
 * scopes that are needed, so that the client can sign in again for them. `hide`: it is unknown.
 */
export type ScopesMissing = 'challenge' | 'hide';
