/** Where causes go: the operator's side of a fault. Reporting can never change an answer. */
import type { FaultName } from './fault.ts';

export interface Report {
  readonly fault: FaultName | 'notification_failed' | 'lane_error' | 'flag_missing' | 'flag_unreadable';
  readonly tool: string | undefined;
  readonly cause: unknown;
}

export type Reporter = (report: Report) => void;

export function report(reporter: Reporter, what: Report): void {
  try {
    reporter(what);
  } catch {
    // A reporter that fails must not turn an answer into a failure.
  }
}
