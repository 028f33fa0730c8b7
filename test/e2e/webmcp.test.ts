/**
 * The tools of a server in the model context of a real browser: its own, looked at as an agent of the browser does, and the
 * older form by a polyfill. `npm run prove:webmcp` adds what takes long.
 */
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { describe, it, type ExpectStatic } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';
import { launch } from './support/chromium.ts';
import { openPage, registering, type OpenPage } from './support/webmcp-page.ts';
import { until, webmcpStage } from './support/webmcp-stage.ts';

/** The last version of the polyfill that has the older form. */
const OLDER_FORM = createRequire(import.meta.url)
  .resolve('@mcp-b/webmcp-polyfill')
  .replace(/[^/]+$/, 'index.iife.js');

const stage = webmcpStage();
const { open, post, deploy } = stage;

/** A user who answers whatever is asked. */
const USER = `async ({ message, schema, signal }) => {
  (globalThis.asked ??= []).push([message, Object.keys(schema.properties), signal.aborted]);
  const answers = { 'Your name?': { name: 'N' }, 'A colour?': { colour: 'red' }, 'How many?': { count: 3 } };
  return { action: 'accept', content: answers[message] };
}`;

interface Lane {
  readonly lane: 'legacy' | 'compat' | 'modern';
  readonly path: string;
  readonly era: 'legacy' | 'modern';
  readonly vars?: Readonly<Record<string, string>>;
  /** What the tool that asks is answered. */
  readonly asked: object;
}
const ASKED = { status: 'Completed', output: 'N accept red accept' };
const CANNOT_ASK = {
  status: 'Error',
  error: `ToolError: The tool "ask" has to ask the user a question, and this connection cannot carry one. Connect with a client that speaks MCP 2026-07-28, or use the server's /legacy/mcp URL.`,
};
const LANES: readonly Lane[] = [
  { lane: 'legacy', path: '/legacy/mcp', era: 'legacy', asked: ASKED },
  { lane: 'compat', path: '/legacy/mcp', era: 'legacy', vars: { LEGACY_ROUTE_STAGE: 'stateless' }, asked: CANNOT_ASK },
  { lane: 'modern', path: '/mcp', era: 'modern', asked: ASKED },
];

/** Each call of the catalogue, and what an agent gets: on every lane the same. */
const CALLS = [
  ['echo', { text: 'hé <b>' }, { status: 'Completed', output: 'hé <b>' }],
  ['shapes', { pair: [1, 'x'] }, { status: 'Completed', output: { text: 'xx', times: 2, extra: 'none' } }],
  ['steps', { steps: 2 }, { status: 'Completed', output: 'done' }],
  ['refuse', {}, { status: 'Error', error: 'ToolError: There is nothing here. Try the tool "valibot".' }],
  ['error-output', { fits: true }, { status: 'Error', error: 'ToolError: No.\n{"n":1}' }],
  [
    'shapes',
    {},
    {
      status: 'Error',
      error: 'ToolError: Invalid arguments for tool "shapes": pair: Invalid input: expected tuple, received undefined',
    },
  ],
  [
    'throw',
    {},
    {
      status: 'Error',
      error: `ToolError: The tool "throw" failed. The cause was reported to the server's operator.`,
    },
  ],
  [
    'blocks',
    {},
    {
      status: 'Completed',
      output: {
        content: [
          { type: 'text', text: 'one', annotations: { audience: ['user'], priority: 0.5 } },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
          { type: 'resource', resource: { uri: 'test://static/text', mimeType: 'text/plain', text: 'hello' } },
          { type: 'resource_link', uri: 'test://static/text', name: 'text' },
        ],
      },
    },
  ],
] as const;

describe('the tools of a catalogue', () => {
  it.for(LANES)(
    'are registered and called on the $lane lane',
    async ({ lane, path, era, vars = {}, asked }, { expect }) => {
      await deploy(vars);
      await using it = await open();
      const registered = await it.run<{ names: string[] }>(registering(path, `{ prefix: 'x_', ask: ${USER} }`));
      expect(registered).toMatchObject({ status: 'registered', era, problems: [] });
      expect(registered.names).toEqual((await stage.listed()).map((name) => `x_${name}`));
      await it.agent.until((names) => names.length === registered.names.length);
      expect(it.agent.tools.get('x_shapes')).toMatchObject({
        description: 'Takes a tuple, a shared definition and a default.',
        inputSchema: { properties: { times: { description: 'How often', default: 2 } }, required: ['pair'] },
        annotations: { readOnly: true },
      });
      expect(it.agent.tools.get('x_count')?.annotations).toMatchObject({ readOnly: false, untrustedContent: false });
      const titles = `document.modelContext.getTools().then((all) => all.find(({ name }) => name === 'x_shapes').title)`;
      expect(await it.run(titles)).toBe('Shapes');

      for (const [name, input, expected] of CALLS) {
        expect([name, await it.agent.call(`x_${name}`, input)]).toEqual([name, expected]);
      }
      expect(await it.agent.call('x_ask')).toEqual(asked);
      expect(new Set(it.lanes)).toEqual(new Set([lane]));

      const waiting = await it.agent.begin('x_wait', { ms: 20_000 });
      expect(await it.agent.cancel(waiting)).toEqual({ status: 'Canceled' });
      await it.run('tools.dispose()');
      await it.agent.until((names) => names.length === 0);
      expect(it.told).toEqual([]);
    },
  );

  it('that ask refuse clearly if the page has nobody to ask', async ({ expect }) => {
    await deploy({});
    await using it = await open();
    await it.run(registering('/mcp'));
    expect(await it.agent.call('ask')).toEqual({
      status: 'Error',
      error:
        'ToolError: Missing required client capabilities: elicitation. This page puts no questions to its user: it has to give registerServerTools a function "ask".',
    });
  });
});

/** What the counter stands at after a call. */
const countOf = async (it: OpenPage, input: object = {}): Promise<{ value: number; handle?: string }> => {
  const { output } = await it.agent.call('count', input);
  const value = output as { structuredContent?: { value: number; handle?: string } } & { value: number };
  return value.structuredContent ?? value;
};

describe('an open page', () => {
  it('keeps its tools and its state from the legacy lane to the end of the route', async ({ expect }) => {
    await deploy({});
    await using it = await open();
    await it.run(registering('/legacy/mcp'));
    const first = await countOf(it);
    expect(first.value).toBe(1);
    // A ramp moves new sessions only.
    await deploy({ LEGACY_ROUTE_STAGE: 'stateless' });
    expect((await countOf(it)).value).toBe(2);
    expect(await post('/admin/drain', { all: true, who: 'test', why: 'test' })).toMatchObject({ left: 0 });
    expect((await countOf(it)).value).toBe(3);
    expect(it.lanes.at(-1)).toBe('compat');
    await post('/admin/take-back', { all: true, limit: 100, who: 'test', why: 'test' });
    expect((await countOf(it)).value).toBe(4);
    expect(it.lanes.at(-1)).toBe('legacy');
    // The URL is gone: the page goes on where the server says, and the handle names the same state.
    await deploy({ LEGACY_ROUTE_STAGE: 'gone' });
    await until(async () => (await fetch(`${stage.url}/legacy/mcp`)).status === 410);
    const last = await countOf(it, { handle: first.handle });
    expect(last.value).toBe(5);
    expect([it.lanes.at(-1), await it.run('tools.era'), await it.run('tools.status')]).toEqual([
      'modern',
      'modern',
      'registered',
    ]);
    expect([it.told, await it.run('tools.problems')]).toEqual([[], []]);
    await deploy({});
  });

  it('begins a new session when its own has ended, and keeps the state of a signed-in user', async ({ expect }) => {
    await deploy({});
    await using it = await open();
    await it.run(registering('/own', `{ token: 'ann' }`));
    expect(await it.agent.call('whoami')).toEqual({ status: 'Completed', output: 'ann -' });
    // The same user ends it from elsewhere.
    expect(it.sessions).toHaveLength(1);
    const headers = { Authorization: 'Bearer ann', 'Mcp-Session-Id': it.sessions.join() };
    expect((await fetch(`${stage.url}/own`, { method: 'DELETE', headers })).status).toBe(204);
    expect(await it.agent.call('whoami')).toEqual({ status: 'Completed', output: 'ann -' });
    expect(it.sessions).toHaveLength(2);
    expect(it.told).toEqual([]);
  });

  it('goes on in the other era when its server leaves one', async ({ expect }) => {
    await deploy({ MCP_ROUTE_STAGE: 'stateless', AGENT_KEEPS_NO_STATE: 'on' });
    await using it = await open();
    await it.run(registering('/own'));
    expect(await it.run('tools.era')).toBe('modern');
    await deploy({});
    await until(async () => {
      expect(await it.agent.call('add', { a: 1, b: 2 })).toEqual({ status: 'Completed', output: 3 });
      return (await it.run('tools.era')) === 'legacy';
    });
    await deploy({ MCP_ROUTE_STAGE: 'stateless', AGENT_KEEPS_NO_STATE: 'on' });
    expect(await it.agent.call('add', { a: 2, b: 2 })).toEqual({ status: 'Completed', output: 4 });
    expect(it.told).toEqual([]);
  });

  it('fetches its token anew after a 401, once for all requests, and says so if that is refused too', async ({
    expect,
  }) => {
    await using it = await open();
    const token = `({ refused }) => { (globalThis.given ??= []).push(refused); return refused ? 'ann' : 'old'; }`;
    await it.run(registering('/mcp', `{ token: ${token} }`));
    expect(await it.run('[tools.status, tools.era]')).toEqual(['registered', 'modern']);
    expect(await it.agent.call('count')).toMatchObject({ status: 'Completed' });
    expect(it.requests.filter((one) => one === 'POST 401').length).toBe(it.requests.length / 2);
    expect(await it.run('given')).toContain(true);

    await using out = await open();
    await out.run(registering('/mcp', `{ token: 'old' }`));
    expect(await out.run('tools.status')).toBe('failed');
    expect(out.told).toEqual([
      `[webmcp] The MCP server at ${stage.url}/mcp wants a sign-in: give a "token" or "headers", and call refresh() once the user has signed in. It said: {"error":"invalid_token"}`,
    ]);
  });

  it('follows the list, has several servers, and keeps what it has when one is away', async ({ expect }) => {
    stage.odd.list('one', 'two');
    await using it = await open();
    await it.run(
      `globalThis.changes = []; ${registering(`${stage.odd.url}/changing`, `{ onChange: ({ tools }) => changes.push([...tools]) }`)}`,
    );
    await it.run(
      `import('/webmcp/tools.js').then(async (m) => { globalThis.second = await m.registerServerTools('/mcp', { prefix: 'b.' }); })`,
    );
    const theirs = (await stage.listed()).length;
    expect(it.agent.names()).toHaveLength(theirs + 2);
    stage.odd.list('two', 'three');
    await it.agent.until((names) => names.includes('three') && !names.includes('one'));
    expect(await it.agent.call('three')).toEqual({ status: 'Completed', output: 'called three' });
    await it.run('tools.dispose()');
    await it.agent.until((names) => names.every((name) => name.startsWith('b.')));
    expect(it.agent.names()).toHaveLength(theirs);
    expect(it.told).toEqual([]);
  });
});

describe('what goes wrong', () => {
  it('with a tool is told once, and the other tools are there', async ({ expect }) => {
    await using it = await open();
    const own = `document.modelContext.registerTool({ name: 'taken', description: 'Own.', execute: async () => 'mine' })`;
    const result = await it.run<{ problems: { kind: string; tool: string }[] }>(
      `${own}.then(() => ${registering(`${stage.odd.url}/odd`)})`,
    );
    expect(result).toMatchObject({
      status: 'registered',
      names: ['bare', 'first', 'last', 'markup', 'titled', 'weird-schema'],
    });
    expect(result.problems.map(({ kind, tool }) => [kind, tool.slice(0, 9)])).toEqual([
      ['tool-refused', 'has space'],
      ['tool-refused', 'a/b'],
      ['tool-refused', 'xxxxxxxxx'],
      ['tool-too-large', 'huge'],
      ['name-taken', 'taken'],
    ]);
    await it.run('tools.refresh()');
    expect(it.told).toHaveLength(5);
    expect(await it.agent.call('taken')).toEqual({ status: 'Completed', output: 'mine' });
    expect(it.agent.tools.get('markup')?.description).toBe('<img src=x onerror="alert(1)"> & <b>bold</b>');
    expect(it.agent.tools.get('bare')?.description).toBe('bare');
    expect(it.agent.tools.get('titled')?.description).toBe('A title');
    await it.run('tools.dispose()');
    await it.agent.until((names) => names.join() === 'taken');
    const renamed = await it.run(
      registering(`${stage.odd.url}/odd`, `{ prefix: (name) => 's.' + name.replace(/[^\\w.-]/g, '_').slice(0, 100) }`),
    );
    expect(renamed).toMatchObject({ problems: [{ kind: 'tool-too-large' }] });
    expect(await it.agent.call('s.a_b')).toEqual({ status: 'Completed', output: 'called a/b' });
  });

  it('does not with five hundred tools', async ({ expect }) => {
    await using it = await open();
    expect(
      await it.run(`${registering(`${stage.odd.url}/many`)}.then(({ names, problems }) => [names.length, problems])`),
    ).toEqual([500, []]);
    expect(await it.agent.call('tool-499')).toEqual({ status: 'Completed', output: 'called tool-499' });
    await it.run('tools.dispose()');
    await it.agent.until((names) => names.length === 0);
  });
});

describe('a browser', () => {
  it('with the older form has the tools too', async ({ expect }) => {
    await using plain = await launch({ webmcp: false });
    const polyfill = `window.__webMCPPolyfillOptions = { installTestingShim: true };${await readFile(OLDER_FORM, 'utf8')}`;
    await using it = await openPage(plain, { url: `${stage.url}/blank`, before: polyfill, native: false });
    expect(await it.run(`[typeof document.modelContext, typeof navigator.modelContext]`)).toEqual([
      'undefined',
      'object',
    ]);
    // The polyfill has no tuples, and says so.
    const problems = [{ kind: 'tool-refused', tool: 'shapes', message: expect.stringContaining('$.properties.pair') }];
    expect(await it.run(registering('/mcp', `{ prefix: 'x_' }`))).toMatchObject({ status: 'registered', problems });
    expect(await it.run(`navigator.modelContextTesting.listTools().length`)).toBe((await stage.listed()).length - 1);
    const called = await it.run<string>(`navigator.modelContextTesting.executeTool('x_echo', '{"text":"yy"}')`);
    expect(called).toContain('yy');
    await expect(it.run(`navigator.modelContextTesting.executeTool('x_refuse', '{}')`)).rejects.toThrow(
      'There is nothing here',
    );
    await it.run('tools.dispose()');
    expect(await it.run(`navigator.modelContextTesting.listTools().length`)).toBe(0);
    await withoutContext(expect, plain);
  });

  it('opens the page that the documents give to copy, as it is', async ({ expect }) => {
    const documents = await readFile(path.join(PROJECT_ROOT, 'docs/webmcp.md'), 'utf8');
    const [, html = ''] = /```html\n([^]*?)```/.exec(documents) ?? [];
    await using it = await open();
    await it.page.route('**/copied', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await it.page.goto(`${stage.url}/copied`);
    await it.page.getByText(/^registered: .*server_echo/).waitFor();
    expect(await it.agent.call('server_echo', { text: 'copied' })).toEqual({ status: 'Completed', output: 'copied' });
    expect(it.told).toEqual([]);
  });

  it('opens the page of the example under its policy, and calls a tool there', async ({ expect }) => {
    await deploy({});
    await using it = await openPage(stage.browser, { url: `${stage.url}/` });
    await it.page.getByRole('link', { name: 'the tools in this browser' }).click();
    const { length } = await stage.listed();
    await it.page.getByText(`${length} tools of the server are registered, read as a client of 2026-07-28.`).waitFor();
    expect(await it.page.locator('#tools tr').count()).toBe(length + 1);
    const called = async (tool: string, input: string): Promise<string> => {
      await it.page.selectOption('#name', tool);
      await it.page.fill('#input', input);
      await it.page.click('#call button');
      await it.page.locator('#output:not(:text-is("…"))').waitFor();
      return (await it.page.textContent('#output')) ?? '';
    };
    expect(await called('desk_shapes', '{"pair":[1,"z"]}')).toContain('"text": "zz"');
    expect(await called('page_set_colours', '{"scheme":"dark"}')).toContain('"scheme": "dark"');
    const answered = called('desk_ask', '{}');
    for (const value of ['N', undefined, '7']) {
      await it.page.locator('dialog[open]').waitFor();
      if (value !== undefined) await it.page.locator('dialog input').fill(value);
      await it.page.getByRole('button', { name: 'Answer' }).click();
    }
    expect(await answered).toBe('N accept red accept');
    expect(it.told).toEqual([]);
    const { headers } = await fetch(`${stage.url}/webmcp`);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/,
    );
  });
});

/** Nothing is asked of the server, and the console says once how to switch it on. */
async function withoutContext(expect: ExpectStatic, plain: Browser): Promise<void> {
  await using it = await openPage(plain, { url: `${stage.url}/webmcp`, native: false });
  await it.page.getByText('This browser has no model context. Open it in a Chromium that has WebMCP').waitFor();
  expect(await it.run(registering('/mcp'))).toEqual({ status: 'unsupported', names: [], problems: [] });
  expect(it.requests).toEqual([]);
  expect(it.told).toEqual([
    '[webmcp] This browser has no model context (document.modelContext), so no tools were registered. Open the page over https or on localhost, in a Chromium that has WebMCP: start it with --enable-features=WebMCP.',
  ]);
}
