/** An operator's API on fakes: what it is told to keep and to move is in memory, for a test to look at. */
import { createAdmin } from '../../../src/cutover/admin/admin.ts';
import type { AdminOptions } from '../../../src/cutover/admin/options.ts';
import type { AdminEnv, Agent, CensusSummary, EvaluatedStage } from '../../../src/cutover/admin/ports.ts';
import { braked } from '../../../src/cutover/braked.ts';
import { isMeant } from '../../../src/cutover/census/junk.ts';
import { claimed, finished, logged, NO_RECORD, type FlagRecord } from '../../../src/cutover/flag-record.ts';
import type { AuditEntry, Brake, OperatorApi } from '../../../src/cutover/operator.ts';
import type { RouteKey } from '../../../src/cutover/stage.ts';
import type { Report } from '../../../src/shared/pipeline/report.ts';
import type { SessionStanding } from '../../../src/state/transfer.ts';

export const TOKEN = 'a-token-of-at-least-thirty-two-characters';
export const NOW = Date.UTC(2026, 10, 30);

export interface World {
  readonly env: AdminEnv;
  readonly options: AdminOptions<AdminEnv>;
  readonly log: AuditEntry[];
  readonly reports: Report[];
  readonly sessions: Map<string, SessionStanding>;
  /** Agents of these sessions fail. */
  readonly broken: Set<string>;
  readonly stages: Record<RouteKey, EvaluatedStage>;
  readonly records: Record<RouteKey, FlagRecord>;
  /** The clock of the flags' records. */
  now: number;
  /** What an operator should know of the configuration. */
  readonly warnings: string[];
  /** Actions that cannot be written to the log. */
  logFails: readonly string[];
  /** The census cannot be written, and lists what moved as before. */
  censusFails: boolean;
  census: CensusSummary;
  call(
    path: string,
    init?: CallInit,
  ): Promise<{ status: number; body: ReturnType<typeof JSON.parse>; headers: Headers }>;
}

interface CallInit {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export function adminWorld(vars: Partial<AdminEnv> = { ADMIN_TOKEN: TOKEN }): World {
  const log: AuditEntry[] = [];
  const reports: Report[] = [];
  const sessions = new Map<string, SessionStanding>();
  const broken = new Set<string>();
  const records: Record<RouteKey, FlagRecord> = { legacy: NO_RECORD, sse: NO_RECORD, mcp: NO_RECORD };
  let brake: Brake = { on: false };
  const operator: OperatorApi = {
    brake: async () => brake,
    setBrake: async (on, who, why, said) => {
      const by = { who, ...(said !== undefined && { said }), ...(why !== undefined && { why }) };
      brake = on ? braked(brake, { ...by, at: NOW }) : { on };
      log.unshift({ at: NOW, ...by, action: on ? 'brake' : 'release', detail: { on } });
      return brake;
    },
    flagRecords: async () => ({ ...records }),
    claimFlag: async (route, revision, by) => {
      const outcome = claimed(records[route], { revision, by, token: 'a-claim', now: world.now });
      if (outcome.ok) records[route] = outcome.record;
      return outcome.ok ? { ok: true, token: 'a-claim' } : outcome;
    },
    logFlag: async (route, token, entry) => {
      const record = logged(records[route], token, world.now);
      if (record === undefined) return false;
      records[route] = record;
      await operator.audit(entry);
      return true;
    },
    finishFlag: async (route, _token, position) => {
      const { claim } = records[route];
      if (position === null && claim?.logged === true) {
        log.unshift({ at: NOW, who: claim.who, action: 'flag_failed', detail: { route } });
      }
      records[route] = finished(records[route], position ?? undefined, world.now);
    },
    audit: async (entry) => {
      if (world.logFails.includes(entry.action)) throw new Error('the log is broken');
      log.unshift({ at: NOW, ...entry });
    },
    auditLog: async (limit) => log.slice(0, limit),
  };
  const agent = (name: string): Agent => {
    const id = name.replace('streamable-http:', '');
    const set = async (standing: SessionStanding): Promise<boolean> => {
      if (broken.has(id)) throw new Error('the agent is broken');
      if (!sessions.has(id)) return false;
      sessions.set(id, standing);
      return true;
    };
    return {
      drain: () => set('drained'),
      takeBack: () => set('live'),
      standing: async () => sessions.get(id) ?? 'gone',
      endSession: async () => void sessions.delete(id),
    };
  };
  const env = {
    OPERATOR_OBJECT: { getByName: () => operator },
    LEGACY_AGENT: { getByName: agent },
    ...vars,
  } as unknown as AdminEnv;
  const listed = () =>
    [...sessions].map(([id, standing]) => ({ id, drained: standing === 'drained' && !world.censusFails }));
  const world: World = {
    env,
    log,
    reports,
    sessions,
    broken,
    records,
    now: NOW,
    warnings: [],
    logFails: [],
    censusFails: false,
    stages: {
      legacy: { stage: 'legacy', reason: 'flag' },
      sse: { stage: 'legacy', reason: 'flag' },
      mcp: { stage: 'stateless', reason: 'flag' },
    },
    census: {
      clients: [{ name: 'desktop', version: '1.0', verdict: 'ready' }],
      openSessions: { legacy: 0, sse: 0, drained: 0, compat: 0 },
      untrackedSessions: 0,
      lastLegacyCallAt: null,
    },
    options: {
      catalogue: { info: { name: 'desk', title: 'Desk', version: '1.2.3' } },
      paths: { legacy: '/legacy/mcp', sse: '/legacy/sse', mcp: '/mcp', admin: '/admin' },
      names: { operator: 'OPERATOR_OBJECT', legacy: 'LEGACY_AGENT', census: 'CENSUS_OBJECT', flags: 'FLAGS' },
      report: (what) => reports.push(what),
      warningsOf: () => world.warnings,
      now: () => NOW,
      stages: () => ({ stageOf: async (route) => world.stages[route] }),
      census: {
        read: async () => world.census,
        sessions: async (_env, { client }) => (client === undefined || client === 'desktop' ? listed() : []),
        findJunk: async (_env, junk) => {
          const clients = world.census.clients.filter(({ name, version }) =>
            isMeant({ name, version, calls: 1 }, junk),
          );
          return { clients, calls: clients.length, at: NOW };
        },
        forgetJunk: async (_env, found) => {
          world.census = {
            ...world.census,
            clients: world.census.clients.filter((client) => !found.clients.includes(client)),
          };
        },
        setDrained: async () => {
          if (world.censusFails) throw new Error('the census is broken');
        },
        ended: async (_env, id) => void sessions.delete(id),
      },
    },
    async call(path, { method, body, headers } = {}) {
      const response = await createAdmin(world.options).fetch(
        new Request(`https://worker.example/admin${path}`, {
          method: method ?? (body === undefined ? 'GET' : 'POST'),
          headers: {
            authorization: `Bearer ${TOKEN}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
        env,
        { waitUntil: () => {} },
      );
      return { status: response.status, body: await response.json(), headers: response.headers };
    },
  };
  return world;
}
