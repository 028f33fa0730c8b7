/**
 * The package as others get it: packed, put into a project outside of this repository, compiled, bundled, served, and its
 * contract run by that project's own tests. `npm run prove:package` does the same with everything installed from the
 * registry, on other versions of Node, and takes the longer looks as well.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { callTool, openLane } from 'hybrid-mcp/contract';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';
import { createProject, packTarball, type Project } from './support/project.ts';

const INSTALL = process.env['PACKAGE_INSTALL'] === 'registry' ? 'registry' : 'linked';
/** Another Node, of which the package promises that its types, definitions, contract and command work there. */
const OLD_NODE = process.env['PACKAGE_NODE'] ?? process.execPath;
const TSC = 'node_modules/typescript/bin/tsc';
const WRANGLER = 'node_modules/wrangler/bin/wrangler.js';
const GOOD = { code: 0, output: '' };

let project: Project;
let server: DevServer;

describe(`the packed package, ${INSTALL}`, { timeout: 120_000 }, () => {
  beforeAll(async () => {
    project = await createProject(await packTarball(), INSTALL);
    await project.node([WRANGLER, 'types']);
    server = await startDevServer({
      config: path.join(project.folder, 'wrangler.jsonc'),
      vars: { ADMIN_TOKEN: 'a-token-of-thirty-two-characters!' },
    });
  }, 240_000);

  afterAll(async () => {
    await server.stop();
    await project[Symbol.asyncDispose]();
  });

  it('has a manifest that every resolver reads alike', async ({ expect }) => {
    const { messages } = await publint({ pkgDir: path.join(PROJECT_ROOT, 'dist/hybrid-mcp'), pack: false });
    expect(messages).toEqual([]);
  });

  it('has the documents, and no link in them that leads nowhere', async ({ expect }) => {
    const own = path.join(project.folder, 'node_modules/hybrid-mcp');
    const pages = (await readdir(own, { recursive: true })).filter((file) => file.endsWith('.md'));
    expect(pages.length).toBeGreaterThan(15);
    const targets = await Promise.all(
      pages.map(async (page) =>
        [...(await readFile(path.join(own, page), 'utf8')).matchAll(/\]\((?!\w+:)([^)#\s]+)/g)].map(([, to = '']) =>
          path.join(path.dirname(page), to),
        ),
      ),
    );
    expect(targets.flat().length).toBeGreaterThan(40);
    expect(targets.flat().filter((target) => !existsSync(path.join(own, target)))).toEqual([]);
  });

  it('has types that a strict project accepts', async ({ expect }) => {
    expect(await project.node([TSC, '--project', '.'], {}, OLD_NODE)).toEqual(GOOD);
  });

  it('has types that are found as Node finds modules', async ({ expect }) => {
    const flags = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--skipLibCheck'];
    const files = ['--allowImportingTsExtensions', '--ignoreConfig', '--types', '', 'src/tools.ts'];
    expect(await project.node([TSC, ...flags, ...files], {}, OLD_NODE)).toEqual(GOOD);
  });

  it('types the options, so that a wrong one does not compile', async ({ expect }) => {
    const wrong = path.join(project.folder, 'src/wrong.ts');
    await writeFile(wrong, "import { createHybrid } from 'hybrid-mcp';\ncreateHybrid({ catalogue: 1 });\n");
    const { code, output } = await project.node([TSC, '--project', '.'], {}, OLD_NODE);
    await rm(wrong);
    expect({ code, output }).toEqual({
      code: expect.any(Number),
      output: expect.stringMatching(/^src\/wrong\.ts.*TS2322/),
    });
    expect(code).toBeGreaterThan(0);
  });

  it('is bundled by wrangler', async ({ expect }) => {
    const out = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-bundle-'));
    const { code, output } = await project.node([WRANGLER, 'deploy', '--dry-run', '--outdir', out]);
    await rm(out, { recursive: true });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('--dry-run: exiting now.') });
  });

  it.for(['legacy', 'compat', 'modern'] as const)('serves a call on %s', async (name, { expect }) => {
    const lane = await openLane(name, { origin: server.url, send: fetch });
    const { method, params } = callTool('add', { a: 2, b: 3 });
    const { answer } = await lane.request(method, { ...params });
    await lane.close();
    expect(answer?.result?.['content']).toEqual([{ type: 'text', text: '5' }]);
  });

  it("runs the contract in the project's vitest", async ({ expect }) => {
    const { code, output } = await project.node(['node_modules/vitest/vitest.mjs', 'run']);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/Tests\s+20 passed \(20\)/) });
  });

  it('runs the contract in any other runner, against a Worker that is served', async ({ expect }) => {
    const { code, output } = await project.node(['--test', 'lanes.mjs'], { WORKER_URL: server.url }, OLD_NODE);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/pass 20\n[^]*fail 0\n/) });
  });

  it('has definitions that need no platform', async ({ expect }) => {
    const text = `import { createCatalogue } from 'hybrid-mcp/define';
      try { createCatalogue({ info: {}, instructions: '', tools: [{}] }); } catch (error) { console.log(error.name); }`;
    expect(await project.node(['--input-type=module', '--eval', text], {}, OLD_NODE)).toEqual({
      code: 0,
      output: 'CatalogueError\n',
    });
  });

  it('has a command that works on the Worker of the project', async ({ expect }) => {
    const command = 'node_modules/hybrid-mcp/bin/hybrid-mcp.mjs';
    const env = { ADMIN_TOKEN: 'a-token-of-thirty-two-characters!' };
    const status = await project.node([command, 'status', '--url', server.url, '--json'], env, OLD_NODE);
    expect(JSON.parse(status.output)).toMatchObject({ exitCode: 0 });
    const help = await project.node([command, '--help'], env, OLD_NODE);
    expect(help).toEqual({ code: 0, output: expect.stringMatching(/^Usage: hybrid-mcp /) });
    const none = await project.node([command, 'status', '--url', server.url], { ADMIN_TOKEN: '' }, OLD_NODE);
    expect(none.code).toBe(2);
  });

  // oxlint-disable-next-line vitest/no-conditional-tests -- these take long, and belong to the whole proof
  if (INSTALL === 'registry') {
    it('has declarations without a fault of their own', async ({ expect }) => {
      // The declarations of other packages do have some: the look at them finds what there is to find.
      const { output } = await project.node([TSC, '--project', '.', '--skipLibCheck', 'false'], {}, OLD_NODE);
      const lines = output.split('\n');
      expect(lines.filter((line) => /^(src|test)\/|hybrid-mcp\//.test(line))).toEqual([]);
      expect(lines.some((line) => line.includes('node_modules/agents/'))).toBe(true);
    });

    it('serves a class of its own to both generations, with one import changed', async ({ expect }) => {
      await using own = await startDevServer({ config: path.join(project.folder, 'own-agent.jsonc') });
      const texts: unknown[] = [];
      for (const name of ['legacy', 'modern'] as const) {
        const lane = await openLane(name, { origin: own.url, send: fetch, paths: { legacy: '/mcp' } });
        const { method, params } = callTool('add', { a: 2, b: 3 });
        const { answer } = await lane.request(method, { ...params });
        await lane.close();
        texts.push(answer?.result?.['content']);
      }
      expect(texts).toEqual([[{ type: 'text', text: '5' }], [{ type: 'text', text: '5' }]]);
    });

    it('serves registrations as they are, without the class', async ({ expect }) => {
      await using registered = await startDevServer({ config: path.join(project.folder, 'registered.jsonc') });
      const texts: unknown[] = [];
      for (const name of ['compat', 'modern'] as const) {
        const lane = await openLane(name, { origin: registered.url, send: fetch });
        const { method, params } = callTool('add', { a: 2, b: 3 });
        const { answer } = await lane.request(method, { ...params });
        await lane.close();
        texts.push(answer?.result?.['content']);
      }
      expect(texts).toEqual([[{ type: 'text', text: '5' }], [{ type: 'text', text: '5' }]]);
    });
  }
});
