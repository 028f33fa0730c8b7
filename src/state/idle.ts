/** When state that nobody uses may be forgotten. Pure. */

export interface IdleVars {
  /** Milliseconds without a call after which a session and its state are removed. */
  readonly SESSION_IDLE_MS?: string | number;
}

/** 24 hours: an abandoned session costs storage for as long as it is kept. */
const DEFAULT_IDLE_MS = 24 * 60 * 60 * 1000;
const SHORTEST_IDLE_MS = 100;

export const isIdleTime = (ms: unknown): boolean => Number.isInteger(ms) && Number(ms) >= SHORTEST_IDLE_MS;

/** What an idle time has to be. */
export const IDLE_RULE = `must be a whole number of milliseconds, at least ${SHORTEST_IDLE_MS}.`;

/** @throws TypeError naming the variable and what it may be. */
export function idleMs({ SESSION_IDLE_MS: value }: IdleVars): number {
  if (value === undefined || value === '') return DEFAULT_IDLE_MS;
  if (!isIdleTime(Number(value))) throw new TypeError(`The variable SESSION_IDLE_MS ${IDLE_RULE}`);
  return Number(value);
}

/**
 * When the removal alarm should stand, given where it stands now; undefined where it may stay. It is moved only when
 * less than the idle time is left, so that a busy session does not write its alarm at every call, and it is set a
 * tenth further out, so that a session never ends before its whole idle time is over.
 */
export function nextAlarm(nowMs: number, alarmMs: number | null, idle: number): number | undefined {
  if (alarmMs !== null && alarmMs >= nowMs + idle) return undefined;
  return nowMs + idle + Math.ceil(idle / 10);
}
