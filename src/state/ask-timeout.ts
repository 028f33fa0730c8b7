/** How long a question waits for the user, on a lane that keeps the call open meanwhile. Pure. */

export interface AskVars {
  /** Milliseconds. */
  readonly ASK_TIMEOUT_MS?: string | number;
}

/** Ten minutes: what the v2 SDK gives a person to answer. */
const DEFAULT_ASK_TIMEOUT_MS = 600_000;
/** The longest delay that a timer can hold. */
const LONGEST_MS = 2 ** 31 - 1;

/** What the time has to be. */
export const ASK_RULE = `must be a whole number of milliseconds, from 1 to ${LONGEST_MS}.`;

export const isAskTimeout = (ms: unknown): boolean =>
  Number.isInteger(ms) && Number(ms) >= 1 && Number(ms) <= LONGEST_MS;

/** @throws TypeError naming the variable and what it may be. */
export function askTimeoutMs({ ASK_TIMEOUT_MS: value }: AskVars): number {
  if (value === undefined || value === '') return DEFAULT_ASK_TIMEOUT_MS;
  if (!isAskTimeout(Number(value))) throw new TypeError(`The variable ASK_TIMEOUT_MS ${ASK_RULE}`);
  return Number(value);
}
