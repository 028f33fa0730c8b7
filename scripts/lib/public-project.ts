/**
 * Adopts this package for somebody else's project in a scratch copy: dependencies of today, the one import, and a Worker
 * that can be served without an account. Nothing of the project is kept.
 */
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';

const run = promisify(execFile);
const LARGE = { maxBuffer: 2 ** 26 };

export interface PublicProject {
  readonly name: string;
  /** The scratch copy. */
  readonly folder: string;
  readonly className: string;
  readonly binding: string;
  /** True if the class keeps something between calls. */
  readonly keepsState: boolean;
  /** Lines of its sources that adopting it changes. */
  readonly changedLines: number;
  /** What its configuration or its dependencies had to say besides. */
  readonly besides: readonly string[];
}

/** How it is served: as it was, or with the import changed. */
export type Side = 'plain' | 'ours';

/** How a client reaches the class: as the project serves it, or with the properties of a sign-in that needs no account. */
export type Entry = 'its own' | 'the class';

export interface Prepare {
  readonly source: string;
  readonly scratch: string;
  /** The packed package. */
  readonly tarball: string;
  /** The versions that the package is for. */
  readonly versions: Readonly<Record<string, string>>;
}

const IMPORT = /(import\s*\{[^}]*\bMcpAgent\b[^}]*\}\s*from\s*)(['"])agents\/mcp\2/;
const LOCKS = new Set(['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb']);
const LEFT_OUT = new Set(['node_modules', '.git', '.wrangler', 'dist']);
/** What only an account has. */
const NEEDS_ACCOUNT = new Set(['ai', 'browser', 'vectorize', 'services', 'route', 'routes', 'secrets', 'dev']);

type Json = Record<string, unknown>;

export async function prepare({ source, scratch, tarball, versions }: Prepare): Promise<PublicProject> {
  const name = path.basename(source);
  const folder = path.join(scratch, name);
  await rm(folder, { recursive: true, force: true });
  for (const side of ['plain', 'ours'] as const) {
    await cp(source, path.join(folder, side), {
      recursive: true,
      filter: (file) => !LEFT_OUT.has(path.basename(file)) && !LOCKS.has(path.basename(file)),
    });
  }
  const ours = path.join(folder, 'ours');
  const config = await configOf(ours);
  const sources = await sourcesOf(ours);
  const bound = bindingsOf(config).find(({ class_name: className }) =>
    sources.some(({ text }) => new RegExp(`class ${className} extends McpAgent`).test(text)),
  );
  const changed = sources.filter(({ text }) => IMPORT.test(text));
  if (changed.length === 0 || bound === undefined) throw new Error('There is no McpAgent that is bound');
  for (const { file, text } of changed) await writeFile(file, text.replace(IMPORT, '$1$2hybrid-mcp/agent$2'));
  const besides = await install(folder, { tarball, versions });
  return {
    name,
    folder,
    className: bound.class_name,
    binding: bound.name,
    keepsState: sources.some(({ text }) => /this\.(?:setState\(|sql`)/.test(text)),
    changedLines: changed.length,
    besides: [...besides, ...(flagsOf(config).includes('nodejs_compat') ? [] : ['the flag nodejs_compat'])],
  };
}

/** Writes the configuration of one way to serve a project. @returns The configuration's path. */
export async function arrange(project: PublicProject, side: Side, entry: Entry): Promise<string> {
  const { className, binding } = project;
  const folder = path.join(project.folder, side);
  const config = await configOf(folder);
  const main = `./${String(config['main']).replace(/^\.\//, '')}`;
  await writeFile(path.join(folder, SIGNED_IN), entrySource(main, className, binding));
  const kept = Object.fromEntries(Object.entries(config).filter(([key]) => !NEEDS_ACCOUNT.has(key)));
  const file = path.join(folder, `wrangler.${entry === 'its own' ? 'own' : 'class'}.json`);
  const stores = (config['kv_namespaces'] as Json[] | undefined) ?? [];
  const served = {
    ...kept,
    main: entry === 'its own' ? main : SIGNED_IN,
    compatibility_flags: [...new Set([...flagsOf(config), 'nodejs_compat'])],
    kv_namespaces: stores.map((store) => ({ ...store, id: 'local' })),
  };
  await writeFile(file, JSON.stringify(served));
  return file;
}

const SIGNED_IN = 'sign-in-entry.ts';

/** Calls the class as a sign-in in front of it does; the sign-in itself needs an account. */
const entrySource = (main: string, className: string, binding: string): string => `
export * from ${JSON.stringify(main)};
import { ${className} as Served } from ${JSON.stringify(main)};
export default {
  fetch(request: Request, env: any, ctx: any) {
    ctx.props = JSON.parse(env.SIGN_IN_PROPS);
    return (Served as any).serve('/mcp', { binding: ${JSON.stringify(binding)} }).fetch(request, env, ctx);
  },
};
`;

async function configOf(folder: string): Promise<Json> {
  for (const file of ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml']) {
    const text = await readFile(path.join(folder, file), 'utf8').catch(() => undefined);
    if (text !== undefined) return (file.endsWith('toml') ? parseToml(text) : parseJsonc(text)) as Json;
  }
  throw new Error(`${folder} has no Wrangler configuration`);
}

const flagsOf = (config: Json): readonly string[] => (config['compatibility_flags'] as string[] | undefined) ?? [];

function bindingsOf(config: Json): readonly { readonly name: string; readonly class_name: string }[] {
  const objects = config['durable_objects'] as { bindings?: { name: string; class_name: string }[] } | undefined;
  return objects?.bindings ?? [];
}

async function sourcesOf(folder: string): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'),
  );
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return { file, text: await readFile(file, 'utf8') };
    }),
  );
}

/** What only develops; wrangler is this project's own. */
const TOOLS =
  /^(?:wrangler|typescript|vite|vitest|prettier|tailwindcss|ox.*|knip|eslint.*|@biomejs\/.*|@types\/.*|@vitest\/.*|@vitejs\/.*|@tailwindcss\/.*|@cloudflare\/(?:workers-types|vite-plugin|vitest.*))$/;

/** @returns What else had to change. */
async function install(
  folder: string,
  { tarball, versions }: Pick<Prepare, 'tarball' | 'versions'>,
): Promise<readonly string[]> {
  const manifest = JSON.parse(await readFile(path.join(folder, 'ours', 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  };
  const { dependencies: own = {}, devDependencies: development = {} } = manifest;
  const bundledToo = Object.entries(development).filter(([name]) => !TOOLS.test(name));
  const dependencies = { ...Object.fromEntries(bundledToo), ...own, ...versions, 'hybrid-mcp': `file:${tarball}` };
  // Both sides find what is installed above them.
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  const flags = ['--force', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  await run('npm', ['install', ...flags], { cwd: folder, ...LARGE, timeout: 240_000 });
  const changed = ['agents', 'zod'].flatMap((name) => {
    const [before, now] = [own[name], versions[name]];
    return before === undefined || now === undefined || before === now ? [] : [`${name} ${before} → ${now}`];
  });
  // What agents asks for is Zod 4; schemas of Zod 3 work all the same, and npm wants to be told.
  return own['zod']?.startsWith('^3') === true ? [...changed, '`npm install --force` beside Zod 3'] : changed;
}
