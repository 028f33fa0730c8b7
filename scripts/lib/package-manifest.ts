/**
 * The package.json that is published, made from the repository's and from what the emitted files import. A package that is
 * imported and has no place below is an error, so that nothing ships without a decision.
 */
import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { entryPoints } from './package-library.ts';
import { COMMAND } from './package-command.ts';
import { PROJECT_ROOT } from './wrangler.ts';

/**
 * What an application and this package must have in one copy: they hand each other its classes. `agents` pins both SDKs
 * itself; its own versions are those that the legacy lane was tried with.
 */
const PEERS: Readonly<Record<string, string>> = {
  agents: await triedAgents(),
  '@modelcontextprotocol/server': '^2.4.0',
  '@modelcontextprotocol/sdk': '^1.32.2',
  // Of pages that bundle `hybrid-mcp/webmcp`; what a Worker serves to pages holds it already.
  '@modelcontextprotocol/client': '^2.4.0',
  // Schemas of tools say what they are as JSON Schema from this version on.
  zod: '^4.2.0',
  // The command reads and writes flags with it.
  wrangler: '^4.100.0',
};
/** `hybrid-mcp/legacy` and `hybrid-mcp/agent` alone need SDK v1, a schema library is anybody's choice, wrangler a tool. */
const OPTIONAL: ReadonlySet<string> = new Set([
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/client',
  'zod',
  'wrangler',
]);
/** Other versions of these work as well in an application that has them already. */
const DEPENDENCIES: ReadonlySet<string> = new Set([
  '@cloudflare/flagship',
  '@openfeature/server-sdk',
  '@standard-schema/spec',
  'jose',
  'microdiff',
  'valibot',
  // Of `hybrid-mcp/port/zod3` alone; SDK v1 reads Zod 3 with it, so that both list the same.
  'zod-to-json-schema',
]);
/** What a dependency wants beside itself, and does not bring. */
const BESIDE: Readonly<Record<string, readonly string[]>> = { '@openfeature/server-sdk': ['@openfeature/core'] };

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

export async function publishedManifest(folder: string, modules: readonly string[]): Promise<object> {
  const { name, version, description, license, engines, dependencies } = JSON.parse(
    await readFile(path.join(PROJECT_ROOT, 'package.json'), 'utf8'),
  ) as Manifest;
  const imported = await importedPackages(folder, modules);
  const homeless = imported.filter((each) => !(each in PEERS) && !DEPENDENCIES.has(each));
  if (homeless.length > 0) {
    throw new Error(
      `${homeless.join(', ')}: imported by the package. Say in ${import.meta.filename} what it is to a user.`,
    );
  }
  const idle = [...DEPENDENCIES].filter((each) => !imported.includes(each));
  if (idle.length > 0)
    throw new Error(`${idle.join(', ')}: no longer imported. Take it out of ${import.meta.filename}.`);
  const shipped = [...DEPENDENCIES].flatMap((each) => [each, ...(BESIDE[each] ?? [])]);
  return {
    name,
    version,
    description,
    keywords: ['mcp', 'model-context-protocol', 'cloudflare-workers', 'durable-objects', 'migration'],
    license,
    type: 'module',
    // Classes of Durable Objects are made when the Worker starts; nothing happens when a module is only imported.
    sideEffects: false,
    bin: { [name]: `bin/${COMMAND}` },
    files: ['bin', 'lib', 'docs', 'CHANGELOG.md', 'SECURITY.md'],
    exports: await publishedExports(),
    engines,
    dependencies: Object.fromEntries(shipped.toSorted().map((each) => [each, `^${dependencies[each]}`])),
    peerDependencies: PEERS,
    peerDependenciesMeta: Object.fromEntries([...OPTIONAL].map((each) => [each, { optional: true }])),
  };
}

async function triedAgents(): Promise<string> {
  const rows = JSON.parse(await readFile(path.join(PROJECT_ROOT, 'src/legacy/agents-versions.json'), 'utf8')) as {
    readonly agents: string;
    readonly works: boolean;
  }[];
  const tried = rows.filter(({ works }) => works).map(({ agents }) => agents);
  if (tried.length === 0) throw new Error('src/legacy/agents-versions.json has no version that works');
  return tried.join(' || ');
}

async function publishedExports(): Promise<object> {
  const entries = [...(await entryPoints())].map(([entry, source]) => {
    const emitted = source.replace('./src/', './lib/').replace(/\.ts$/, '');
    return [entry, { types: `${emitted}.d.ts`, default: `${emitted}.js` }] as const;
  });
  return { ...Object.fromEntries(entries), './package.json': './package.json' };
}

/** Of the modules as the bundler reads them, and of their declarations. */
async function importedPackages(folder: string, modules: readonly string[]): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [...modules],
    outdir: folder,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  const ofModules = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const declarations = await Promise.all(
    modules.map((module) => readFile(path.join(folder, module.replace(/\.js$/, '.d.ts')), 'utf8')),
  );
  const ofDeclarations = declarations.flatMap((text) =>
    [...text.matchAll(/^(?:import|export)\b[^;'"]* from ['"]([^'"]+)['"];$|\bimport\(['"]([^'"]+)['"]\)/gm)].map(
      ([, imported, inType]) => imported ?? inType ?? '',
    ),
  );
  const names = [...ofModules, ...ofDeclarations]
    .filter((specifier) => !/^(?:\.|cloudflare:|node:)/.test(specifier) && !builtinModules.includes(specifier))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
  return [...new Set(names)].toSorted();
}
