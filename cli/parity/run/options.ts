/** Everything that a run depends on, read and checked. */
import type { AllowedDifference } from '../../../src/parity/allowed.ts';
import type { Call } from '../../../src/parity/run-table.ts';
import type { SanitizeRules } from '../../../src/parity/sanitize.ts';
import type { ChangeClass } from '../../../src/parity/surface/listing.ts';
import type { Selection } from '../cases/safety.ts';
import type { Scenario } from '../cases/scenario.ts';
import type { Target } from '../targets/target.ts';

export interface Slower {
  readonly factor: number;
  readonly byMs: number;
}

export interface RunOptions {
  readonly control: Target;
  readonly candidates: readonly Target[];
  /** Generated cases a tool; 0 generates none. */
  readonly cases: number;
  readonly seed: number;
  /** Generated sequences of tools that keep something; none where it is missing. */
  readonly sequences?: number;
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** How long a target may take to open: a program has to start first. */
  readonly connectTimeoutMs: number;
  readonly selection: Selection;
  readonly scenarios: readonly Scenario[];
  /** Files of recorded calls. */
  readonly recorded: readonly string[];
  /** Calls that are known to succeed, to be made and varied. */
  readonly examples?: readonly Call[];
  readonly allowed: readonly AllowedDifference[];
  readonly sanitize: SanitizeRules;
  readonly failOn: ChangeClass;
  readonly slower: Slower;
  /** Only this call, or only the generated case of this id. */
  readonly just?: { readonly call: Call } | { readonly caseId: string };
}

/** Calls of each tool that the control answers twice before anything is compared. */
export const AA_CALLS = 10;
/** Differences of one kind, tool and candidate are shown once; so many kinds are shown. */
export const SHOWN_FAILURES = 5;
/** Calls that making one input small may cost on each side. */
export const SHRINK_BUDGET = 200;
/** The same in time: some answers are large, and some servers slow. */
export const SHRINK_MS = 20_000;
/** The same where the candidate's program has to be started again, or its silence waited for, each time. */
export const CRASH_SHRINK_BUDGET = 30;
export const HANG_SHRINK_BUDGET = 12;
/** The same where every try needs new sessions. */
export const FRESH_SHRINK_BUDGET = 40;
/** Times that a sequence may be played on each side to make it small. */
export const SEQUENCE_SHRINK_BUDGET = 40;
