/** The operator's object as the rest of the Worker sees it: the brake, the flags' records, and the log of every change. */
import type { Json } from '../shared/json.ts';
import { OPERATOR_OBJECT_NAME, type BrakeEnv } from './brake.ts';
import type { By, Claimed, FlagRecord, Position } from './flag-record.ts';
import type { RouteKey } from './stage.ts';

/** Somebody braked, with or without a reason: an emergency does not wait for one. */
export interface Braked extends By {
  readonly why?: string;
  readonly at: number;
}

export type Brake =
  | { readonly on: false }
  /** The first who braked, and those who did so while it was on. */
  | ({ readonly on: true; readonly again?: readonly Braked[] } & Braked);

export interface AuditEntry extends By {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly action: string;
  readonly detail: Json;
  readonly why?: string;
}

/** The claim's token goes back to who made it, and to nobody else. */
export type ClaimAnswer = { readonly ok: true; readonly token: string } | Extract<Claimed, { ok: false }>;

/** Arguments and answers are plain JSON values. */
export interface OperatorApi {
  brake(): Promise<Brake>;
  /** Also writes to the audit log, in the same transaction. */
  setBrake(on: boolean, who: string, why?: string, said?: string): Promise<Brake>;
  audit(entry: Omit<AuditEntry, 'at'>): Promise<void>;
  /** Newest first. */
  auditLog(limit: number): Promise<readonly AuditEntry[]>;
  flagRecords(): Promise<Readonly<Record<RouteKey, FlagRecord>>>;
  claimFlag(route: RouteKey, revision: number, by: By): Promise<ClaimAnswer>;
  /** Writes to the audit log what is about to be changed; false, and nothing, if the claim is not held any more. */
  logFlag(route: RouteKey, token: string, entry: Omit<AuditEntry, 'at'>): Promise<boolean>;
  /** Ends a claim. @param position How the flag stands now; null if it was not written. */
  finishFlag(route: RouteKey, token: string, position: Position | null): Promise<void>;
}

export const operatorOf = (env: BrakeEnv): OperatorApi | undefined =>
  env.OPERATOR_OBJECT?.getByName(OPERATOR_OBJECT_NAME) as unknown as OperatorApi | undefined;
