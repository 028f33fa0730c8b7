/**
 * Decides who answers a request at the URL of a user's own class: the legacy lane, which is the class as it is, or a
 * stateless lane, which asks an object of the class. Pure and total. What is not set moves nobody: without a stage that
 * says otherwise everybody is answered by the legacy lane, 2026-07-28 clients by what it says to them.
 */
import type { FlagReason } from '../cutover/flags/flags.ts';
import type { LegacyStage, McpStage } from '../cutover/stage.ts';
import type { Era } from '../lane/contract.ts';

export interface HostedFacts {
  readonly era: Era;
  /** True for `initialize`, and for the `server/discover` of a 2026-07-28 client, which can still begin otherwise. */
  readonly opens: boolean;
  /** False for an `initialize` that the package refuses for its headers, or because it names a session. */
  readonly canBegin: boolean;
  /** True if the request names a session. */
  readonly hasSession: boolean;
  /** True for a client that declares what only a session can carry: to be asked, to sample, to give roots. */
  readonly needsSession: boolean;
  /** True if there is an object of the class that can answer this caller without a session: its own, one of a pool, or a handle's. */
  readonly hasObject: boolean;
}

export interface HostedPosition {
  /** Of the clients of the generation that asks. */
  readonly stage: LegacyStage | McpStage;
  readonly flag: FlagReason;
  readonly brake: boolean;
}

export type HostedDecision =
  | {
      readonly lane: 'legacy';
      readonly reason: FlagReason | 'pinned' | 'brake' | 'needs_session' | 'no_session' | 'shadow';
    }
  | { readonly lane: 'compat'; readonly reason: FlagReason }
  | { readonly lane: 'modern'; readonly reason: 'era_2026' }
  | { readonly lane: 'none'; readonly reason: 'gone' | 'off' };

export function decideHosted(facts: HostedFacts, { stage, flag, brake }: HostedPosition): HostedDecision {
  if (facts.era === '2026') {
    if (stage === 'off') return { lane: 'none', reason: 'off' };
    // Whoever has begun speaks what only the modern lane does: sent elsewhere, its next call would fail.
    if (brake && facts.opens) return { lane: 'legacy', reason: 'brake' };
    if (stage !== 'stateless' && (stage !== 'drain' || facts.opens)) return { lane: 'legacy', reason: flag };
    return facts.hasObject ? { lane: 'modern', reason: 'era_2026' } : { lane: 'legacy', reason: 'needs_session' };
  }
  if (stage === 'gone') return { lane: 'none', reason: 'gone' };
  // What cannot begin a session is refused as the package refuses it, and leaves no object behind.
  if (facts.opens && !facts.canBegin) return { lane: 'legacy', reason: flag };
  if (facts.opens) {
    if (brake) return { lane: 'legacy', reason: 'brake' };
    if (stage !== 'stateless') return { lane: 'legacy', reason: stage === 'shadow' ? 'shadow' : flag };
    return facts.needsSession ? { lane: 'legacy', reason: 'needs_session' } : { lane: 'compat', reason: flag };
  }
  return { lane: 'legacy', reason: facts.hasSession ? 'pinned' : 'no_session' };
}
