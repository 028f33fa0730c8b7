/** The operator's object as the rest of the Worker sees it: the brake, and the log of every change that somebody made. */
import type { Json } from '../shared/json.ts';
import { OPERATOR_OBJECT_NAME, type BrakeEnv } from './brake.ts';

export type Brake =
  | { readonly on: false }
  | { readonly on: true; readonly who: string; readonly why: string; readonly at: number };

export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly who: string;
  readonly action: string;
  readonly detail: Json;
  readonly why?: string;
}

/** Arguments and answers are plain JSON values. */
export interface OperatorApi {
  brake(): Promise<Brake>;
  /** Also writes to the audit log, in the same transaction. */
  setBrake(on: boolean, who: string, why: string): Promise<Brake>;
  audit(entry: Omit<AuditEntry, 'at'>): Promise<void>;
  /** Newest first. */
  auditLog(limit: number): Promise<readonly AuditEntry[]>;
}

export const operatorOf = (env: BrakeEnv): OperatorApi | undefined =>
  env.OPERATOR_OBJECT?.getByName(OPERATOR_OBJECT_NAME) as unknown as OperatorApi | undefined;
