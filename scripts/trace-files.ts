/**
 * `npm run trace:files [-- <commit>]`: how many files of `src` a request enters. The Worker of the checkout, or of a
 * commit, is bundled with functions that tell their file, served in workerd, and asked: a 2026 `tools/call`, the call of a
 * legacy session, and the call of a session that was drained. Prints one line of JSON for each; `--list` adds the files.
 *
 * A file counts when one of its functions runs between the request and its answer, in the Worker or in its objects. Work
 * that is done once per isolate is done before, by a call of the same kind.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { callTool, openLane, type Lane, type LaneName } from 'hybrid-mcp/contract';
import { scratchInside, sourcesOf } from './lib/checkout.ts';
import { startDevServer, type DevServer } from './lib/dev-server.ts';
import { ENTERED, instrument } from './lib/trace-instrument.ts';

const TOKEN = 'trace-files-0123456789-0123456789';
const { method, params } = callTool('add', { a: 2, b: 3 });

/** Answers with the files that were entered since it was asked before. The bundle is the Worker as it is. */
const ENTRY = `
import worker from './bundle.mjs';
export * from './bundle.mjs';
export default {
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '/__entered') return worker.fetch(request, env, ctx);
    const entered = [...(globalThis.${ENTERED} ?? [])];
    globalThis.${ENTERED} = new Set();
    return Response.json(entered);
  },
};
`;

/** Own files are bundled and instrumented, packages are left to wrangler. The package's own name means its sources. */
const traced = (root: string, entries: Readonly<Record<string, string>>): Plugin => ({
  name: 'traced',
  setup(pending) {
    pending.onResolve({ filter: /^[^./]/ }, ({ path: name }) => {
      const entry = entries[name.replace(/^hybrid-mcp/, '.')];
      return entry === undefined || !name.startsWith('hybrid-mcp')
        ? { path: name, external: true }
        : { path: path.join(root, entry) };
    });
    pending.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const name = path.relative(root, file);
      const isOurs = name.startsWith('src/') && !name.startsWith('src/shared/desk/') && name !== 'src/worker.ts';
      return { contents: isOurs ? instrument(text, name) : text, loader: 'ts' };
    });
  },
});

async function serve(root: string, scratch: string): Promise<DevServer> {
  const toml = await readFile(path.join(root, 'wrangler.toml'), 'utf8');
  const main = /^main = "(.+)"$/m.exec(toml)?.[1];
  if (main === undefined) throw new Error(`${root}/wrangler.toml names no main module`);
  const { exports = {} } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    exports?: Record<string, string>;
  };
  const { metafile } = await build({
    // As Wrangler imports a page.
    loader: { '.html': 'text' },
    absWorkingDir: root,
    entryPoints: [main],
    outfile: path.join(scratch, 'bundle.mjs'),
    bundle: true,
    metafile: true,
    format: 'esm',
    target: 'es2024',
    logLevel: 'warning',
    plugins: [traced(root, exports)],
  });
  if (Object.keys(metafile.inputs).length < 50) throw new Error('The bundle has hardly a file of the sources');
  await writeFile(path.join(scratch, 'entry.mjs'), ENTRY);
  // Without flags, the variables say the stages, so that nothing of the local flag store is read.
  const config = toml.replace(/^main = .*$/m, 'main = "entry.mjs"').replace(/\[\[flagship\]\]\n(?:\w.*\n)+/, '');
  await writeFile(path.join(scratch, 'wrangler.toml'), config);
  return startDevServer({
    config: path.join(scratch, 'wrangler.toml'),
    vars: { ADMIN_TOKEN: TOKEN },
    startTimeoutMs: 60_000,
  });
}

async function entered(url: string): Promise<readonly string[]> {
  return ((await (await fetch(`${url}/__entered`)).json()) as string[]).toSorted();
}

/** The files that one call enters, after one of the same kind. */
async function callOn(lane: Lane, url: string): Promise<readonly string[]> {
  for (const isTraced of [false, true]) {
    await entered(url);
    const { answer } = await lane.request(method, { ...params });
    if (answer?.result?.['structuredContent'] === undefined)
      throw new Error(`${lane.name}: the call was answered with ${JSON.stringify(answer)}`);
    if (isTraced) return entered(url);
  }
  return [];
}

async function drain(url: string, session: string): Promise<void> {
  const response = await fetch(`${url}/admin/drain`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ session, who: 'trace-files', why: 'trace' }),
  });
  const text = await response.text();
  if (!response.ok || !/"(?:done|changed)":1\b/.test(text)) throw new Error(`drain: ${response.status} ${text}`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
});
await using scratch = await scratchInside('trace');
const root = await sourcesOf(positionals[0], scratch.path);
await using server = await serve(root, scratch.path);
const { url } = server;
const open = (name: LaneName): Promise<Lane> => openLane(name, { origin: url, send: fetch });
const show = (call: string, files: readonly string[]): void => {
  if (files.length === 0) throw new Error(`${call}: no file was entered, so nothing was traced`);
  console.log(JSON.stringify({ call, files: files.length, ...(values.list && { entered: files }) }));
};
show('2026 tools/call', await callOn(await open('modern'), url));
const legacy = await open('legacy');
show("a legacy session's tools/call", await callOn(legacy, url));
await drain(url, legacy.sessionId ?? '');
show("a drained session's tools/call", await callOn(legacy, url));
