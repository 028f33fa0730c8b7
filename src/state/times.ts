/** How long state that nobody uses is kept, and how long a question waits for the user. Pure. */

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

export interface AskVars {
  /** Milliseconds. */
  readonly ASK_TIMEOUT_MS?: string | number;
}

/** Ten minutes: what the v2 SDK gives a person to answer. */
const DEFAULT_ASK_TIMEOUT_MS = 600_000;
/** The longest delay that a timer can hold. */
const LONGEST_MS = 2 ** 31 - 1;

/** What the time that a question waits has to be. */
export const ASK_RULE = `must be a whole number of milliseconds, from 1 to ${LONGEST_MS}.`;

export const isAskTimeout = (ms: unknown): boolean =>
  Number.isInteger(ms) && Number(ms) >= 1 && Number(ms) <= LONGEST_MS;

/** @throws TypeError naming the variable and what it may be. */
export function askTimeoutMs({ ASK_TIMEOUT_MS: value }: AskVars): number {
  if (value === undefined || value === '') return DEFAULT_ASK_TIMEOUT_MS;
  if (!isAskTimeout(Number(value))) throw new TypeError(`The variable ASK_TIMEOUT_MS ${ASK_RULE}`);
  return Number(value);
}
