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
  lastSeenAt: 100,
};
const USE: UseRow = {
  name: 'one',
  version: '1',
  era: '2025',
  userAgent: 'node',
  route: '/legacy/mcp',
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
const shard = (rows: Partial<ShardRows>): ShardRows => ({ calls: [], uses: [], sessions: [], untracked: 0, ...rows });

describe('report of the census', () => {
  it('is empty where nothing was seen', ({ expect }) => {
    expect(reportOf([shard({})], 5)).toEqual({
      at: 5,
      clients: [],
      totals: { clients: 0, blocked: 0, calls: 0, lanes: [] },
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
            count: 3,
            lastSeenAt: 95,
            blocks: true,
            why: 'Without a session there is no way to ask its user: the tool answers with an error.',
          },
        ],
        calls: 15,
        lastSeenAt: 400,
        openSessions: 5,
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

  it('clients without a name are told apart by their user agents', ({ expect }) => {
    const unknown = { ...CALL, name: 'unknown', version: '' };
    const calls = [unknown, { ...unknown, userAgent: 'python-httpx', lastSeenAt: 200 }];
    const uses = [{ ...USE, name: 'unknown', version: '', use: 'last_event_id' as const }];
    const sessions = [{ ...SESSION, name: 'unknown', version: '' }];
    const { clients } = reportOf([shard({ calls, uses, sessions })], 500);
    expect(clients.map(({ userAgents, openSessions, verdict }) => [userAgents, openSessions, verdict])).toEqual([
      [['python-httpx'], 3, 'ready'],
      [['node'], 0, { blockedBy: ['last_event_id'] }],
    ]);
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
    expect(report.clients.map(({ openSessions }) => openSessions)).toEqual([10]);
  });
});
