/**
 * What is not there for a caller is unknown to them, and what they may not use is refused with the scopes that it needs: the
 * same on every lane, for every kind of definition and every method that names one.
 */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, it } from 'vitest';
import { challenging, hiding, ran, reports, signingIn } from '../fixture/rights.ts';
import type { SessionAgentApi } from '../../src/state/transfer.ts';
import { LANE_NAMES, messagesIn, openLane, type Lane, type LaneName, type Reply } from '../support/wire.ts';

const ORIGIN = 'http://localhost';

/** Everything, the predicate only, the scopes only, one scope of two, and no sign-in. */
const CALLERS = {
  ada: { subject: 'ada', role: 'staff', scope: 'books:read books:write' },
  bea: { subject: 'bea', role: 'staff', scope: '' },
  cal: { subject: 'cal', role: 'guest', scope: 'books:write books:read more' },
  dan: { subject: 'dan', role: 'guest', scope: 'books:read' },
  nobody: {},
} as const;
type Name = keyof typeof CALLERS;
const NAMES = Object.keys(CALLERS) as Name[];

type Worker = Pick<typeof challenging, 'fetch'>;
const sendAs =
  (worker: Worker, name: Name) =>
  (request: Request): Promise<Response> =>
    worker.fetch(request, env, Object.defineProperty(createExecutionContext(), 'props', { value: CALLERS[name] }));

/** A session that was drained answers on the compat lane under its id. */
const LANES = [...LANE_NAMES, 'drained'] as const;

async function openAs(worker: Worker, lane: LaneName | 'drained', name: Name): Promise<Lane> {
  const opened = await openLane(lane === 'drained' ? 'legacy' : lane, { origin: ORIGIN, send: sendAs(worker, name) });
  if (lane !== 'drained') return opened;
  const agents = env as unknown as Record<string, { getByName(name: string): SessionAgentApi }>;
  const agent = agents[worker === hiding ? 'HIDING_AGENT' : 'RIGHTS_AGENT']?.getByName(
    `streamable-http:${opened.sessionId}`,
  );
  if ((await agent?.drain()) !== true) throw new Error('The session was not drained');
  return opened;
}

/** Every method that names a definition, by the name of one of the fixture's groups. */
const REQUESTS: readonly (readonly [string, (name: string) => Record<string, unknown>])[] = [
  ['tools/call', (name) => ({ name, arguments: {} })],
  ['tools/call', (name) => ({ name: `${name}Count`, arguments: {} })],
  ['prompts/get', (name) => ({ name, arguments: { to: 'x' } })],
  ['resources/read', (name) => ({ uri: `test://${name}` })],
  ['resources/read', (name) => ({ uri: `test://${name}/one` })],
  ['completion/complete', (name) => ({ ref: { type: 'ref/prompt', name }, argument: { name: 'to', value: '' } })],
  [
    'completion/complete',
    (name) => ({ ref: { type: 'ref/resource', uri: `test://${name}/{id}` }, argument: { name: 'id', value: '' } }),
  ],
  [
    'completion/complete',
    (name) => ({ ref: { type: 'ref/resource', uri: `test://${name}` }, argument: { name: 'x', value: '' } }),
  ],
];
/** Where in the list is the tool whose answer is another at each call. */
const COUNTS = 1;
/** Clients of 2025 only have it. */
const SUBSCRIBE: (typeof REQUESTS)[number] = ['resources/subscribe', (name) => ({ uri: `test://${name}` })];
const requestsOn = (lane: string): typeof REQUESTS => (lane === 'modern' ? REQUESTS : [...REQUESTS, SUBSCRIBE]);

/** The answer as it came, with the name of a definition put out of it. */
const saw = ({ status, headers, answer, others }: Reply, name: string): unknown => [
  status,
  headers.get('www-authenticate'),
  JSON.parse(JSON.stringify([answer?.error ?? answer?.result, others]).replaceAll(name, '<name>')),
];

/** What is listed, by the names alone. */
async function listedOn(lane: Lane): Promise<Record<string, unknown>> {
  const lists: Record<string, unknown> = {};
  for (const [method, key, name] of [
    ['tools/list', 'tools', 'name'],
    ['prompts/list', 'prompts', 'name'],
    ['resources/list', 'resources', 'uri'],
    ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
  ] as const) {
    const { answer } = await lane.request(method);
    lists[key] = (answer?.result?.[key] as readonly Record<string, unknown>[] | undefined)?.map((one) => one[name]);
  }
  return lists;
}

/** @param members The groups whose templates list their members too. */
const lists = (groups: readonly string[], members = groups) => ({
  tools: groups.flatMap((name) => [name, `${name}Count`]),
  prompts: groups,
  resources: [...groups.map((name) => `test://${name}`), ...members.map((name) => `test://${name}/one`)],
  resourceTemplates: groups.map((name) => `test://${name}/{id}`),
});

beforeEach(() => {
  ran.length = 0;
  reports.length = 0;
});

describe.for(LANES)('on %s', (lane) => {
  it('each caller is listed what is there for them', async ({ expect }) => {
    const all = ['open', 'staff', 'writers'];
    const expected = {
      ada: [lists(all), lists(all)],
      bea: [lists(all, ['open', 'staff']), lists(['open', 'staff'])],
      cal: [lists(['open', 'writers']), lists(['open', 'writers'])],
      dan: [lists(['open', 'writers'], ['open']), lists(['open'])],
      nobody: [lists(['open', 'writers'], ['open']), lists(['open'])],
    } satisfies Record<Name, unknown>;
    for (const name of NAMES) {
      const [challenged, hidden] = [await openAs(challenging, lane, name), await openAs(hiding, lane, name)];
      expect([name, await listedOn(challenged), await listedOn(hidden)]).toEqual([name, ...expected[name]]);
    }
    expect(ran.filter((one) => /^staff for (cal|dan|nobody)$|^writers for (bea|dan|nobody)$/.test(one))).toEqual([]);
  });

  it('what a caller cannot see is answered as what never existed', async ({ expect }) => {
    let compared = 0;
    for (const [worker, hidden, name] of [
      [challenging, 'staff', 'cal'],
      [challenging, 'staff', 'nobody'],
      [hiding, 'staff', 'dan'],
      [hiding, 'writers', 'dan'],
      [hiding, 'writers', 'bea'],
      [hiding, 'writers', 'nobody'],
    ] as const) {
      const opened = await openAs(worker, lane, name);
      for (const [method, params] of requestsOn(lane)) {
        const [known, never] = [
          saw(await opened.request(method, params(hidden)), hidden),
          saw(await opened.request(method, params('never')), 'never'),
        ];
        expect([method, known]).toEqual([method, never]);
        compared += 1;
      }
    }
    expect(compared).toBe(lane === 'modern' ? 48 : 54);
    expect(ran).toEqual([]);
    expect(reports).toEqual([]);
  });

  it('what a caller may not use is refused with the scopes that it needs', async ({ expect }) => {
    const needed = 'books:read books:write';
    for (const [name, status, challenge] of [
      ['dan', 403, `Bearer realm="mcp", error="insufficient_scope", scope="${needed}"`],
      ['nobody', 401, `Bearer realm="mcp", scope="${needed}"`],
    ] as const) {
      const opened = await openAs(challenging, lane, name);
      const seen = [];
      for (const [method, params] of requestsOn(lane)) {
        const { status: got, headers, answer } = await opened.request(method, params('writers'));
        seen.push([got, headers.get('www-authenticate'), headers.get('content-type'), answer?.error]);
      }
      const error = (what: string) => ({
        code: -32003,
        message: `This caller lacks a scope. Sign in again and grant "${needed}" to use the ${what}`,
        data: { scopes: ['books:read', 'books:write'] },
      });
      const whats = [
        'tool "writers"',
        'tool "writersCount"',
        'prompt "writers"',
        'resource "test://writers"',
        'resource "test://writers/one"',
        'prompt "writers"',
        'resource "test://writers/{id}"',
        'resource "test://writers"',
        ...(lane === 'modern' ? [] : ['resource "test://writers"']),
      ];
      expect(seen).toEqual(whats.map((what) => [status, challenge, 'application/json', error(what)]));
    }
    expect(ran).toEqual([]);
  });

  it('two callers with different rights at once are answered each for themselves', async ({ expect }) => {
    const lanes = await Promise.all(
      (['ada', 'dan'] as const).map(async (name) => ({ name, lane: await openAs(challenging, lane, name) })),
    );
    const answers = await Promise.all(
      [...lanes, ...lanes.toReversed(), ...lanes].map(async ({ name, lane: opened }) => {
        const replies = await Promise.all([
          ...['open', 'staff', 'writers'].map((tool) => opened.request('tools/call', { name: tool, arguments: {} })),
          opened.request('tools/list'),
        ]);
        const [texts, listed] = [replies.slice(0, 3), replies[3]];
        return [
          name,
          ...texts.map(
            ({ answer }) =>
              (answer?.result?.['content'] as { text: string }[] | undefined)?.[0]?.text ?? answer?.error?.code,
          ),
          (listed?.answer?.result?.['tools'] as unknown[] | undefined)?.length,
        ];
      }),
    );
    const ada = ['ada', 'open for ada', 'staff for ada', 'writers for ada', 6];
    const dan = ['dan', 'open for dan', -32602, -32003, 4];
    expect(answers).toEqual([ada, dan, dan, ada, ada, dan]);
  });
});

it('callers of different rights on all lanes at once are answered as each is alone', async ({ expect }) => {
  const callers = ['ada', 'cal', 'dan'] as const;
  const opened = await Promise.all(
    callers.flatMap((name) => LANES.map(async (lane) => ({ name, lane: await openAs(challenging, lane, name) }))),
  );
  const groups = ['open', 'staff', 'writers'];
  // The counters come apart: each of their answers is another.
  const requests = REQUESTS.filter((_request, at) => at !== COUNTS);
  const asked = groups.flatMap((group) => requests.map(([method, params]) => [method, params(group)] as const));
  const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
  const all = [...asked, ...lists.map((method) => [method, {}] as const)];
  const answersTo = (lane: Lane, [method, params]: (typeof all)[number]): Promise<unknown> =>
    lane.request(method, params).then((reply) => saw(reply, '<none>'));
  const alone: unknown[][] = [];
  for (const { lane } of opened) {
    const answers: unknown[] = [];
    for (const one of all) answers.push(await answersTo(lane, one));
    alone.push(answers);
  }
  const beside = await Promise.all(opened.map(({ lane }) => Promise.all(all.map((one) => answersTo(lane, one)))));
  expect(beside).toEqual(alone);
  expect(beside.flat()).toHaveLength(12 * 25);

  const counted = await Promise.all(
    opened.flatMap(({ name, lane }) =>
      groups.map(async (group) => {
        const { answer } = await lane.request('tools/call', { name: `${group}Count`, arguments: {} });
        const text = (answer?.result?.['content'] as { text: string }[] | undefined)?.[0]?.text;
        return [name, text ?? answer?.error?.code ?? 'nothing'] as const;
      }),
    ),
  );
  const of = (name: string) =>
    counted
      .filter(([who]) => who === name)
      .map(([, what]) => String(what))
      .toSorted();
  const four = (what: string) => [1, 2, 3, 4].map((n) => `${what}: ${n}`);
  const times4 = (code: string) => [code, code, code, code];
  expect(of('ada')).toEqual([...four('open for ada'), ...four('staff for ada'), ...four('writers for ada')]);
  expect(of('cal')).toEqual([...times4('-32602'), ...four('open for cal'), ...four('writers for cal')]);
  expect(of('dan')).toEqual([...times4('-32003'), ...times4('-32602'), ...four('open for dan')].toSorted());
});

it('a list that depends on the caller says that it is private', async ({ expect }) => {
  const lane = await openAs(challenging, 'modern', 'ada');
  const scopes = await Promise.all(
    ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].map(
      async (method) => (await lane.request(method)).answer?.result?.['cacheScope'],
    ),
  );
  expect(scopes).toEqual(['private', 'private', 'private', 'private']);
});

describe('rights that change while a session goes on', () => {
  it.for(LANE_NAMES)('hold from the next call on: %s', async (name, { expect }) => {
    let value: object = { subject: 'eve', scope: 'books:read' };
    const lane = await openLane(name, {
      origin: ORIGIN,
      send: (request) =>
        challenging.fetch(request, env, Object.defineProperty(createExecutionContext(), 'props', { value })),
    });
    const statuses = async (): Promise<unknown> =>
      Promise.all(
        ['writersCount', 'staffCount'].map(async (tool) => {
          const { status, answer } = await lane.request('tools/call', { name: tool, arguments: {} });
          return [status, answer?.error?.code ?? 'ok'];
        }),
      );
    const before = [
      [403, -32003],
      [200, -32602],
    ];
    expect(await statuses()).toEqual(before);
    value = { subject: 'eve', scope: 'books:read books:write', role: 'staff' };
    expect(await statuses()).toEqual([
      [200, 'ok'],
      [200, 'ok'],
    ]);
    value = { subject: 'eve', scope: 'books:read' };
    expect(await statuses()).toEqual(before);
  });
});

describe('where a message has no HTTP status of its own', () => {
  it('one of a batch is refused by its own error, and the others are answered', async ({ expect }) => {
    const lane = await openLane('compat', { origin: ORIGIN, send: sendAs(challenging, 'dan') });
    const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
    const response = await lane.post([call(1, 'writers'), call(2, 'open')], { 'mcp-protocol-version': '2025-03-26' });
    const messages = messagesIn(await response.text(), response.headers.get('content-type') ?? '');
    const by = messages.toSorted((one, other) => Number(one.id) - Number(other.id));
    expect([response.status, by.map(({ error, result }) => error?.message ?? result?.['content'])]).toEqual([
      200,
      [
        'This caller lacks a scope. Sign in again and grant "books:read books:write" to use the tool "writers"',
        [{ type: 'text', text: 'open for dan' }],
      ],
    ]);
  });

  it('a message of the old transport is refused where it is posted', async ({ expect }) => {
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    const send = sendAs(challenging, 'dan');
    const { body } = await send(new Request(`${ORIGIN}/legacy/sse`, { headers }));
    if (body === null) throw new Error('There is no stream');
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const next = async (): Promise<string> => (await reader.read()).value ?? '';
    const endpoint = /data: (\S+)/.exec(await next())?.[1] ?? '';
    const post = (method: string, params: object): Promise<Response> => {
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      return send(new Request(`${ORIGIN}${endpoint}`, { method: 'POST', headers, body: message }));
    };
    const clientInfo = { name: 'a', version: '1' };
    await post('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo });
    await next();
    const refused = await post('tools/call', { name: 'writers' });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer realm="mcp", error="insufficient_scope", scope="books:read books:write"',
    ]);
    expect((await post('tools/call', { name: 'open' })).status).toBe(202);
    expect(await next()).toContain('open for dan');
    await reader.cancel();
  });
});

it('a sign-in of the Worker adds where its metadata are, and what the caller has already', async ({ expect }) => {
  const lane = await openLane('modern', {
    origin: ORIGIN,
    send: (request) => signingIn.fetch(request, env, createExecutionContext()),
    headers: { authorization: 'Bearer dan' },
  });
  const { status, headers, answer } = await lane.request('tools/call', { name: 'writers', arguments: {} });
  expect([status, headers.get('www-authenticate'), answer?.error?.data]).toEqual([
    403,
    'Bearer realm="mcp", error="insufficient_scope", error_description="This needs the scope books:read books:write", scope="profile books:read books:write", resource_metadata="http://localhost/.well-known/oauth-protected-resource"',
    { scopes: ['books:read', 'books:write'] },
  ]);
});

it('the page for people names the tools that are there for them', async ({ expect }) => {
  const named = async (name: Name): Promise<unknown> =>
    [...(await (await sendAs(hiding, name)(new Request(`${ORIGIN}/`))).text()).matchAll(/<code>(\w+)<\/code>/g)]
      .map(([, tool]) => tool)
      .filter((tool) => tool?.endsWith('Count'));
  expect(await named('ada')).toEqual(['openCount', 'staffCount', 'writersCount']);
  expect(await named('dan')).toEqual(['openCount']);
});
