/**
 * `npm run bench:webmcp`: the size of what a page loads, and this module beside the adapter of the agents package: the same
 * page, the same server, the same browser. Writes both tables into docs/webmcp.md.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundleWebmcp } from '../scripts/lib/webmcp-bundle.ts';
import { startDevServer } from '../scripts/lib/dev-server.ts';
import { PROJECT_ROOT } from '../scripts/lib/wrangler.ts';
import { launch } from '../test/e2e/support/chromium.ts';
import { openPage, type OpenPage } from '../test/e2e/support/webmcp-page.ts';

const PAGE = path.join(PROJECT_ROOT, 'docs/webmcp.md');
const MADE = /(<!-- made by: npm run bench:webmcp -->\n)[^]*?(<!-- \/made -->)/;
const TARGET_BYTES = 35 * 1024;
const OLDER_FORM = createRequire(import.meta.url)
  .resolve('@mcp-b/webmcp-polyfill')
  .replace(/[^/]+$/, 'index.iife.js');
/** So that the adapter finds what it looks for in a browser of today. */
const ALIAS = `Object.defineProperty(navigator, 'modelContext', { value: document.modelContext });`;

interface Adapter {
  readonly name: 'ours' | 'agents';
  /** An expression that registers the tools of a URL. */
  readonly register: (url: string, more?: string) => string;
}
const OURS: Adapter = {
  name: 'ours',
  register: (url, more = '') =>
    `import('/webmcp/tools.js').then(async (m) => { globalThis.tools = await m.registerServerTools('${url}', { ${more} }); })`,
};
const AGENTS: Adapter = {
  name: 'agents',
  register: (url, more = '') =>
    `import('/agents.js').then(async (m) => { globalThis.tools = await m.registerWebMcp({ url: '${url}', ${more} }); })`,
};

async function bundleAgents(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: PROJECT_ROOT,
    stdin: { contents: `export { registerWebMcp } from 'agents/experimental/webmcp';`, resolveDir: PROJECT_ROOT },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

const zipped = (text: string): number => gzipSync(text, { level: 9 }).length;
const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** One row of the comparison: what is looked at, on which page, and what was seen, in words. */
interface Look {
  readonly what: string;
  readonly before?: string;
  readonly native?: boolean;
  readonly see: (it: OpenPage, adapter: Adapter) => Promise<string>;
}

const said = (value: unknown): string => `\`${JSON.stringify(value).replaceAll('|', '\\|').slice(0, 150)}\``;
const failure = (error: unknown): string => (error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'failed');

const called =
  (tool: string, input: object = {}, more: Partial<Record<Adapter['name'], string>> = {}, url = '/mcp') =>
  async (it: OpenPage, adapter: Adapter): Promise<string> => {
    await it.run(adapter.register(url, more[adapter.name]));
    const { status, output, error } = await it.agent.call(tool, input);
    return status === 'Completed' ? said(output) : `${status}: ${said(error?.split('\n    at ')[0])}`;
  };

const USER = `ask: async ({ message }) => ({ action: 'accept', content: message === 'Your name?' ? { name: 'N' } : message === 'A colour?' ? { colour: 'red' } : { count: 3 } })`;

function looks(url: string, polyfill: string): readonly Look[] {
  const aliased = { before: ALIAS };
  return [
    {
      what: 'tools registered in Chromium 156 with its own `document.modelContext`',
      see: async (it, adapter) => {
        await it.run(adapter.register('/mcp'));
        return String(it.agent.names().length);
      },
    },
    {
      what: 'tools registered in the older form, by a polyfill without tuples, which refuses one of them',
      before: polyfill,
      native: false,
      see: async (it, adapter) => {
        await it.run(adapter.register('/mcp'));
        return it.run<string>(`navigator.modelContextTesting.listTools().length.toString()`);
      },
    },
    {
      what: 'protocol that the server at `/mcp` is asked in',
      ...aliased,
      see: async (it, adapter) => {
        await it.run(adapter.register('/mcp'));
        return it.lanes.includes('modern') ? '2026-07-28' : '2025-11-25';
      },
    },
    {
      what: 'title and hints of `count`',
      ...aliased,
      see: async (it, adapter) => {
        await it.run(adapter.register('/mcp'));
        return said(
          await it.run(
            `document.modelContext.getTools().then((all) => all.filter(({ name }) => name === 'count').map(({ title, annotations }) => ({ title, ...annotations }))[0])`,
          ),
        );
      },
    },
    { what: 'structured content of `shapes`', ...aliased, see: called('shapes', { pair: [1, 'x'] }) },
    {
      what: 'kinds of blocks of `blocks` that arrive',
      ...aliased,
      see: async (it, adapter) => {
        await it.run(adapter.register('/mcp'));
        const { output } = await it.agent.call('blocks');
        const { content = [] } = output as { content?: { type: string }[] };
        return content.length === 0 ? `one text: ${said(output)}` : content.map(({ type }) => type).join(', ');
      },
    },
    { what: 'the error of `refuse`', ...aliased, see: called('refuse') },
    { what: 'a tool that asks its user', ...aliased, see: called('ask', {}, { ours: USER }, '/legacy/mcp') },
    {
      what: 'a token that has run out, and a function that gives a new one',
      ...aliased,
      see: async (it, adapter) => {
        const more =
          adapter === OURS
            ? `token: ({ refused }) => refused ? 'ann' : 'old'`
            : `quiet: true, getHeaders: () => ({ Authorization: 'Bearer ' + (globalThis.asked ? 'ann' : (globalThis.asked = true, 'old')) })`;
        await it.run(adapter.register('/mcp', more));
        return `${it.agent.names().length} tools`;
      },
    },
    {
      what: 'the next call after the session has ended',
      ...aliased,
      see: async (it, adapter) => {
        await it.run(adapter.register('/legacy/mcp'));
        const headers = { 'Mcp-Session-Id': it.sessions.join() };
        await (await fetch(`${url}/legacy/mcp`, { method: 'DELETE', headers })).body?.cancel();
        const { status, output, error } = await it.agent.call('echo', { text: 'on' });
        return status === 'Completed' ? said(output) : `${status}: ${said(error?.split('\n    at ')[0])}`;
      },
    },
    {
      what: 'sessions of the server that are left after `dispose()`',
      ...aliased,
      see: async (it, adapter) => {
        await it.run(adapter.register('/legacy/mcp'));
        await it.run('tools.dispose()');
        const headers = { 'Mcp-Session-Id': it.sessions.join(), Accept: 'text/event-stream' };
        const { status, body } = await fetch(`${url}/legacy/mcp`, { headers });
        await body?.cancel();
        return status === 200 ? '1' : '0';
      },
    },
  ];
}

const [{ module, client }, agents, polyfill] = await Promise.all([
  bundleWebmcp(),
  bundleAgents(),
  readFile(OLDER_FORM, 'utf8'),
]);
const [whole, theirs] = [zipped(module) + zipped(client), zipped(agents)];
const sizes = tableOf(
  ['gzipped', 'bytes', ''],
  [
    ['module, loaded by every page', String(zipped(module)), kilobytes(zipped(module))],
    ["SDK v2's client, loaded if the browser has a model context", String(zipped(client)), kilobytes(zipped(client))],
    ['both', String(whole), `${kilobytes(whole)}: ${kilobytes(whole - TARGET_BYTES)} above 35 KB`],
    ['adapter of agents 0.32.0, with SDK v1’s client', String(theirs), kilobytes(theirs)],
  ],
);

await using server = await startDevServer({ config: 'test/webmcp/wrangler.toml', vars: { LOG_LEVEL: 'error' } });
await using native = await launch();
await using plain = await launch({ webmcp: false });
const shim = `window.__webMCPPolyfillOptions = { installTestingShim: true };${polyfill}`;
const rows: string[][] = [];
for (const { what, before, native: isNative = true, see } of looks(server.url, shim)) {
  const row = [what];
  for (const adapter of [OURS, AGENTS]) {
    await using it = await openPage(isNative ? native : plain, {
      url: `${server.url}/blank`,
      native: isNative,
      ...(before !== undefined && { before }),
    });
    await it.page.route('**/agents.js', (route) => route.fulfill({ contentType: 'text/javascript', body: agents }));
    row.push(await see(it, adapter).catch((error: unknown) => `fails: ${failure(error)}`));
  }
  rows.push(row);
}
const table = tableOf(
  ['on the same page and server', '`hybrid-mcp/webmcp`', '`agents/experimental/webmcp` 0.32.0'],
  rows,
);
console.log(`${sizes}\n\n${table}`);
const made = `${sizes}

SDK v2's client is larger than 35 KB by itself, with any bundler: most of it is its schemas. So the module is offered without it: a page
in a browser without a model context never loads the client, and a page that has the client gives it as \`client\`.

## Beside the adapter of the agents package

From the second row on that page has its \`document.modelContext\` under the older name too, so that the adapter finds one.

${table}
`;
await writeFile(
  PAGE,
  (await readFile(PAGE, 'utf8')).replace(MADE, (_all, begin: string, end: string) => `${begin}${made}${end}`),
);
