/**
 * The Durable Object that holds the brake and the audit log, one for the whole deployment. It depends on nothing else, so
 * that it works when the flag source and the lanes do not. What it is told is made one line, cut to a length, and never
 * refused: a brake must not fail because its reason is long.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Json } from '../shared/json.ts';
import { oneLine, printable } from '../shared/one-line.ts';
import { claimed, finished, logged, NO_RECORD, type By, type FlagRecord, type Position } from './flag-record.ts';
import { braked } from './braked.ts';
import type { AuditEntry, Brake, Braked, ClaimAnswer, OperatorApi } from './operator.ts';
import type { StageMemoryApi } from './stage-memory.ts';
import type { RouteKey } from './stage.ts';

/** Older entries make room for newer ones. */
export const MAX_AUDIT_ENTRIES = 1_000;
const MAX_WHO = 200;
const MAX_WHY = 1_000;
/** A flag before and after a change, with all its rules. */
const MAX_DETAIL = 60_000;

const BRAKE_KEY = 'brake';
/** Followed by the route. */
const STAGE_KEY = 'stage:';
interface LastStage {
  readonly stage: string;
  readonly readAt: number;
}
/** Followed by the route. */
const FLAG_KEY = 'flag:';
const RELEASED: Brake = { on: false };

type Row = { at: number; who: string; said: string | null; action: string; detail: string; why: string | null };

/**
 * The Durable Object with the brake, the records of the flags and the audit log. Export it from the Worker, bound as
 * `OPERATOR_OBJECT`.
 *
 * @example
 * ```ts
 * export { OperatorObject } from 'hybrid-mcp/agent';
 * ```
 */
export class OperatorObject extends DurableObject implements OperatorApi, StageMemoryApi {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS audit (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, who TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL, why TEXT, said TEXT)',
    );
    // A log that was begun before operators could give themselves a name beside the one they signed in with.
    const columns = [...ctx.storage.sql.exec<{ name: string }>("SELECT name FROM pragma_table_info('audit')")];
    if (!columns.some(({ name }) => name === 'said')) ctx.storage.sql.exec('ALTER TABLE audit ADD COLUMN said TEXT');
  }

  async brake(): Promise<Brake> {
    return this.ctx.storage.kv.get<Brake>(BRAKE_KEY) ?? RELEASED;
  }

  async setBrake(on: boolean, who: string, why?: string, said?: string): Promise<Brake> {
    const by = cleanBy({ who, ...(said !== undefined && { said }) });
    const now: Braked = { ...by, ...(why !== undefined && { why: oneLine(why, MAX_WHY) }), at: Date.now() };
    const before = this.ctx.storage.kv.get<Brake>(BRAKE_KEY) ?? RELEASED;
    const brake = on ? braked(before, now) : RELEASED;
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.kv.put(BRAKE_KEY, brake);
      const detail = { on, ...(on && before.on && { wasOn: true }) };
      this.append({ ...by, action: on ? 'brake' : 'release', detail, ...(why !== undefined && { why }) });
    });
    return brake;
  }

  async flagRecords(): Promise<Readonly<Record<RouteKey, FlagRecord>>> {
    const [legacy, sse, mcp] = [this.flag('legacy'), this.flag('sse'), this.flag('mcp')];
    return { legacy, sse, mcp };
  }

  async claimFlag(route: RouteKey, revision: number, by: By): Promise<ClaimAnswer> {
    const token = crypto.randomUUID();
    const outcome = claimed(this.flag(route), { revision, by: cleanBy(by), token, now: Date.now() });
    if (!outcome.ok) return outcome;
    this.ctx.storage.kv.put(`${FLAG_KEY}${route}`, outcome.record);
    return { ok: true, token };
  }

  async logFlag(route: RouteKey, token: string, entry: Omit<AuditEntry, 'at'>): Promise<boolean> {
    const record = logged(this.flag(route), token, Date.now());
    if (record === undefined) return false;
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.kv.put(`${FLAG_KEY}${route}`, record);
      this.append(entry);
    });
    return true;
  }

  async finishFlag(route: RouteKey, token: string, position: Position | null): Promise<void> {
    const record = this.flag(route);
    const { claim } = record;
    if (claim?.token !== token) return;
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.kv.put(`${FLAG_KEY}${route}`, finished(record, position ?? undefined, Date.now()));
      // The log had it before it was tried.
      if (position === null && claim.logged) {
        this.append({ ...cleanBy(claim), action: 'flag_failed', detail: { route } });
      }
    });
  }

  private flag(route: RouteKey): FlagRecord {
    return this.ctx.storage.kv.get<FlagRecord>(`${FLAG_KEY}${route}`) ?? NO_RECORD;
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
      'SELECT at, who, said, action, detail, why FROM audit ORDER BY id DESC LIMIT ?',
      Math.min(Math.max(Math.trunc(limit), 0), MAX_AUDIT_ENTRIES),
    );
    return [...rows].map(({ at, who, said, action, detail, why }) => ({
      at,
      who,
      ...(said !== null && { said }),
      action,
      detail: JSON.parse(detail) as Json,
      ...(why !== null && { why }),
    }));
  }

  private append({ who, said, action, detail, why }: Omit<AuditEntry, 'at'>): void {
    // What is unprintable can stand inside of a string only, so it stays JSON.
    const text = printable(JSON.stringify(detail));
    const { sql } = this.ctx.storage;
    sql.exec(
      'INSERT INTO audit (at, who, action, detail, why, said) VALUES (?, ?, ?, ?, ?, ?)',
      Date.now(),
      oneLine(who, MAX_WHO),
      oneLine(action, MAX_WHO),
      text.length > MAX_DETAIL ? JSON.stringify({ tooLong: text.length }) : text,
      why === undefined ? null : oneLine(why, MAX_WHY),
      said === undefined ? null : oneLine(said, MAX_WHO),
    );
    sql.exec('DELETE FROM audit WHERE id <= (SELECT MAX(id) FROM audit) - ?', MAX_AUDIT_ENTRIES);
  }
}

const cleanBy = ({ who, said }: By): By => ({
  who: oneLine(who, MAX_WHO),
  ...(said !== undefined && { said: oneLine(said, MAX_WHO) }),
});
