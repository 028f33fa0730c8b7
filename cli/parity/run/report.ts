/** The report of a run as data; every printed form is made from this, and schema/report.schema.json publishes it. */
import type { AnswerCounts } from '../../../src/parity/answer-kind.ts';
import type { Difference, Verdict } from '../../../src/parity/compare.ts';
import type { Call } from '../../../src/parity/run-table.ts';
import type { SurfaceFinding } from '../../../src/parity/surface/listing.ts';
import type { Observation } from '../../../src/parity/observe.ts';
import type { InputKind } from '../generate/inputs.ts';
import type { FaultReason } from '../targets/wire.ts';
import type { Era } from '../targets/target.ts';

export type Counts = Readonly<Record<Verdict, number>>;

export interface TargetReport {
  readonly name: string;
  readonly address: string;
  /** Missing where the target could not be opened. */
  readonly era?: Era;
  readonly protocol?: string;
  readonly server?: { readonly name: string; readonly version: string };
  readonly catalogueSha256?: string;
  /** Which lane answered, where the server says it in `Server-Timing`. */
  readonly lane?: string;
  /** Of a candidate: headers and variables by name that differ from the control's. */
  readonly differsBy?: readonly string[];
}

export interface GroupReport {
  /** A tool, or `prompt x`, `resource x`, `scenario x`. */
  readonly group: string;
  /** True for a tool that was called, so for what a certificate speaks of. */
  readonly tool: boolean;
  readonly calls: number;
  readonly distinctInputs: number;
  /** Distinct inputs that the control answered with a result: only these show what a tool does. */
  readonly succeededInputs: number;
  /** How many valid inputs there are, where the schema has few. */
  readonly validInputs?: number;
  /** By target; what could not be asked is in none. */
  readonly answers: Readonly<Record<string, AnswerCounts>>;
  /** One for each candidate, in their order. */
  readonly candidates: readonly { readonly name: string; readonly counts: Counts }[];
  readonly noisyPaths: readonly string[];
  /** Median and 95th percentile in ms, by target. */
  readonly times: Readonly<Record<string, { readonly p50: number; readonly p95: number }>>;
}

export interface Failure {
  readonly id: string;
  readonly group: string;
  readonly candidate: string;
  readonly kind?: InputKind;
  readonly call: Call;
  readonly differences: readonly Difference[];
  readonly control: Observation;
  readonly saw: Observation;
  /** The smallest input found that still differs in the same way. */
  readonly minimal?: { readonly call: Call; readonly differences: readonly Difference[]; readonly tried: number };
  /** The whole of a sequence that differs, as small as it was found; its last call is `call`. */
  readonly sequence?: readonly { readonly session: string; readonly call: Call }[];
  /** False when the same call no longer differed when it was asked again. */
  readonly reproduced?: boolean;
  readonly help: { readonly replay: string; readonly controlRequest: string; readonly candidateRequest: string };
  readonly note?: string;
}

export interface HarnessError {
  readonly target: string;
  readonly where: string;
  readonly reason: FaultReason;
  readonly cause: string;
  readonly count: number;
}

export interface RunReport {
  readonly format: 'mcp-parity-report/1';
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seed: number;
  readonly outcome: 'equal' | 'different' | 'could_not_run';
  readonly exitCode: 0 | 1 | 2;
  /** Why the run ended before its end; what was compared until then is in the report. */
  readonly aborted?: string;
  readonly control: TargetReport;
  readonly candidates: readonly TargetReport[];
  readonly counts: Counts;
  readonly groups: readonly GroupReport[];
  readonly surface: readonly SurfaceReport[];
  /** Where a target does not keep to its own listing or to the protocol, and what else there is to know of it. */
  readonly listing: readonly ListingFinding[];
  readonly failures: readonly Failure[];
  readonly moreFailures: number;
  readonly harnessErrors: readonly HarnessError[];
  readonly notCompared: readonly { readonly group: string; readonly reason: string }[];
  readonly noisy: readonly { readonly group: string; readonly paths: readonly string[] }[];
  readonly allowed: {
    readonly fired: Readonly<Record<string, number>>;
    readonly stale: readonly string[];
    readonly expired: readonly string[];
  };
}

export interface SurfaceReport extends SurfaceFinding {
  /** The candidate's name; `control` and `candidate` are the two values. */
  readonly target: string;
  readonly allowed?: string;
  readonly fails: boolean;
}

export interface ListingFinding {
  readonly target: string;
  readonly tool: string;
  readonly broken: string;
  readonly text: string;
  readonly count: number;
  /** Missing for what belongs to no call. */
  readonly example?: Call;
  readonly fails: boolean;
  readonly allowed?: string;
}

export const NO_COUNTS: Counts = { match: 0, known_difference: 0, mismatch: 0, harness_error: 0, inconclusive: 0 };
