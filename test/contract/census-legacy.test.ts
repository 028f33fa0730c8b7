/**
 * What the census and the log say of the same request, and what nobody without a sign-in can do to either, with the legacy
 * lane: the whole Worker, asked as clients and scanners ask it.
 */
import { createExecutionContext, reset, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { retireReport } from '../../src/cutover/admin/retire.ts';
import type { CensusReport } from '../../src/cutover/census/report.ts';
import { createHybrid } from '../../src/index.ts';
import { legacyLane } from '../../src/legacy/index.ts';
import { fixtureCatalogue as catalogue } from '../fixture/catalogue.ts';
import { ENVELOPE, openLane, readReply } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const TOKEN = 'a-token-of-at-least-thirty-two-characters';
const VARS = { ...env, ADMIN_TOKEN: TOKEN, LOG_LEVEL: 'info' };
const hybrid = createHybrid({ catalogue, legacy: legacyLane(), report: () => {} });

interface Line {
  readonly lane: string;
  readonly reason: string;
  readonly verdict: string;
  readonly status: number;
}
let lines: Line[] = [];
const send = (request: Request, ctx = createExecutionContext()): Promise<Response> => hybrid.fetch(request, VARS, ctx);
const WIRE = { origin: ORIGIN, send: (request: Request) => send(request) } as const;
/** What was counted is handed over first. */
const census = async (): Promise<CensusReport> => {
  const response = await send(new Request(`${ORIGIN}/admin/census`, { headers: { authorization: `Bearer ${TOKEN}` } }));
  return response.json<CensusReport>();
};
const clientIn = ({ clients }: CensusReport, name: string) => clients.find((client) => client.name === name);
const reasonsOf = (client: CensusReport['clients'][number] | undefined, lane: string) =>
  Object.assign(
    {},
    ...(client?.lanes ?? []).filter((row) => row.lane === lane).map(({ reasons }) => reasons),
  ) as object;

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  send(
    new Request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    }),
  );
const listing = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });
const modern = (version: string, method = 'tools/list') => ({
  ...{ jsonrpc: '2.0', id: 1, method },
  params: {
    _meta: {
      [ENVELOPE.version]: version,
      [ENVELOPE.client]: { name: 'modern-one', version: '1' },
      [ENVELOPE.capabilities]: {},
    },
  },
});

describe('the census and the log, with a legacy lane', () => {
  beforeEach(() => {
    lines = [];
    vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(JSON.parse(text) as Line));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await reset();
  });

  it.for<[string, string, () => Promise<Response>]>([
    [
      'unsupported_version',
      'modern-one',
      () => post('/mcp', modern('2099-01-01'), { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' }),
    ],
    [
      'header_mismatch',
      'modern-one',
      () => post('/mcp', modern('2026-07-28'), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'ping' }),
    ],
    ['no_session', 'unknown', () => post('/legacy/mcp', listing(1))],
    ['unknown_session', 'unknown', () => post('/legacy/mcp', listing(1), { 'mcp-session-id': 'invented' })],
    [
      'unknown_session',
      'unknown',
      async () => {
        const lane = await openLane('legacy', WIRE);
        await lane.close();
        await census();
        lines = [];
        await reset();
        return lane.post(listing(2));
      },
    ],
    ['not_acceptable', 'unknown', () => post('/legacy/mcp', listing(1), { accept: 'image/png' })],
  ])('agree on a refusal: %s of %s', async ([reason, name, ask], { expect }) => {
    const response = await ask();
    await response.body?.cancel();
    expect(response.status).toBeGreaterThanOrEqual(400);
    const report = await census();
    expect(lines.map(({ verdict }) => verdict)).toEqual([reason]);
    const client = clientIn(report, name);
    expect(reasonsOf(client, 'none')).toEqual({ [reason]: 1 });
    expect(client?.verdict).toBe('unproven');
  });

  it('a question and its answer are one call', async ({ expect }) => {
    const lane = await openLane('modern', { ...WIRE, capabilities: { elicitation: { form: {} } } });
    const asked = await lane.request('tools/call', { name: 'ask', arguments: {} });
    const { requestState, inputRequests } = { ...asked.answer?.result };
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests as object).map((key) => [key, { action: 'decline' }]),
    );
    const answered = await lane.request('tools/call', { name: 'ask', arguments: {}, requestState, inputResponses });
    expect(answered.answer?.result?.['resultType']).toBe('complete');
    expect(lines.map(({ verdict }) => verdict)).toEqual(['input_required', 'ok']);
    expect(clientIn(await census(), 'wire')?.calls).toBe(1);
  });

  it('a client that goes on with a session that has ended is seen by its name, and never ready', async ({ expect }) => {
    const lane = await openLane('legacy', WIRE);
    await readReply(await lane.open('tools/list'), 1);
    expect(clientIn(await census(), 'wire')?.verdict).toBe('ready');
    await lane.close();
    for (let call = 0; call < 5; call += 1) expect((await lane.post(listing(call))).status).toBe(404);
    const client = clientIn(await census(), 'wire');
    expect(client?.verdict).toEqual({ blockedBy: ['lost_session'] });
    expect(reasonsOf(client, 'none')).toEqual({ unknown_session: 5 });
  });

  it('a client that drops its session id is never ready', async ({ expect }) => {
    await readReply(
      await post('/legacy/mcp', {
        ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'drops', version: '1' } },
      }),
      1,
    );
    for (let call = 0; call < 3; call += 1) expect((await post('/legacy/mcp', listing(call))).status).toBe(400);
    const report = await census();
    expect(report.clients.map(({ name, verdict }) => [name, verdict])).toEqual(
      expect.arrayContaining([
        ['drops', 'unproven'],
        ['unknown', 'unproven'],
      ]),
    );
    expect(reasonsOf(clientIn(report, 'unknown'), 'none')).toEqual({ no_session: 3 });
  });

  /** Listens, and gives the address for messages, and what the client does when it leaves. */
  async function listenOld(): Promise<{ path: string; leave: () => Promise<void> }> {
    const ctx = createExecutionContext();
    const opened = await send(new Request(`${ORIGIN}/legacy/sse`, { headers: { accept: 'text/event-stream' } }), ctx);
    const reader = (opened.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('\n\n')) text += (await reader.read()).value ?? '';
    const leave = async (): Promise<void> => {
      await reader.cancel();
      await waitOnExecutionContext(ctx);
    };
    return { path: /data: (\S+)/.exec(text)?.[1] ?? '', leave };
  }

  it('a session of the old transport is open until its stream ends', async ({ expect }) => {
    const { path, leave } = await listenOld();
    expect((await post(path, initializeAs('old'))).status).toBe(202);
    expect((await post(path, { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    const before = (await census()).openSessions.sse;
    await leave();
    const after = await census();
    expect([before, after.openSessions.sse]).toEqual([1, 0]);
    expect(clientIn(after, 'old')?.verdict).toEqual({ blockedBy: ['get_stream'] });
  });

  /** Whether the class may go once the routes are gone, a day after this. */
  const speaksAgainst = (report: CensusReport): string[] =>
    retireReport({
      paths: { legacy: '/legacy/mcp', sse: '/legacy/sse', mcp: '/mcp' },
      names: { operator: 'OPERATOR_OBJECT', census: 'CENSUS_OBJECT' },
      stages: {
        legacy: { stage: 'gone', reason: 'flag' },
        sse: { stage: 'gone', reason: 'flag' },
        mcp: { stage: 'stateless', reason: 'flag' },
      },
      brake: { on: false },
      census: report,
      now: Date.now() + 24 * 3_600_000,
      quietMs: 24 * 3_600_000,
    }).checks.flatMap(({ check, ok }) => (ok ? [] : [check]));

  it.for<[string, () => Promise<Response>]>([
    [
      'a message to an invented session of the old transport',
      () => post('/legacy/sse/message?sessionId=zz-invented', { ...initializeAs('junk'), id: 1 }),
    ],
    ['a call with an invented session', () => post('/legacy/mcp', listing(1), { 'mcp-session-id': 'f'.repeat(64) })],
    [
      'the resumption of an invented session',
      () =>
        send(
          new Request(`${ORIGIN}/legacy/mcp`, {
            headers: { accept: 'text/event-stream', 'mcp-session-id': 'f'.repeat(64), 'last-event-id': '7' },
          }),
        ),
    ],
    ['a resumption where there are no sessions', () => post('/mcp', listing(1), { 'last-event-id': '7' })],
    ['an answer to a question that nobody asked', () => post('/mcp', { jsonrpc: '2.0', id: 1, result: {} })],
    ['a batch of the newer era', () => post('/mcp', [modern('2026-07-28')])],
    [
      'a ping of the newer era',
      () => post('/mcp', modern('2026-07-28', 'ping'), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'ping' }),
    ],
    ['a beginning with Last-Event-ID on /mcp', () => post('/mcp', initializeAs('junk'), { 'last-event-id': '7' })],
    [
      'the end of an invented session',
      () =>
        send(new Request(`${ORIGIN}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': `c_${'x'.repeat(27)}` } })),
    ],
  ])('%s does not keep the class', async ([, ask], { expect }) => {
    // So that the census knows somebody.
    await readReply(await (await openLane('compat', WIRE)).open('tools/list'), 1);
    const response = await ask();
    await response.body?.cancel();
    expect(speaksAgainst(await census())).toEqual([]);
  });

  it('a beginning keeps the class as long as its session is open, and blocks nobody', async ({ expect }) => {
    await readReply(await post('/legacy/mcp', initializeAs('junk'), { 'last-event-id': '7' }), 1);
    expect(speaksAgainst(await census())).toEqual(['open_sessions']);
  });

  it('a stream of the old transport blocks nobody', async ({ expect }) => {
    const { leave } = await listenOld();
    await leave();
    expect(speaksAgainst(await census())).toEqual([]);
  });

  function initializeAs(name: string): object {
    const clientInfo = { name, version: '1' };
    return {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    };
  }
});
