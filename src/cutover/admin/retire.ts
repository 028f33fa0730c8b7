/**
 * May the legacy half be deleted? Every check has its evidence, and what to do where it fails. Deleting the class deletes
 * every session with its data, and no rollback brings it back, so the unknown is a no. Pure.
 */
import type { Brake } from '../operator.ts';
import { LAST_STAGE, type RouteKey } from '../stage.ts';
import type { CensusSummary, EvaluatedStage } from './ports.ts';

export interface RetireEvidence {
  readonly paths: Readonly<Record<RouteKey, string>>;
  /** What the bindings are called. */
  readonly names: Readonly<Record<'operator' | 'census', string>>;
  readonly stages: Readonly<Record<RouteKey, EvaluatedStage>>;
  readonly brake: Brake | undefined;
  /** Undefined where the census cannot be read. */
  readonly census: CensusSummary | undefined;
  readonly now: number;
  /** True where /mcp gives clients a session on the legacy lane if they need one. */
  readonly keepsSessions?: boolean;
  /** How long no call may have come to the legacy lane: after it, whatever was open has ended by itself. */
  readonly quietMs: number;
}

export interface RetireCheck {
  readonly check:
    | 'legacy_route'
    | 'sse_route'
    | 'mcp_route'
    | 'brake'
    | 'census'
    | 'open_sessions'
    | 'last_call'
    | 'blocked_clients';
  readonly ok: boolean;
  readonly evidence: string;
  /** What to do, where it is not ok. */
  readonly remedy?: string;
}

export interface RetireReport {
  readonly ready: boolean;
  readonly checks: readonly RetireCheck[];
}

const CHECK = { legacy: 'legacy_route', sse: 'sse_route', mcp: 'mcp_route' } as const;

export function retireReport(evidence: RetireEvidence): RetireReport {
  const checks = [
    stageCheck('legacy', evidence),
    stageCheck('sse', evidence),
    stageCheck('mcp', evidence),
    brakeCheck(evidence),
    ...censusChecks(evidence),
  ];
  return { ready: checks.every(({ ok }) => ok), checks };
}

function stageCheck(route: RouteKey, { stages, paths, keepsSessions = false }: RetireEvidence): RetireCheck {
  const { stage, reason } = stages[route];
  if (route === 'mcp' && keepsSessions) {
    return judge({
      check: CHECK[route],
      ok: false,
      evidence: `${paths[route]} begins sessions on the legacy lane for clients that can be asked: KEEP_SESSIONS is on`,
      remedy: 'Set the variable KEEP_SESSIONS to off, and deploy.',
    });
  }
  const isRead = reason !== 'flag_unreadable';
  return judge({
    check: CHECK[route],
    ok: isRead && stage === LAST_STAGE[route],
    evidence: isRead ? `${paths[route]} is at stage ${stage}` : `the flag of ${paths[route]} cannot be read`,
    remedy: isRead
      ? `${LAST_STAGE[route] === 'gone' ? 'Last, when the other checks hold' : 'Move it back'}: npm run cutover -- set ${route} ${LAST_STAGE[route]} --why "…"`
      : 'Make the flag source answer: npm run cutover -- status',
  });
}

function brakeCheck({ brake, names }: RetireEvidence): RetireCheck {
  return judge({
    check: 'brake',
    ok: brake?.on === false,
    evidence: brake === undefined ? 'the brake cannot be read' : `the brake is ${brake.on ? 'on' : 'off'}`,
    remedy: brake === undefined ? `Bind ${names.operator}.` : 'npm run cutover -- release --why "…"',
  });
}

function censusChecks({ census, names, now, quietMs }: RetireEvidence): readonly RetireCheck[] {
  if (census === undefined || census.clients.length === 0) {
    return [
      judge({
        check: 'census',
        ok: false,
        evidence: census === undefined ? 'the census cannot be read' : 'the census has seen no client at all',
        remedy: `Bind ${names.census}, deploy, and let it count for as long as a client may stay away.`,
      }),
    ];
  }
  const { openSessions, untrackedSessions, lastLegacyCallAt, clients, unlisted } = census;
  // A drained session's state is with its agent until its next call, and is deleted with it.
  const open = openSessions.legacy + openSessions.sse + openSessions.drained;
  const blocked = clients.filter(({ verdict }) => typeof verdict === 'object');
  const quietFor = lastLegacyCallAt === null ? undefined : now - lastLegacyCallAt;
  return [
    judge({
      check: 'census',
      ok: true,
      evidence: `the census knows ${clients.length + (unlisted?.clients ?? 0)} clients`,
    }),
    judge({
      check: 'open_sessions',
      ok: open + untrackedSessions === 0,
      evidence: `legacy sessions: ${openSessions.legacy} open, ${openSessions.sse} open over SSE, ${openSessions.drained} drained, ${untrackedSessions} not tracked`,
      remedy:
        'Drain them (npm run cutover -- drain --all --why "…"), and wait until all have ended: a drained session leaves its state with its agent until its next call.',
    }),
    judge({
      check: 'last_call',
      ok: quietFor === undefined || quietFor >= quietMs,
      evidence:
        lastLegacyCallAt === null
          ? 'no call has come to the legacy lane'
          : `the last call on the legacy lane came at ${new Date(lastLegacyCallAt).toISOString()}`,
      remedy: `Wait until nothing has come for ${hours(quietMs)}.`,
    }),
    judge({
      check: 'blocked_clients',
      ok: blocked.length === 0,
      evidence:
        blocked.length === 0 ? 'no client is blocked' : `${blocked.length} clients are blocked: ${namesOf(blocked)}`,
      remedy:
        'See what each needs: npm run cutover -- census. Of one that is not real: npm run cutover -- census forget --client <name> --why "…"',
    }),
  ];
}

const hours = (ms: number): string => `${Math.round((ms / 3_600_000) * 10) / 10} hours`;
const MOST_NAMES = 5;

function namesOf(clients: CensusSummary['clients']): string {
  const names = clients.map(({ name, version, verdict }) => {
    const by = typeof verdict === 'object' ? ` (${verdict.blockedBy.join(', ')})` : '';
    return `${name}${version === '' ? '' : `/${version}`}${by}`;
  });
  return names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(', ')}, …` : names.join(', ');
}

/** A check that passes has nothing to do. */
const judge = ({ remedy, ...check }: RetireCheck): RetireCheck =>
  check.ok || remedy === undefined ? check : { ...check, remedy };
