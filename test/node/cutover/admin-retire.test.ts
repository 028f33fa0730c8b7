/** The end of the legacy half is only allowed when nothing speaks against it: one deviation a test. */
import { describe, it } from 'vitest';
import { retireReport, type RetireEvidence } from '../../../src/cutover/admin/retire.ts';
import { adminWorld, NOW } from './admin-support.ts';

const HOUR_MS = 3_600_000;
const READY: RetireEvidence = {
  paths: { legacy: '/legacy/mcp', sse: '/legacy/sse', mcp: '/mcp' },
  names: { operator: 'OPERATOR_OBJECT', census: 'CENSUS_OBJECT' },
  stages: {
    legacy: { stage: 'gone', reason: 'flag' },
    sse: { stage: 'gone', reason: 'flag' },
    mcp: { stage: 'stateless', reason: 'flag' },
  },
  brake: { on: false },
  census: {
    clients: [{ name: 'desktop', version: '1', verdict: 'ready' }],
    openSessions: { legacy: 0, sse: 0, drained: 0, compat: 9 },
    untrackedSessions: 0,
    lastLegacyCallAt: NOW - 25 * HOUR_MS,
  },
  now: NOW,
  quietMs: 24 * HOUR_MS,
};
const CENSUS = READY.census!;
const NONE = CENSUS.openSessions;

describe('retire-check', () => {
  it('is ready when nothing speaks against it', ({ expect }) => {
    expect(retireReport(READY)).toEqual({
      ready: true,
      checks: [
        { check: 'legacy_route', ok: true, evidence: '/legacy/mcp is at stage gone' },
        { check: 'sse_route', ok: true, evidence: '/legacy/sse is at stage gone' },
        { check: 'mcp_route', ok: true, evidence: '/mcp is at stage stateless' },
        { check: 'brake', ok: true, evidence: 'the brake is off' },
        { check: 'census', ok: true, evidence: 'the census knows 1 clients' },
        {
          check: 'open_sessions',
          ok: true,
          evidence: 'legacy sessions: 0 open, 0 open over SSE, 0 drained, 0 not tracked',
        },
        { check: 'last_call', ok: true, evidence: 'the last call on the legacy lane came at 2026-11-28T23:00:00.000Z' },
        { check: 'blocked_clients', ok: true, evidence: 'no client is blocked' },
      ],
    });
  });

  it.for<[string, Partial<RetireEvidence>, string]>([
    [
      'the legacy route serves',
      { stages: { ...READY.stages, legacy: { stage: 'stateless', reason: 'flag' } } },
      'legacy_route',
    ],
    ['the SSE route serves', { stages: { ...READY.stages, sse: { stage: 'legacy', reason: 'flag' } } }, 'sse_route'],
    [
      '/mcp uses the legacy lane',
      { stages: { ...READY.stages, mcp: { stage: 'legacy', reason: 'flag' } } },
      'mcp_route',
    ],
    [
      'a flag is unreadable',
      { stages: { ...READY.stages, legacy: { stage: 'gone', reason: 'flag_unreadable' } } },
      'legacy_route',
    ],
    ['/mcp keeps sessions for whoever needs one', { keepsSessions: true }, 'mcp_route'],
    ['the brake is on', { brake: { on: true, who: 'x', why: 'y', at: 1 } }, 'brake'],
    ['the brake is unreadable', { brake: undefined }, 'brake'],
    ['the census is unreadable', { census: undefined }, 'census'],
    ['the census saw nobody', { census: { ...CENSUS, clients: [] } }, 'census'],
    ['a session is open', { census: { ...CENSUS, openSessions: { ...NONE, legacy: 1 } } }, 'open_sessions'],
    ['an SSE session is open', { census: { ...CENSUS, openSessions: { ...NONE, sse: 1 } } }, 'open_sessions'],
    ['a session is drained only', { census: { ...CENSUS, openSessions: { ...NONE, drained: 1 } } }, 'open_sessions'],
    ['a session is not tracked', { census: { ...CENSUS, untrackedSessions: 1 } }, 'open_sessions'],
    ['a call came an hour ago', { census: { ...CENSUS, lastLegacyCallAt: NOW - HOUR_MS } }, 'last_call'],
    [
      'a client is blocked',
      { census: { ...CENSUS, clients: [{ name: 'old', version: '1', verdict: { blockedBy: ['ping'] } }] } },
      'blocked_clients',
    ],
  ])('refuses while %s, and says what to do', ([, deviation, check], { expect }) => {
    const { ready, checks } = retireReport({ ...READY, ...deviation });
    const failed = checks.filter(({ ok }) => !ok);
    expect({ ready, failed: failed.map((one) => one.check) }).toEqual({ ready: false, failed: [check] });
    expect(failed[0]?.remedy).toMatch(/\w/);
    // A command that is copied has to be taken: each of these that changes something wants its reason.
    for (const [command] of failed[0]?.remedy?.matchAll(/npm run cutover -- (?:set|release|drain)[^)]*/g) ?? [])
      expect(command).toContain(' --why "…"');
  });

  it('names the first blocked clients with what blocks them', ({ expect }) => {
    const clients = [1, 2, 3, 4, 5, 6].map((version) => ({
      name: 'old',
      version: String(version),
      verdict: { blockedBy: ['ping', 'batch'] as const },
    }));
    const { checks } = retireReport({ ...READY, census: { ...CENSUS, clients } });
    expect(checks.at(-1)?.evidence).toBe(
      '6 clients are blocked: old/1 (ping, batch), old/2 (ping, batch), old/3 (ping, batch), old/4 (ping, batch), old/5 (ping, batch), …',
    );
  });

  it('is answered by the API, with a quiet time of the idle time', async ({ expect }) => {
    const world = adminWorld({ ...adminWorld().env, SESSION_IDLE_MS: '7200000' });
    Object.assign(world.stages, READY.stages);
    world.census = { ...CENSUS, lastLegacyCallAt: NOW - HOUR_MS };
    const { body } = await world.call('/retire-check');
    expect(body.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([
      {
        check: 'last_call',
        ok: false,
        evidence: 'the last call on the legacy lane came at 2026-11-29T23:00:00.000Z',
        remedy: 'Wait until nothing has come for 2 hours.',
      },
    ]);
  });
});
