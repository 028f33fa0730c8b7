/** Who calls and what services a call has are the same in every kind of definition, on every lane. */
import { beforeEach, describe, it } from 'vitest';
import { callersBehind, madeFor, reports } from '../fixture/callers.ts';
import { ANN, callersAgent, openWith, ORIGIN, sendWith, textOf } from '../support/callers.ts';
import { LANE_NAMES, openLane, type Lane } from '../support/wire.ts';

const TOLD_ANN = {
  subject: 'ann',
  scopes: ['read', 'write'],
  clientId: 'editor',
  token: 'ann’s token',
  since: 2024,
  quota: 'bigint',
  services: ['west', 'ann’s token'],
};
const TOLD_NOBODY = {
  subject: null,
  scopes: [],
  clientId: null,
  token: null,
  since: null,
  quota: null,
  services: ['west', 'no token'],
};

/** What each kind of definition was told, by one request each. */
const KINDS = {
  tool: ['tools/call', { name: 'tell', arguments: {} }, ['content', 0, 'text']],
  reducer: ['tools/call', { name: 'remember', arguments: {} }, ['content', 1, 'text']],
  'waiting tool': ['tools/call', { name: 'rememberLater', arguments: {} }, ['content', 1, 'text']],
  prompt: ['prompts/get', { name: 'letter', arguments: { to: 'x' } }, ['messages', 0, 'content', 'text']],
  resource: ['resources/read', { uri: 'test://who' }, ['contents', 0, 'text']],
  template: ['resources/read', { uri: 'test://of/one' }, ['contents', 0, 'text']],
  listed: ['resources/list', {}, ['resources', 1, 'description']],
  completion: [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'letter' }, argument: { name: 'to', value: '' } },
    ['completion', 'values', 0],
  ],
  'completion of a template': [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'test://of/{id}' }, argument: { name: 'id', value: '' } },
    ['completion', 'values', 0],
  ],
} as const satisfies Record<string, readonly [string, object, readonly (string | number)[]]>;

async function told(lane: Lane, kind: keyof typeof KINDS): Promise<unknown> {
  const [method, params, path] = KINDS[kind];
  const { answer } = await lane.request(method, params);
  const text = path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown> | undefined)?.[key],
    answer?.result,
  );
  return typeof text === 'string' ? JSON.parse(text) : answer;
}

beforeEach(() => {
  reports.length = 0;
  madeFor.length = 0;
});

describe.for(LANE_NAMES)('on %s', (name) => {
  it.for(Object.keys(KINDS) as (keyof typeof KINDS)[])('a %s is told who calls', async (kind, { expect }) => {
    expect(await told(await openWith(name, ANN), kind)).toEqual(TOLD_ANN);
    expect(await told(await openWith(name, undefined), kind)).toEqual(TOLD_NOBODY);
  });

  it('services are made once per request, and only if something reads them', async ({ expect }) => {
    const lane = await openWith(name, ANN);
    madeFor.length = 0;
    expect(await textOf(lane, 'idle')).toBe('Nothing was needed.');
    expect(madeFor).toEqual([]);
    await textOf(lane, 'tell');
    expect(madeFor.map(({ subject }) => subject)).toEqual(['ann']);
  });

  it('a token that was refreshed reaches the next call', async ({ expect }) => {
    let token = 'first';
    const lane = await openWith(name, () => ({ ...ANN, token }));
    expect(await told(lane, 'tool')).toMatchObject({ token: 'first' });
    token = 'second';
    expect(await told(lane, 'tool')).toMatchObject({ token: 'second', services: ['west', 'second'] });
    expect(await told(lane, 'reducer')).toMatchObject({ token: 'second', services: ['west', 'second'] });
  });

  it('a call keeps its own caller while another of the same session comes and goes', async ({ expect }) => {
    let token = 'slow';
    const lane = await openWith(name, () => ({ ...ANN, token }));
    const slow = textOf(lane, 'tellLater', { afterMs: 50 });
    token = 'fast';
    const fast = textOf(lane, 'tell');
    expect(JSON.parse(String(await fast))).toMatchObject({ token: 'fast' });
    expect(JSON.parse(String(await slow))).toMatchObject({ token: 'slow' });
  });

  it('nobody gives themselves properties by a header', async ({ expect }) => {
    const forged = encodeURIComponent(JSON.stringify(ANN));
    const lane = await openLane(name, {
      origin: ORIGIN,
      send: (request) => {
        const headers = new Headers(request.headers);
        headers.set('cf-mcp-props', forged);
        return sendWith(undefined)(new Request(request, { headers }));
      },
    });
    expect(await told(lane, 'tool')).toEqual(TOLD_NOBODY);
    expect(await told(lane, 'reducer')).toEqual(TOLD_NOBODY);
  });

  it('what is missing is told to the operator by its name, and not to the client', async ({ expect }) => {
    const lane = await openWith(name, ANN);
    expect(await textOf(lane, 'missing')).toBe(
      'The server is not set up for the tool "missing". What is missing was reported to the server\'s operator.',
    );
    expect(reports.map(({ fault, tool, cause }) => [fault, tool, String(cause)])).toEqual([
      ['not_configured', 'missing', expect.stringContaining('reads FORGOTTEN from the environment')],
    ]);
  });
});

it('a session that was drained is told the same callers', async ({ expect }) => {
  const lane = await openWith('legacy', ANN);
  expect(await textOf(lane, 'remember')).toBe('1');
  const agent = callersAgent(lane);
  expect(await agent.drain()).toBe(true);
  expect(await told(lane, 'tool')).toEqual(TOLD_ANN);
  expect(await told(lane, 'reducer')).toEqual(TOLD_ANN);
  expect(await agent.takeBack()).toBe(true);
  expect(await told(lane, 'reducer')).toEqual(TOLD_ANN);
  expect(await textOf(lane, 'remember')).toBe('4');
});

describe('a sign-in without a subject', () => {
  it('is said once, by the names of its properties, and has no state of its own', async ({ expect }) => {
    const props = { login: 'ann', token: 'secret' };
    // Of its own, since what is said once may have been said to another test already.
    const fresh = callersBehind();
    const text = await textOf(await openWith('modern', props, fresh), 'remember');
    expect(text).toBe(
      'The tool "remember" keeps a state for each caller, and the server cannot tell which caller this is. That was reported to the server\'s operator.',
    );
    await textOf(await openWith('modern', props, fresh), 'tell');
    const warnings = reports.filter(({ fault }) => fault === 'configuration_warning');
    expect(warnings.map(({ cause }) => String(cause))).toEqual([
      'ConfigurationProblems: The sign-in names no caller: there is no text in its property "claims.sub" (it has login, token). Name the right one in the option "subject" of createHybrid; until then nobody has a state of their own, and everybody is the same to flags.',
    ]);
  });
});
