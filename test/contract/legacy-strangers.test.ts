/**
 * Every way into a legacy session by somebody whose session it is not: each state that a session can be in, each URL and
 * method under which its id can be used, and each kind of caller. A session is unknown to a stranger, always.
 */
import { createExecutionContext, reset, runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import worker from '../fixture/worker.ts';
import { agentOf } from '../support/agents.ts';
import { openLane, type Lane } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const HOUR_MS = 60 * 60 * 1000;
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const sendWith =
  (props: object | undefined, vars: object = {}) =>
  (request: Request): Promise<Response> =>
    worker.fetch(
      request as Parameters<typeof worker.fetch>[0],
      { ...env, ...vars },
      Object.defineProperty(createExecutionContext(), 'props', { value: props }),
    );

const message = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const CALL = message('tools/call', { name: 'count', arguments: { by: 1 } });
const INITIALIZE = message('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'stranger', version: '1' },
});
const at = (path: string, method: string, id: string, body?: string): Request =>
  new Request(`${ORIGIN}${path}`, {
    method,
    headers: { ...JSON_HEADERS, 'mcp-session-id': id },
    ...(body !== undefined && { body }),
  });

/** Each way that an id can be used. */
const WAYS: Readonly<Record<string, (id: string) => Request>> = {
  'POST /legacy/mcp tools/list': (id) => at('/legacy/mcp', 'POST', id, message('tools/list')),
  'POST /legacy/mcp tools/call': (id) => at('/legacy/mcp', 'POST', id, CALL),
  'POST /legacy/mcp notification': (id) =>
    at('/legacy/mcp', 'POST', id, '{"jsonrpc":"2.0","method":"notifications/initialized"}'),
  'GET /legacy/mcp': (id) => at('/legacy/mcp', 'GET', id),
  'DELETE /legacy/mcp': (id) => at('/legacy/mcp', 'DELETE', id),
  'GET /mcp': (id) => at('/mcp', 'GET', id),
  'DELETE /mcp': (id) => at('/mcp', 'DELETE', id),
  'GET /legacy/sse': (id) => at(`/legacy/sse?sessionId=${id}`, 'GET', id),
  'POST /legacy/sse/message initialize': (id) => at(`/legacy/sse/message?sessionId=${id}`, 'POST', id, INITIALIZE),
  'POST /legacy/sse/message tools/call': (id) => at(`/legacy/sse/message?sessionId=${id}`, 'POST', id, CALL),
};
/** An id that means nothing any more is not needed on this URL: clients that go on with one are answered without it. */
const STATELESS_WAYS: typeof WAYS = {
  'POST /mcp tools/list': (id) => at('/mcp', 'POST', id, message('tools/list')),
  'POST /mcp tools/call': (id) => at('/mcp', 'POST', id, CALL),
};

const STRANGERS: Readonly<Record<string, object | undefined>> = {
  nobody: undefined,
  'a caller without properties': {},
  'a caller without a subject': { scope: 'x', subject: '' },
  'another subject': { subject: 'bob' },
};

interface Opened {
  readonly lane: Lane;
  readonly id: string;
}

/** Opens ann's session and brings it into its state; the count of a live one is 1. */
type Story = (called: boolean) => Promise<Opened>;
const ann = { subject: 'ann' };
const begin = async (called: boolean): Promise<Opened> => {
  const lane = await openLane('legacy', { origin: ORIGIN, send: sendWith(ann) });
  if (called) await count(lane);
  return { lane, id: lane.sessionId ?? '' };
};
const count = async (lane: Lane): Promise<unknown> => {
  const { answer } = await lane.request('tools/call', { name: 'count', arguments: { by: 1 } });
  return (answer?.result?.['structuredContent'] as { value?: unknown } | undefined)?.value;
};

const GOING_ON: Readonly<Record<string, Story>> = {
  'is live': begin,
  'is drained': async (called) => {
    const opened = await begin(called);
    must(await agentOf(opened.id).drain());
    return opened;
  },
  'was taken back': async (called) => {
    const opened = await begin(called);
    must(await agentOf(opened.id).drain());
    if (called) await count(opened.lane);
    must(await agentOf(opened.id).takeBack());
    return opened;
  },
  'was kept for a client of /mcp': async (called) => {
    const send = sendWith(ann, { KEEP_SESSIONS: 'on' });
    const lane = await openLane('compat', { origin: ORIGIN, send, capabilities: { roots: {} } });
    if (called) await count(lane);
    return { lane, id: lane.sessionId ?? '' };
  },
};

const OVER: Readonly<Record<string, Story>> = {
  'was ended': async (called) => {
    const opened = await begin(called);
    await ended(opened);
    return opened;
  },
  'was drained and ended': async (called) => {
    const opened = await begin(called);
    must(await agentOf(opened.id).drain());
    await ended(opened);
    return opened;
  },
  'has expired': async (called) => {
    const opened = await begin(called);
    vi.setSystemTime(Date.now() + 27 * HOUR_MS);
    must(await runDurableObjectAlarm(env.LEGACY_AGENT.getByName(`streamable-http:${opened.id}`)));
    return opened;
  },
};

/** By its owner, who may end it. */
const ended = async ({ id }: Opened): Promise<void> => {
  must((await sendWith(ann)(at('/legacy/mcp', 'DELETE', id))).status === 204);
};

function must(done: boolean): void {
  if (!done) throw new Error('The session could not be brought into its state');
}

/** What comes back for each way, as status and code; streams are cancelled. */
async function tried(ways: typeof WAYS, id: string, props: object | undefined): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  for (const [way, request] of Object.entries(ways)) {
    const response = await sendWith(props)(request(id));
    const isJson = response.headers.get('content-type') === 'application/json';
    if (!isJson) await response.body?.cancel();
    const { error } = isJson ? await response.json<{ error?: { code: number } }>() : {};
    outcomes[way] = error === undefined ? String(response.status) : `${response.status} ${error.code}`;
  }
  return outcomes;
}

const UNKNOWN = '404 -32001';
const allUnknown = (ways: typeof WAYS): Record<string, string> =>
  Object.fromEntries(Object.keys(ways).map((way) => [way, UNKNOWN]));

describe('a legacy session and strangers', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(async () => {
    vi.useRealTimers();
    await reset();
  });
  const matrix = <Kind>(stories: Readonly<Record<string, Kind>>) =>
    Object.keys(stories).flatMap((story) => Object.keys(STRANGERS).map((who) => [story, who] as const));

  it.for(matrix(GOING_ON))('one that %s is unknown to %s, and goes on', async ([story, who], { expect }) => {
    const { lane, id } = await GOING_ON[story]!(true);
    const ways = { ...WAYS, ...STATELESS_WAYS };
    expect(Object.keys(ways)).toHaveLength(12);
    expect(await tried(ways, id, STRANGERS[who])).toEqual(allUnknown(ways));
    expect(await count(lane)).toBe(story === 'was taken back' ? 3 : 2);
  });

  it.for(matrix(GOING_ON))('one that %s and has no state yet gives none to %s', async ([story, who], { expect }) => {
    const { lane, id } = await GOING_ON[story]!(false);
    const ways = { ...WAYS, ...STATELESS_WAYS };
    expect(await tried(ways, id, STRANGERS[who])).toEqual(allUnknown(ways));
    expect(await count(lane)).toBe(1);
  });

  it.for(matrix(OVER))('one that %s is not begun again by %s', async ([story, who], { expect }) => {
    const { id } = await OVER[story]!(true);
    expect(await tried(WAYS, id, STRANGERS[who])).toEqual(allUnknown(WAYS));
    expect(await tried(STATELESS_WAYS, id, STRANGERS[who])).toEqual({
      'POST /mcp tools/list': '200',
      'POST /mcp tools/call': '200',
    });
    // Nor by its owner, whose calls count without it.
    expect(await tried(WAYS, id, ann)).toEqual(allUnknown(WAYS));
  });
});
