/** The state of the brake after an operator has braked. Pure. */
import type { Brake, Braked } from './operator.ts';

/** So many who braked again are kept; the log has them all. */
const MAX_AGAIN = 20;

/** Who braked first stays; who brakes again is kept beside them, or gives the reason that they had no time for. */
export function braked(before: Brake, now: Braked): Brake {
  if (!before.on) return { on: true, ...now };
  const isOwn = before.why === undefined && before.who === now.who && before.said === now.said;
  if (isOwn && now.why !== undefined) return { ...before, why: now.why };
  return { ...before, again: [...(before.again ?? []), now].slice(-MAX_AGAIN) };
}
