/** What an operator reads: the shards put together, a row for each client. */
import { describe, it } from 'vitest';
import { reportOf } from '../../../src/cutover/census/merge.ts';
import type { CallRow, SessionCount, ShardRows, UseRow } from '../../../src/cutover/census/rows.ts';

const CALL: CallRow = {
  name: 'one',
  version: '1',
  era: '2025',
  protocolVersion: '2025-11-25',
  userAgent: 'node',
  route: '/legacy/mcp',
  lane: 'legacy',
  reason: 'route',
  calls: 1,
  worked: 1,
  lastSeenAt: 100,
};
const USE: UseRow = {
  name: 'one',
  version: '1',
  era: '2025',
  userAgent: 'node',
  route: '/legacy/mcp',
  lane: 'legacy',
  use: 'pushed_question',
  count: 2,
  lastSeenAt: 90,
};
const SESSION: SessionCount = {
  name: 'one',
  version: '1',
  lane: 'legacy',
  transport: 'streamable',
  drained: false,
  sessions: 3,
};
const shard = (rows: Partial<ShardRows>): ShardRows => ({
  ...{ calls: [], uses: [], sessions: [], untracked: 0, forgottenLegacyAt: 0 },
  ...rows,
});

describe('report of the census', () => {
  it('is empty where nothing was seen', ({ expect }) => {
    expect(reportOf([shard({})], 5)).toEqual({
      at: 5,
      clients: [],
      unlisted: { clients: 0, calls: 0 },
      totals: { clients: 0, blocked: 0, unproven: 0, calls: 0, lanes: [] },
      lastLegacyCallAt: null,
      openSessions: { legacy: 0, sse: 0, drained: 0, compat: 0 },
      untrackedSessions: 0,
    });
  });

  it('adds the shards up', ({ expect }) => {
    const one = shard({ calls: [CALL], uses: [USE], sessions: [SESSION], untracked: 1 });
    const two = shard({
      calls: [
        { ...CALL, calls: 4, lastSeenAt: 300, reason: 'pinned', userAgent: 'Bun', protocolVersion: '2025-06-18' },
        { ...CALL, calls: 10, lastSeenAt: 400, route: '/mcp', lane: 'compat' },
      ],
      uses: [{ ...USE, count: 1, lastSeenAt: 95 }],
      sessions: [{ ...SESSION, sessions: 2 }],
      untracked: 2,
    });
    const report = reportOf([one, two], 500);
    expect(report.clients).toEqual([
      {
        name: 'one',
        version: '1',
        era: '2025',
        protocolVersions: ['2025-06-18', '2025-11-25'],
        userAgents: ['Bun', 'node'],
        lanes: [
          { route: '/legacy/mcp', lane: 'legacy', calls: 5, lastSeenAt: 300, reasons: { pinned: 4, route: 1 } },
          { route: '/mcp', lane: 'compat', calls: 10, lastSeenAt: 400, reasons: { route: 10 } },
        ],
        uses: [
          {
            use: 'pushed_question',
            route: '/legacy/mcp',
            lane: 'legacy',
            count: 3,
            lastSeenAt: 95,
            blocks: true,
            why: 'Without a session there is no way to ask its user: the tool answers with an error.',
          },
        ],
        calls: 15,
        lastSeenAt: 400,
        openSessions: 5,
        openLegacySessions: 5,
        verdict: { blockedBy: ['pushed_question'] },
      },
    ]);
    expect(report.totals).toMatchObject({ clients: 1, blocked: 1, calls: 15 });
    expect([report.lastLegacyCallAt, report.untrackedSessions]).toEqual([300, 3]);
  });

  it('keeps versions and eras of a client apart, the last seen first', ({ expect }) => {
    const calls = [
      CALL,
      { ...CALL, version: '2', lastSeenAt: 200 },
      { ...CALL, era: '2026' as const, route: '/mcp' as const, lane: 'modern' as const, lastSeenAt: 150 },
    ];
    const { clients } = reportOf([shard({ calls, uses: [{ ...USE, version: '2' }] })], 500);
    expect(clients.map(({ version, era, verdict }) => [version, era, verdict])).toEqual([
      ['2', '2025', { blockedBy: ['pushed_question'] }],
      ['1', '2026', 'ready'],
      ['1', '2025', 'ready'],
    ]);
  });

  it('clients without a name are one row, whatever their user agents', ({ expect }) => {
    const unknown = { ...CALL, name: 'unknown', version: '' };
    const calls = Array.from({ length: 200 }, (_, index) => ({ ...unknown, userAgent: `agent-${index}` }));
    const uses = [{ ...USE, name: 'unknown', version: '', use: 'last_event_id' as const }];
    const sessions = [{ ...SESSION, name: 'unknown', version: '' }];
    const { clients } = reportOf([shard({ calls, uses, sessions })], 500);
    expect(clients.map(({ userAgents, openSessions, verdict }) => [userAgents.length, openSessions, verdict])).toEqual([
      [201, 3, { blockedBy: ['last_event_id'] }],
    ]);
  });

  it('of a client whose calls are no longer known, what it did still counts', ({ expect }) => {
    const { clients } = reportOf([shard({ uses: [USE] })], 500);
    expect(clients).toMatchObject([
      { name: 'one', calls: 0, lastSeenAt: 90, verdict: { blockedBy: ['pushed_question'] } },
    ]);
  });

  it('nobody is ready of whom no more than a beginning or a refusal is known', ({ expect }) => {
    const refused = { ...CALL, lane: 'none' as const, worked: 0 };
    const calls = [
      { ...CALL, name: 'begins only', worked: 0, calls: 7 },
      { ...refused, name: 'refused only', era: '2026' as const, reason: 'unsupported_version' },
      { ...CALL, name: 'at work' },
      { ...refused, name: 'at work', reason: 'body_too_large' },
    ];
    const { clients, totals } = reportOf([shard({ calls })], 500);
    expect(Object.fromEntries(clients.map(({ name, verdict }) => [name, verdict]))).toEqual({
      'at work': 'ready',
      'begins only': 'unproven',
      'refused only': 'unproven',
    });
    expect(totals).toMatchObject({ clients: 3, blocked: 0, unproven: 2 });
  });

  it.for(['no_session', 'unknown_session'])(
    'whoever has no name is not ready while some of them are refused for %s',
    (reason, { expect }) => {
      const unknown = { ...CALL, name: 'unknown', version: '' };
      const stray = { ...unknown, lane: 'none' as const, worked: 0, reason, lastSeenAt: 200 };
      const verdictAt = (now: number) => reportOf([shard({ calls: [unknown, stray] })], now).clients[0]?.verdict;
      expect([verdictAt(500), verdictAt(200 + 14 * 24 * 3_600_000)]).toEqual(['unproven', 'ready']);
    },
  );

  it('lists a thousand clients, the blocked ones first, and adds up the others', ({ expect }) => {
    const named = (name: string, calls: number, lastSeenAt: number): CallRow => ({ ...CALL, name, calls, lastSeenAt });
    const once = Array.from({ length: 20_000 }, (_, index) => named(`once ${index}`, 1, 1000 + index));
    const often = Array.from({ length: 900 }, (_, index) => named(`often ${index}`, 2, 10 + index));
    const blocked = { ...named('blocked', 1, 1) };
    const shards = [shard({ calls: [...once, ...often, blocked], uses: [{ ...USE, name: 'blocked' }] })];
    const { clients, unlisted, totals } = reportOf(shards, 30_000);
    const listed = (prefix: string): number => clients.filter(({ name }) => name.startsWith(prefix)).length;
    expect([clients.length, listed('blocked'), listed('often'), listed('once')]).toEqual([1000, 1, 900, 99]);
    expect(unlisted).toEqual({ clients: 19_901, calls: 19_901 });
    expect(totals).toMatchObject({ clients: 20_901, blocked: 1, calls: 21_801 });
    expect(clients[0]?.name).toBe('once 19999');
  });

  it('knows when the legacy lane was used last, although that client was forgotten', ({ expect }) => {
    const shards = [shard({ calls: [CALL], forgottenLegacyAt: 300 }), shard({})];
    expect(reportOf(shards, 500).lastLegacyCallAt).toBe(300);
  });

  it('a client of the HTTP+SSE transport is kept by it, whatever was seen of it', ({ expect }) => {
    const { clients } = reportOf([shard({ calls: [{ ...CALL, route: '/legacy/sse' }] })], 500);
    expect(clients.map(({ verdict }) => verdict)).toEqual([{ blockedBy: ['get_stream'] }]);
  });

  it('tells open sessions apart by what can become of them', ({ expect }) => {
    const sessions: SessionCount[] = [
      SESSION,
      { ...SESSION, drained: true, sessions: 5 },
      { ...SESSION, transport: 'sse', sessions: 7 },
      { ...SESSION, lane: 'compat', sessions: 11 },
    ];
    const report = reportOf([shard({ calls: [CALL], sessions })], 500);
    expect(report.openSessions).toEqual({ legacy: 3, sse: 7, drained: 5, compat: 11 });
    expect(report.clients.map((client) => [client.openSessions, client.openLegacySessions])).toEqual([[26, 10]]);
  });
});
