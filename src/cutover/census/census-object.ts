/**
 * A shard of the census: a Durable Object that adds up what the isolates hand over. A batch is one transaction, and one
 * that comes twice counts once.
 */
import { DurableObject } from 'cloudflare:workers';
import { idleMs } from '../../state/times.ts';
import { pointsOf } from './events.ts';
import type {
  Batch,
  CensusShardApi,
  Counted,
  Ended,
  Forgotten,
  OpenSession,
  SessionFilter,
  ShardRows,
  Taken,
} from './rows.ts';
import { UNKNOWN_CLIENT, UNKNOWN_SESSION, type Client } from './seen.ts';
import { SessionTable } from './session-table.ts';
import { listenStreamMs, type CensusEnv } from './shards.ts';
import { CensusTables, type Named } from './tables.ts';

const SENDERS_SCHEMA =
  'CREATE TABLE IF NOT EXISTS senders (isolate TEXT PRIMARY KEY, seq INTEGER, at INTEGER) WITHOUT ROWID';
/** A sender gives up on a batch long before. */
const SENDER_KEPT_MS = 60 * 60 * 1000;
const PRUNE_EVERY_MS = 60 * 60 * 1000;
const UNTRACKED_KEY = 'untracked';
const FORGOTTEN_KEY = 'forgotten-legacy-at';

interface Untracked {
  readonly sessions: number;
  readonly lastAt: number;
}

interface Tables {
  readonly rows: CensusTables;
  readonly sessions: SessionTable;
}

/** The Durable Object that counts which clients call what: one shard of the census. */
export class CensusObject extends DurableObject<CensusEnv> implements CensusShardApi {
  #opened: Tables | undefined;
  #prunedAt = 0;

  async take(batch: Batch): Promise<Taken> {
    try {
      const { named, taken } = this.ctx.storage.transactionSync(() => this.#take(batch));
      this.#write(named);
      return taken;
    } catch (cause) {
      // What the tables remember of their own size may be of what was rolled back.
      this.#opened = undefined;
      throw cause;
    }
  }

  async end(session: Ended): Promise<void> {
    this.#tables.sessions.ended(session);
  }

  async read(): Promise<ShardRows> {
    const { rows, sessions } = this.#tables;
    const untracked = this.#untracked(Date.now()).sessions;
    return {
      calls: rows.calls(),
      uses: rows.uses(),
      sessions: sessions.counts(Date.now()),
      untracked,
      forgottenLegacyAt: this.#forgottenLegacyAt,
    };
  }

  /** When the legacy lane was used last stays known, whoever it was. */
  async forget({ clients, before }: Forgotten): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      const { rows } = this.#tables;
      const last = clients.map((client) => rows.forget(client, before));
      this.ctx.storage.kv.put(
        FORGOTTEN_KEY,
        last.reduce((one, two) => Math.max(one, two), this.#forgottenLegacyAt),
      );
    });
  }

  get #forgottenLegacyAt(): number {
    return this.ctx.storage.kv.get<number>(FORGOTTEN_KEY) ?? 0;
  }

  async sessions(filter: SessionFilter): Promise<readonly OpenSession[]> {
    return this.#tables.sessions.open(filter, Date.now());
  }

  async setDrained(ids: readonly string[], drained: boolean): Promise<void> {
    this.#tables.sessions.setDrained(ids, drained, Date.now());
  }

  /** After so long without a use a session has ended by itself, whether or not it was told. */
  protected get sessionIdleMs(): number {
    return idleMs(this.env);
  }

  get #tables(): Tables {
    const { sql } = this.ctx.storage;
    if (this.#opened === undefined) sql.exec(SENDERS_SCHEMA);
    return (this.#opened ??= {
      rows: new CensusTables(sql),
      sessions: new SessionTable(sql, { idleMs: this.sessionIdleMs, listenStreamMs: listenStreamMs(this.env) }),
    });
  }

  #take(batch: Batch): { named: readonly Named[]; taken: Taken } {
    const { rows, sessions } = this.#tables;
    const now = Date.now();
    this.#prune(now);
    if (!this.#isNew(batch, now)) return { named: [], taken: { clients: [] } };
    let { untracked } = batch;
    for (const session of batch.began) if (!sessions.began(session) && session.lane === 'legacy') untracked += 1;
    for (const session of batch.touched) if (!sessions.touched(session)) untracked += 1;
    for (const session of batch.ended) sessions.ended(session);
    untracked += sessions.takeGaveWay();
    const clients = new Map<string, Client>();
    const named = batch.counted.map((counted): Named => {
      const { client, sessionId } = counted;
      if (client !== undefined || sessionId === undefined) return { ...counted, client: client ?? UNKNOWN_CLIENT };
      const known = clients.get(sessionId) ?? sessions.clientOf(sessionId);
      if (known === undefined) return { ...counted, client: UNKNOWN_CLIENT };
      if (counted.lane !== 'none') clients.set(sessionId, known);
      else if (isLost(counted, sessionId, sessions))
        return { ...counted, client: known, uses: { ...counted.uses, lost_session: counted.calls } };
      return { ...counted, client: known };
    });
    for (const counted of named) rows.add(counted);
    if (untracked > 0) {
      const sessions = this.#untracked(now).sessions + untracked;
      this.ctx.storage.kv.put<Untracked>(UNTRACKED_KEY, { sessions, lastAt: now });
    }
    return { named, taken: { clients: [...clients] } };
  }

  /** None is left once the last of them must have ended, unless it was told of again. */
  #untracked(now: number): Untracked {
    const kept = this.ctx.storage.kv.get<Untracked>(UNTRACKED_KEY);
    return kept !== undefined && this.#tables.sessions.mayBeOpen(kept.lastAt, now) ? kept : { sessions: 0, lastAt: 0 };
  }

  #isNew({ isolate, seq }: Batch, now: number): boolean {
    const { sql } = this.ctx.storage;
    const [known] = sql.exec<{ seq: number }>('SELECT seq FROM senders WHERE isolate = ?', isolate).toArray();
    if (known !== undefined && known.seq >= seq) return false;
    sql.exec('INSERT OR REPLACE INTO senders VALUES (?, ?, ?)', isolate, seq, now);
    return true;
  }

  #prune(now: number): void {
    if (now - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = now;
    this.#tables.rows.prune(now);
    this.#tables.sessions.prune(now);
    this.ctx.storage.sql.exec('DELETE FROM senders WHERE at < ?', now - SENDER_KEPT_MS);
  }

  #write(named: readonly Named[]): void {
    const events = this.env.CENSUS_EVENTS;
    if (events === undefined) return;
    for (const point of pointsOf(named)) events.writeDataPoint(point);
  }
}

const isLost = ({ reason, calls }: Counted, sessionId: string, sessions: SessionTable): boolean =>
  reason === UNKNOWN_SESSION && sessions.isLost(sessionId, calls);
