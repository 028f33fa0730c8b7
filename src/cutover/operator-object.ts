/**
 * The Durable Object that holds the brake and the audit log, one for the whole deployment. It depends on nothing else, so
 * that it works when the flag source and the lanes do not. What it is told is made one line, cut to a length, and never
 * refused: a brake must not fail because its reason is long.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Json } from '../shared/json.ts';
import { oneLine, printable } from '../shared/one-line.ts';
import type { AuditEntry, Brake, OperatorApi } from './operator.ts';
import type { StageMemoryApi } from './stage-memory.ts';
import type { RouteKey } from './stage.ts';

/** Older entries make room for newer ones. */
export const MAX_AUDIT_ENTRIES = 1_000;
const MAX_WHO = 200;
const MAX_WHY = 1_000;
const MAX_DETAIL = 8_000;

const BRAKE_KEY = 'brake';
/** Followed by the route. */
const STAGE_KEY = 'stage:';
interface LastStage {
  readonly stage: string;
  readonly readAt: number;
}
const RELEASED: Brake = { on: false };

type Row = { at: number; who: string; action: string; detail: string; why: string | null };

export class OperatorObject extends DurableObject implements OperatorApi, StageMemoryApi {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS audit (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, who TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL, why TEXT)',
    );
  }

  async brake(): Promise<Brake> {
    return this.ctx.storage.kv.get<Brake>(BRAKE_KEY) ?? RELEASED;
  }

  async setBrake(on: boolean, who: string, why: string): Promise<Brake> {
    const brake: Brake = on ? { on, who: oneLine(who, MAX_WHO), why: oneLine(why, MAX_WHY), at: Date.now() } : RELEASED;
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.kv.put(BRAKE_KEY, brake);
      this.append({ who, action: on ? 'brake' : 'release', detail: { on }, why });
    });
    return brake;
  }

  async lastStage(route: RouteKey): Promise<string | null> {
    return this.ctx.storage.kv.get<LastStage>(`${STAGE_KEY}${route}`)?.stage ?? null;
  }

  async keepStage(route: RouteKey, stage: string, readAt: number): Promise<void> {
    const key = `${STAGE_KEY}${route}`;
    const last = this.ctx.storage.kv.get<LastStage>(key);
    // Isolates tell what they read at different times, and the news must not be undone by somebody's older answer.
    if (last !== undefined && last.readAt > readAt) return;
    this.ctx.storage.kv.put<LastStage>(key, { stage: oneLine(stage, MAX_WHO), readAt });
  }

  async audit(entry: Omit<AuditEntry, 'at'>): Promise<void> {
    this.ctx.storage.transactionSync(() => this.append(entry));
  }

  async auditLog(limit: number): Promise<readonly AuditEntry[]> {
    const rows = this.ctx.storage.sql.exec<Row>(
      'SELECT at, who, action, detail, why FROM audit ORDER BY id DESC LIMIT ?',
      Math.min(Math.max(Math.trunc(limit), 0), MAX_AUDIT_ENTRIES),
    );
    return [...rows].map(({ at, who, action, detail, why }) => ({
      at,
      who,
      action,
      detail: JSON.parse(detail) as Json,
      ...(why !== null && { why }),
    }));
  }

  private append({ who, action, detail, why }: Omit<AuditEntry, 'at'>): void {
    // What is unprintable can stand inside of a string only, so it stays JSON.
    const text = printable(JSON.stringify(detail));
    const { sql } = this.ctx.storage;
    sql.exec(
      'INSERT INTO audit (at, who, action, detail, why) VALUES (?, ?, ?, ?, ?)',
      Date.now(),
      oneLine(who, MAX_WHO),
      oneLine(action, MAX_WHO),
      text.length > MAX_DETAIL ? JSON.stringify({ tooLong: text.length }) : text,
      why === undefined ? null : oneLine(why, MAX_WHY),
    );
    sql.exec('DELETE FROM audit WHERE id <= (SELECT MAX(id) FROM audit) - ?', MAX_AUDIT_ENTRIES);
  }
}
