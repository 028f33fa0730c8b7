/** What the phases of a run share, and what they tell on the way. */
import type { Comparer, Parts } from './compare-case.ts';
import type { Seen } from './make-report.ts';
import type { RunOptions } from './options.ts';
import type { Plan } from './plan.ts';
import type { Case } from '../cases/case.ts';
import { goneForAll, type Session } from './session.ts';

export interface Progress {
  readonly phase: 'connecting' | 'noise' | 'comparing';
  readonly group: string;
  readonly done: number;
  /** Missing where nobody knows, as with a recording. */
  readonly total?: number;
  readonly mismatches: number;
}

export interface Running {
  readonly options: RunOptions;
  readonly session: Session;
  readonly parts: Parts;
  readonly comparer: Comparer;
  readonly plan: Plan;
  readonly onProgress: (progress: Progress) => void;
  readonly seen: Seen;
  /** Counts a case that was planned and not asked. */
  readonly skip: (one: Case) => void;
}

/** True when nothing more is to be asked in a session. */
export const stopped = ({ parts }: Running, session: Session): boolean =>
  parts.signal?.aborted === true || goneForAll(session, parts.breaker);
