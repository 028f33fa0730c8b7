/**
 * Decides which lane serves a request, with its reason. Pure and total: no I/O, no clock.
 *
 * In two steps. `decide` looks at the request, the stage of its route and the brake. Only if it names the legacy lane for
 * a session that this lane turns out not to serve any more does `settle` decide, knowing how the session stands: a drained
 * session is hidden from the legacy package, which then answers 404, and goes on here under the same id on the compat
 * lane. What the first step needs to know of flags and brake it says first (`needsOf`), so that no more is read than a
 * decision depends on.
 */
import type { FlagReason } from '../cutover/flags/flags.ts';
import type { LegacyStage, McpStage, SseStage } from '../cutover/stage.ts';
import type { Era, Standing } from '../lane/contract.ts';
import { assertNever } from '../shared/json.ts';

/** Whose a request's session id is, by its form. `unknown` is one that nobody here can have given out. */
export type SessionKind = 'none' | 'legacy' | 'compat' | 'unknown';

export interface Facts {
  readonly route: 'legacy' | 'sse' | 'mcp';
  readonly era: Era;
  readonly session: SessionKind;
  /** True for `initialize`: the one request that begins a session, and the one that can be given another lane. */
  readonly opens: boolean;
  /** True for `server/discover`, by which a client asks whether 2026-07-28 is spoken here. */
  readonly probes: boolean;
  /** True for a client that declares something only a session can carry, where the deployment keeps such clients. */
  readonly needsSession: boolean;
  /** False once the legacy half has been removed from the Worker. */
  readonly hasLegacy: boolean;
}

/** The stage of the request's route for this caller. */
export interface Position {
  readonly stage: LegacyStage | SseStage | McpStage;
  readonly flag: FlagReason;
  readonly brake: boolean;
}

export type Decision =
  | {
      readonly lane: 'legacy';
      readonly reason:
        | FlagReason
        | 'pinned'
        | 'brake'
        | 'needs_session'
        | 'shadow'
        | 'no_session'
        | 'route'
        /** No lane has the session, or not for this caller: the request is refused. */
        | 'unknown_session';
    }
  | {
      readonly lane: 'compat';
      readonly reason: FlagReason | 'pinned' | 'drained' | 'stale_session' | 'no_session' | 'no_legacy';
    }
  | { readonly lane: 'modern'; readonly reason: 'era_2026' }
  | { readonly lane: 'none'; readonly reason: 'era_not_served' | 'era_not_begun' | 'gone' | 'off' };

/** What a decision depends on: the stage for this client or of the route as a whole, and the brake. */
export interface Needs {
  readonly stage: 'client' | 'route';
  readonly brake: boolean;
}

/** Only what begins a session is asked for by client: everything else is pinned, or cannot be told apart. */
export const needsOf = ({ opens, era, hasLegacy, route }: Facts): Needs => {
  const asks = opens && era === '2025' && hasLegacy && route !== 'sse';
  return { stage: asks ? 'client' : 'route', brake: asks };
};

export function decide(facts: Facts, position: Position): Decision {
  switch (facts.route) {
    case 'legacy':
      return onLegacyRoute(facts, position);
    case 'sse':
      if (!facts.hasLegacy || position.stage === 'gone') return { lane: 'none', reason: 'gone' };
      // A client that probes this transport waits for the refusal on its stream, and falls back. The package gives it.
      if (facts.era === '2026' && !facts.probes) return { lane: 'none', reason: 'era_not_served' };
      // Neither a stream nor a message begins a session under an id that nobody here can have given out.
      return facts.session === 'unknown' ? UNKNOWN_SESSION : { lane: 'legacy', reason: 'route' };
    case 'mcp':
      return onMcpRoute(facts, position);
    default:
      return assertNever(facts.route);
  }
}

function onLegacyRoute({ era, session, opens, hasLegacy }: Facts, { stage, flag, brake }: Position): Decision {
  if (!hasLegacy || stage === 'gone') return { lane: 'none', reason: 'gone' };
  // Such a client negotiates first and falls back to `initialize` when it is refused in JSON-RPC.
  if (era === '2026') return { lane: 'none', reason: 'era_not_served' };
  if (opens) {
    if (brake) return { lane: 'legacy', reason: 'brake' };
    if (stage === 'stateless') return { lane: 'compat', reason: flag };
    return { lane: 'legacy', reason: stage === 'shadow' ? 'shadow' : flag };
  }
  if (session === 'legacy') return { lane: 'legacy', reason: 'pinned' };
  if (session === 'compat') return { lane: 'compat', reason: 'pinned' };
  // Large clients never begin a new session after 404, and some drop their session id: once the route has left the
  // legacy lane, they are answered without one.
  if (stage === 'stateless') return { lane: 'compat', reason: session === 'none' ? 'no_session' : 'stale_session' };
  return session === 'none' ? { lane: 'legacy', reason: 'no_session' } : UNKNOWN_SESSION;
}

const UNKNOWN_SESSION = { lane: 'legacy', reason: 'unknown_session' } as const satisfies Decision;

function onMcpRoute(
  { era, session, opens, probes, hasLegacy, needsSession }: Facts,
  { stage, flag, brake }: Position,
): Decision {
  if (stage === 'off') return { lane: 'none', reason: 'off' };
  // A client that has begun has no way to the other protocol but to begin again.
  if (era === '2026' && probes && stage === 'drain') return { lane: 'none', reason: 'era_not_begun' };
  if (era === '2026') return { lane: 'modern', reason: 'era_2026' };
  if (opens) {
    if (!hasLegacy) return { lane: 'compat', reason: 'no_legacy' };
    if (brake) return { lane: 'legacy', reason: 'brake' };
    if (stage === 'legacy') return { lane: 'legacy', reason: flag };
    return needsSession ? { lane: 'legacy', reason: 'needs_session' } : { lane: 'compat', reason: flag };
  }
  if (session === 'legacy' && hasLegacy) return { lane: 'legacy', reason: 'pinned' };
  if (session === 'compat') return { lane: 'compat', reason: 'pinned' };
  return { lane: 'compat', reason: session === 'none' ? 'no_session' : 'stale_session' };
}

/** The second step: what becomes of a request whose session the legacy lane did not serve. */
export function settle(facts: Facts, { stage }: Position, standing: Standing): Decision {
  switch (standing) {
    case 'drained':
      // The old transport has no counterpart on the stateless lanes, so none of its sessions is ever handed to them.
      return facts.route === 'sse' ? UNKNOWN_SESSION : { lane: 'compat', reason: 'drained' };
    case 'live':
      // Taken back since the lane looked: it serves the request after all.
      return { lane: 'legacy', reason: 'pinned' };
    case 'foreign':
      return UNKNOWN_SESSION;
    case 'gone':
      return facts.route === 'mcp' || (facts.route === 'legacy' && stage === 'stateless')
        ? { lane: 'compat', reason: 'stale_session' }
        : UNKNOWN_SESSION;
  }
}
