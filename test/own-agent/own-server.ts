/** A server of one's own, written as people write theirs: the same body for the plain class and for the wrapped one. */
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import type { McpAgent } from 'agents/mcp';
import { z } from 'zod';

export interface OwnState {
  counter: number;
}

export type OwnProps = Record<string, unknown> & { userId?: string; role?: string };

export function register(
  agent: McpAgent<Cloudflare.Env, OwnState, OwnProps> & { server: McpServer; runs: number },
): void {
  const { server } = agent;
  server.tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  server.registerTool(
    'increment',
    { description: 'Counts', inputSchema: { by: z.number().default(1) }, outputSchema: { counter: z.number() } },
    async ({ by }) => {
      agent.setState({ counter: agent.state.counter + by });
      void agent.sql`create table if not exists log (n integer)`;
      void agent.sql`insert into log values (${agent.state.counter})`;
      const [row] = agent.sql<{ c: number }>`select count(*) c from log`;
      const structuredContent = { counter: agent.state.counter };
      return { content: [{ type: 'text', text: `${agent.state.counter} in ${row?.c} rows` }], structuredContent };
    },
  );
  server.registerTool('strict', { inputSchema: z.strictObject({ a: z.number() }) }, async ({ a }) => ({
    content: [{ type: 'text', text: String(a) }],
  }));
  server.tool('whoami', async () => ({
    content: [{ type: 'text', text: `${agent.props?.userId ?? 'nobody'} ${agent.props?.role ?? '-'}` }],
  }));
  if (agent.props?.role === 'admin') {
    server.tool('secret', async () => ({ content: [{ type: 'text', text: `secret of ${agent.props?.userId}` }] }));
  }
  server.tool('fail', async () => {
    throw new Error('It went wrong');
  });
  server.tool('refuse', async () => ({ content: [{ type: 'text', text: 'No' }], isError: true }));
  server.tool('progress', async (extra) => {
    const progressToken = extra._meta?.progressToken ?? 0;
    for (const progress of [1, 2]) {
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 2 },
      });
    }
    await server.server.sendLoggingMessage({ level: 'warning', data: 'half way' });
    return { content: [{ type: 'text', text: 'done' }] };
  });
  server.tool('announce', 'Tells of changes, now and after its answer', async (extra) => {
    await server.server.sendLoggingMessage({ level: 'info', data: 'announcing' }, extra.sessionId);
    await server.server.sendToolListChanged();
    setTimeout(() => void server.server.sendPromptListChanged(), 20);
    return { content: [{ type: 'text', text: 'announced' }] };
  });
  server.tool('roots', 'Asks for the roots', async () => {
    const { roots } = await server.server.listRoots();
    return { content: [{ type: 'text', text: `${roots.length} roots` }] };
  });
  server.tool('perhaps', 'Asks for the roots, and goes on without them', async () => {
    const count = await server.server.listRoots().then(
      ({ roots }) => String(roots.length),
      () => 'no',
    );
    return { content: [{ type: 'text', text: `${count} roots` }] };
  });
  server.tool('book', 'Asks twice, then counts', async () => {
    agent.runs += 1;
    const many = await server.server.elicitInput({
      message: 'How many?',
      requestedSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    });
    const sure = await server.server.elicitInput({
      message: `Sure about ${String(many.content?.['n'])}?`,
      requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
    });
    agent.setState({ counter: agent.state.counter + Number(many.content?.['n'] ?? 0) });
    const text = `counter ${agent.state.counter}, ok ${String(sure.content?.['ok'])}, ran ${agent.runs} times`;
    return { content: [{ type: 'text', text }] };
  });
  server.tool('wait', async (extra) => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 20_000);
      extra.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        agent.setState({ counter: -1 });
        resolve();
      });
    });
    return { content: [{ type: 'text', text: 'waited' }] };
  });
  server.prompt(
    'greet',
    { name: completable(z.string(), (value) => ['ann', 'bob'].filter((one) => one.startsWith(value))) },
    ({ name }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }],
    }),
  );
  server.resource('readme', 'own://readme', async (uri) => ({ contents: [{ uri: uri.href, text: 'Read me' }] }));
  server.resource(
    'note',
    new ResourceTemplate('own://notes/{id}', { list: undefined, complete: { id: () => ['1', '2'] } }),
    async (uri, { id }) => ({ contents: [{ uri: uri.href, text: `Note ${String(id)}` }] }),
  );
}

/** The server as the class makes it. */
export const makeServer = (): McpServer =>
  new McpServer({ name: 'own', version: '1.0.0' }, { instructions: 'For tests.', capabilities: { logging: {} } });
