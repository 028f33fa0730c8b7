/**
 * Invented clients and sessions against a real Worker, which runs while real clients work and an operator looks: the
 * census keeps who is real, nobody invented holds `retire-check`, and storage stays small. A bounded share of it here;
 * `npm run prove:junk` invents 100,000.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { CensusReport } from '../../src/cutover/census/report.ts';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { ENVELOPE, readReply } from '../support/wire.ts';

const INVENTED = Number(process.env['JUNK'] ?? 2_000);
/** For a run that hangs: a machine that does other work as well answers fewer than a hundred requests a second. */
const TIMEOUT_MS = 60_000 + INVENTED * 40;
/** No request may take as long, however many came before. */
const ANSWER_MS = 30_000;
/** So often a long run says how fast it is. */
const SAID_EVERY = 10_000;
const PARALLEL = 32;
/** Of the census, in all. */
const ROWS = 20_000;
const TOKEN = 'a-token-of-at-least-thirty-two-characters';
const ACCEPT = 'application/json, text/event-stream';

let store = '';
let server: DevServer;
beforeAll(async () => {
  store = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-junk-'));
  server = await startDevServer({ persistTo: store, vars: { ADMIN_TOKEN: TOKEN, LOG_LEVEL: 'error' } });
});
afterAll(async () => {
  await server.stop();
  await rm(store, { recursive: true, force: true, maxRetries: 3 });
});

const post = (route: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: ACCEPT, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
const admin = async <Answer>(route: string, body?: object): Promise<Answer> => {
  const response = await fetch(`${server.url}/admin${route}`, {
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return (await response.json()) as Answer;
};
const initialize = (name: string) => ({
  ...{ id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } },
});
const LISTING = { id: 2, method: 'tools/list', params: {} } as const;

/** A client as it should be: begins a session, and works in it. */
async function begin(name: string, route: string): Promise<{ work: () => Promise<void> }> {
  const response = await post(route, initialize(name));
  const session = response.headers.get('mcp-session-id') ?? '';
  await readReply(response, 1);
  const work = async (): Promise<void> => {
    const { answer } = await readReply(await post(route, LISTING, { 'mcp-session-id': session }), 2);
    if (answer?.result === undefined) throw new Error(`${name} was not answered: ${JSON.stringify(answer)}`);
  };
  return { work };
}

const modern = (name: string): Promise<Response> =>
  post(
    '/mcp',
    {
      ...{ id: 1, method: 'tools/list' },
      params: {
        _meta: {
          [ENVELOPE.version]: '2026-07-28',
          [ENVELOPE.client]: { name, version: '1' },
          [ENVELOPE.capabilities]: {},
        },
      },
    },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
  );
const compatId = (index: number): string => `c_${String(index).padStart(27, 'x')}`;
const legacyId = (index: number): string => index.toString(16).padStart(64, '0');

/** What anybody can send without a sign-in, with the status that it gets. */
const JUNK: readonly (readonly [status: number, send: (index: number) => Promise<Response>])[] = [
  [200, (index) => post('/mcp', initialize(`invented ${index}`), { 'last-event-id': '7' })],
  [200, (index) => modern(`invented ${index}`)],
  [200, (index) => post('/mcp', LISTING, { 'mcp-session-id': compatId(index), 'last-event-id': '7' })],
  [404, (index) => post('/legacy/mcp', LISTING, { 'mcp-session-id': legacyId(index) })],
  [400, (index) => post('/legacy/mcp', LISTING, { 'user-agent': `invented-${index}/1` })],
  [404, (index) => post(`/legacy/sse/message?sessionId=invented-${index}`, initialize(`invented ${index}`))],
  [202, (index) => post('/mcp', { id: index, result: {} }, { 'mcp-session-id': compatId(index) })],
  [
    204,
    (index) =>
      fetch(`${server.url}/mcp`, {
        method: 'DELETE',
        headers: { 'mcp-session-id': compatId(index), accept: ACCEPT },
        signal: AbortSignal.timeout(ANSWER_MS),
      }),
  ],
];

async function flood(from: number, to: number): Promise<Map<string, number>> {
  const wrong = new Map<string, number>();
  let next = from;
  let said = performance.now();
  const sender = async (): Promise<void> => {
    while (next < to) {
      const index = next;
      next += 1;
      if (next % SAID_EVERY === 0) {
        const seconds = (performance.now() - said) / 1000;
        console.log(`${next} of ${INVENTED}: ${Math.round(Math.min(SAID_EVERY, next - from) / seconds)} a second`);
        said = performance.now();
      }
      const [status, send] = JUNK[index % JUNK.length] as (typeof JUNK)[number];
      const response = await send(index);
      await response.body?.cancel();
      if (response.status === status) continue;
      const what = `${index % JUNK.length}: ${response.status} for ${status}`;
      wrong.set(what, (wrong.get(what) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, sender));
  return wrong;
}

/** The log beside a database goes when its object does, which may be after it was listed. */
const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    (cause: unknown) => {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT' && file.endsWith('-wal')) return 0;
      throw cause;
    },
  );

/** Bytes and number of the stored objects of a class; the shared memory beside a database is an index, and no storage. */
async function stored(className: string): Promise<{ objects: number; bytes: number }> {
  const folder = path.join(store, 'v3/do', `hybrid-mcp-${className}`);
  const files = (await readdir(folder).catch(() => [])).filter(
    (file) => !file.startsWith('metadata') && !file.endsWith('-shm'),
  );
  const sizes = await Promise.all(files.map((file) => sizeOf(path.join(folder, file))));
  return {
    objects: files.filter((file) => file.endsWith('.sqlite')).length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

describe('invented clients and sessions', () => {
  it('neither blind nor hold an operator', { timeout: TIMEOUT_MS }, async ({ expect }) => {
    const [weekly, daily] = [await begin('weekly', '/legacy/mcp'), await begin('daily', '/mcp')];
    for (const client of [weekly, daily, weekly, daily]) await client.work();
    const startedAt = performance.now();
    expect(await flood(0, INVENTED / 2)).toEqual(new Map());
    const newcomer = await begin('newcomer', '/mcp');
    for (const client of [newcomer, newcomer]) await client.work();
    const askedAt = performance.now();
    const [wrong, operatorMs] = await Promise.all([
      flood(INVENTED / 2, INVENTED),
      // Not the brake itself, which would give half of the flood sessions of the legacy lane.
      admin('/audit', { action: 'flag_note', detail: {}, who: 'jane', why: 'a flood' }).then(
        () => performance.now() - askedAt,
      ),
    ]);
    expect(wrong).toEqual(new Map());
    const seconds = (performance.now() - startedAt) / 1000;
    expect(await admin('/brake', { on: true, who: 'jane', why: 'a flood' })).toMatchObject({ brake: { on: true } });
    await admin('/brake', { on: false, who: 'jane', why: 'it is over' });

    const report = await admin<CensusReport>('/census');
    const real = report.clients.filter(({ name }) => ['weekly', 'daily', 'newcomer'].includes(name));
    // Where there are more names than rows, what only began a session can be among those that were added up.
    const least = INVENTED <= ROWS ? 3 : 2;
    expect(real.map(({ name }) => name).toSorted()).toEqual(['daily', 'newcomer', 'weekly']);
    for (const { calls, verdict } of real) {
      expect(calls).toBeGreaterThanOrEqual(least);
      expect(calls).toBeLessThanOrEqual(3);
      expect(verdict).toBe('ready');
    }
    expect(report.totals.calls).toBe(INVENTED + 9);
    expect(report.totals.blocked).toBe(0);
    expect([report.openSessions.legacy, report.openSessions.sse, report.untrackedSessions]).toEqual([1, 0, 0]);
    expect(report.clients.length).toBeLessThanOrEqual(1000);

    const { checks } = await admin<{ checks: { check: string; ok: boolean }[] }>('/retire-check');
    // The routes serve, and one real client has a session: nothing that was invented is a reason.
    expect(checks.filter(({ ok }) => !ok).map(({ check }) => check)).toEqual([
      'legacy_route',
      'sse_route',
      'open_sessions',
      'last_call',
    ]);
    const dryRun = { atMostCalls: 1, dryRun: true };
    const { clients } = await admin<{ clients: number }>('/census/forget', dryRun);
    expect(clients).toBeGreaterThan(INVENTED / 1000);
    await admin('/census/forget', { atMostCalls: 1, who: 'jane', why: 'junk' });
    const after = await admin<CensusReport>('/census');
    expect(after.clients.map(({ name }) => name)).toEqual(expect.arrayContaining(['weekly', 'daily', 'newcomer']));
    expect(after.clients.filter(({ calls }) => calls <= 1)).toEqual([]);
    const { entries } = await admin<{ entries: { action: string }[] }>('/audit');
    expect(entries.map(({ action }) => action)).toEqual(['census_forget', 'release', 'brake', 'flag_note']);

    const [census, agents, states, operators] = await Promise.all(
      ['CensusObject', 'LegacyAgent', 'StateObject', 'OperatorObject'].map(stored),
    );
    const sizes = { census, agents, states, operators };
    console.log(JSON.stringify({ invented: INVENTED, seconds, operatorMs, clients: report.totals.clients, ...sizes }));
    expect(census?.objects).toBe(4);
    expect(census?.bytes).toBeLessThan(40 * 1024 * 1024);
    expect([agents?.objects, operators?.objects]).toEqual([1, 1]);
    // An id that was never given out is looked up in an object of its own: a file of one page and the log beside it here.
    expect(states?.bytes).toBeLessThan((states?.objects ?? 0) * 16 * 1024);
    expect(operators?.bytes).toBeLessThan(1024 * 1024);
  });
});
