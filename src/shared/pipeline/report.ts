/** Where causes go: the operator's side of a fault. Reporting can never change an answer. */
import { ConfigurationProblems } from '../configuration.ts';
import type { FaultName } from './fault.ts';

/**
 * What goes wrong outside of a tool's own call. `internal`: an exception of ours, which a client sees as a 500.
 * `dependency_unavailable`: something that a request does without, such as the brake or the rate limiter.
 * `sdk_error`: what an SDK reports, which includes what clients do wrong.
 */
export type Trouble = 'internal' | 'dependency_unavailable' | 'sdk_error';

/**
 * `configuration`: the deployment cannot be used as it is configured. `configuration_warning`: it can, and its operator
 * should know of something. The cause is a `ConfigurationProblems`.
 */
type OfConfiguration = 'configuration' | 'configuration_warning';

/** A fault with its cause, for the operator and never for a client. */
export interface Report {
  readonly fault:
    | FaultName
    | Trouble
    | OfConfiguration
    | 'notification_failed'
    | 'caller_refused'
    | 'flag_missing'
    | 'flag_unreadable';
  readonly tool: string | undefined;
  readonly cause: unknown;
}

/** Takes each fault, for a log or an error tracker. It must not throw. */
export type Reporter = (report: Report) => void;

export function report(reporter: Reporter, what: Report): void {
  try {
    reporter(what);
  } catch {
    // A reporter that fails must not turn an answer into a failure.
  }
}

const troubleReport =
  (fault: Trouble) =>
  (reporter: Reporter, cause: unknown): void =>
    report(reporter, { fault, tool: undefined, cause });

export const reportInternal = troubleReport('internal');
export const reportUnavailable = troubleReport('dependency_unavailable');
export const reportSdk = troubleReport('sdk_error');

/** @param problems Sentences that name variables and bindings with a remedy, and no values. */
export const reportConfiguration = (
  reporter: Reporter,
  problems: readonly string[],
  fault: OfConfiguration = 'configuration',
): void => report(reporter, { fault, tool: undefined, cause: new ConfigurationProblems(problems) });
