/** What takes longer about the tools of a server in a browser; webmcp.test.ts has the rest. `npm run prove:webmcp` runs both. */
import { describe, it } from 'vitest';
import { startOddServer } from './support/odd-server.ts';
import { registering } from './support/webmcp-page.ts';
import { webmcpStage } from './support/webmcp-stage.ts';

const stage = webmcpStage();
const { open, deploy } = stage;

describe('the tools of a catalogue', () => {
  it('may have their errors as values, for an agent that is not told why a call was rejected', async ({ expect }) => {
    await using it = await open();
    await it.run(registering('/mcp', `{ errors: 'value' }`));
    expect(await it.agent.call('refuse')).toEqual({
      status: 'Completed',
      output: { error: 'There is nothing here. Try the tool "valibot".' },
    });
  });

  it('keep their time while the user is asked', async ({ expect }) => {
    await using it = await open();
    const slow = `async ({ message }) => {
      await new Promise((resolve) => setTimeout(resolve, message === 'Your name?' ? 600 : 0));
      return { action: 'decline' };
    }`;
    await it.run(registering('/mcp', `{ timeoutMs: 500, ask: ${slow} }`));
    expect(await it.agent.call('ask')).toEqual({ status: 'Completed', output: 'no: decline, decline' });
    expect(await it.agent.call('wait', { ms: 5_000 })).toEqual({
      status: 'Error',
      error: expect.stringContaining('did not answer in time'),
    });
  });
});

describe('an open page', () => {
  it('serves a class of one’s own, in its sessions and hosted, to the user who is signed in', async ({ expect }) => {
    await deploy({});
    await using legacy = await open();
    await legacy.run(registering('/own', `{ headers: async () => ({ Authorization: 'Bearer bob' }) }`));
    expect(await legacy.agent.call('increment', { by: 2 })).toMatchObject({
      output: { structuredContent: { counter: 2 } },
    });
    expect(await legacy.agent.call('fail')).toEqual({ status: 'Error', error: 'ToolError: It went wrong' });

    await deploy({ MCP_ROUTE_STAGE: 'stateless' });
    await using modern = await open();
    const asking = `async ({ schema }) => ({ action: 'accept', content: 'n' in schema.properties ? { n: 4 } : { ok: true } })`;
    const registered = await modern.run(registering('/own', `{ token: () => 'eve', ask: ${asking} }`));
    expect(registered).toMatchObject({ status: 'registered', era: 'modern' });
    expect(await modern.agent.call('whoami')).toEqual({ status: 'Completed', output: 'eve -' });
    expect(await modern.agent.call('book')).toMatchObject({
      status: 'Completed',
      output: expect.stringContaining('counter 4, ok true'),
    });
    expect(await legacy.agent.call('increment', { by: 1 })).toMatchObject({
      output: { structuredContent: { counter: 3 } },
    });
    await deploy({});
  });

  it('whose page has the client already loads no other', async ({ expect }) => {
    await using it = await open();
    const loaded: string[] = [];
    it.page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    // Another address for the same file stands for the copy that the page has.
    await it.run(registering('/mcp', `{ client: () => import('/webmcp/client.js?own') }`));
    expect(loaded.filter((path) => path.startsWith('/webmcp'))).toEqual(['/webmcp/tools.js', '/webmcp/client.js']);
    expect(await it.agent.call('echo', { text: 'own' })).toEqual({ status: 'Completed', output: 'own' });
    const missing = registering('/mcp', `{ client: () => import('/nowhere.js'), prefix: 'b.' }`);
    expect(await it.run(missing)).toMatchObject({ status: 'failed', problems: [{ kind: 'no-client' }] });
  });
});

/** What a server may answer, the status of the handle, and how often it is asked before it is left alone. */
const WRONG = [
  [
    '401',
    'failed',
    'wants a sign-in: give a "token" or "headers", and call refresh() once the user has signed in. It said: It is 401',
  ],
  ['403', 'failed', 'refuses this page or this user (403). It said: It is 403'],
  ['410', 'failed', 'has left this URL (410). It said: It is 410'],
  ['429', 'waiting', 'is asked too often (429). It is tried again by itself. It said: It is 429'],
  ['500', 'waiting', 'has failed. It is tried again by itself. It said: It is 500'],
  ['slow', 'waiting', 'did not answer in time. It is tried again by itself.'],
  ['html', 'failed', 'did not answer as an MCP server does: look at the URL.'],
  [
    'no-cors',
    'waiting',
    'cannot be reached: it is away, or it does not allow this page to call it (CORS). It is tried again by itself.',
  ],
] as const;

describe('what goes wrong', () => {
  it.for(WRONG)(
    'with a server that answers %s is told once, and the other tools stay',
    async ([path, status, words], { expect }) => {
      await using it = await open();
      const own = `document.modelContext.registerTool({ name: 'own', description: 'Own.', execute: async () => 1 })`;
      const result = await it.run(
        `${own}.then(() => ${registering(`${stage.odd.url}/${path}`, '{ timeoutMs: 700 }')})`,
      );
      const message = `The MCP server at ${stage.odd.url}/${path} ${words}`;
      expect(result).toMatchObject({ status, names: [], problems: [{ message }] });
      await it.run('tools.refresh()');
      expect(it.told).toEqual([`[webmcp] ${message}`]);
      expect(it.agent.names()).toEqual(['own']);
      expect(await it.agent.call('own')).toEqual({ status: 'Completed', output: 1 });
      await it.run('tools.dispose()');
    },
  );

  it('with a port that nobody listens on is told once, and is over when somebody does', async ({ expect }) => {
    const before = await startOddServer();
    const { url } = before;
    await before[Symbol.asyncDispose]();
    await using it = await open();
    expect(await it.run(registering(`${url}/many`))).toMatchObject({
      status: 'waiting',
      names: [],
      problems: [{ kind: 'unreachable' }],
    });
    await it.run('tools.refresh()');
    expect(it.told).toHaveLength(1);
    await using odd = await startOddServer(Number(new URL(url).port));
    expect(odd.url).toBe(url);
    await it.agent.until((names) => names.length === 500);
    expect(await it.agent.call('tool-0')).toEqual({ status: 'Completed', output: 'called tool-0' });
  });

  it('with a server that was away is over when it is back', async ({ expect }) => {
    stage.odd.flaky = 503;
    await using it = await open();
    expect(await it.run(registering(`${stage.odd.url}/flaky`))).toMatchObject({ status: 'waiting' });
    stage.odd.flaky = 200;
    await it.agent.until((names) => names.includes('one'));
    expect(await it.agent.call('one')).toEqual({ status: 'Completed', output: 'called one' });
    stage.odd.flaky = 503;
    expect(await it.agent.call('one')).toMatchObject({ status: 'Error', error: expect.stringContaining('has failed') });
    expect(it.agent.names()).toEqual(['one']);
    expect(it.told).toHaveLength(1);
  });

  it('with an option is refused with its remedy', async ({ expect }) => {
    await using it = await open();
    const wrong = `import('/webmcp/tools.js').then((m) => m.registerServerTools('ftp://x', { header: {}, ask: 1, timeoutMs: 0 }))`;
    await expect(it.run(wrong)).rejects.toThrow(
      'registerServerTools: the URL "ftp://x" cannot be used: give the http or https URL of an MCP server, or a path; there is no option "header"',
    );
  });
});
