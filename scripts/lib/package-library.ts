/**
 * Compiles the public entry points, and what they import, to JavaScript with declarations. Anything that cannot be written
 * into a declaration is an error here, which the type check of the sources, without output, does not see.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from './wrangler.ts';

const run = promisify(execFile);
const TSC = path.join(PROJECT_ROOT, 'node_modules/.bin/tsc');
const RUNTIME_TYPES = path.join(PROJECT_ROOT, 'dist/hybrid-mcp-runtime.d.ts');
/** In what `wrangler types` writes, the bindings of this repository's Worker stand before this line. */
const RUNTIME_BEGINS = '// Begin runtime types\n';

/** The entry points as `exports` of the repository's package.json names them: `./legacy` to `./src/legacy/index.ts`. */
export async function entryPoints(): Promise<ReadonlyMap<string, string>> {
  const { exports } = JSON.parse(await readFile(path.join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, string>>;
  };
  return new Map(Object.entries(exports).filter(([, file]) => file.endsWith('.ts')));
}

/**
 * Writes `lib` into a folder.
 * @returns The files of JavaScript, relative to the folder.
 */
export async function emitLibrary(folder: string): Promise<readonly string[]> {
  const lib = path.join(folder, 'lib');
  await writeRuntimeTypes();
  const project = path.join(PROJECT_ROOT, 'dist/tsconfig.entries.json');
  const entries = [...(await entryPoints()).values()].map((file) => path.join(PROJECT_ROOT, file));
  await writeFile(
    project,
    JSON.stringify({
      extends: '../tsconfig.package.json',
      compilerOptions: { outDir: lib },
      files: [RUNTIME_TYPES, ...entries],
    }),
  );
  try {
    await run(TSC, ['--project', project], { cwd: PROJECT_ROOT });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`The package cannot be compiled:\n${stdout}${stderr}`, { cause: error });
  } finally {
    await rm(project, { force: true });
  }
  const emitted = await readdir(lib, { recursive: true });
  for (const file of emitted.filter((name) => name.endsWith('.d.ts'))) await nameEmittedFiles(path.join(lib, file));
  return emitted.filter((name) => name.endsWith('.js')).map((name) => `lib/${name}`);
}

/** The runtime's types alone: a declaration that named this repository's own bindings would fail in any other project. */
async function writeRuntimeTypes(): Promise<void> {
  const written = await readFile(path.join(PROJECT_ROOT, 'worker-configuration.d.ts'), 'utf8').catch(() => '');
  const begins = written.indexOf(RUNTIME_BEGINS);
  if (begins === -1) throw new Error('The runtime types are not there: run "npm run types" first.');
  await mkdir(path.dirname(RUNTIME_TYPES), { recursive: true });
  await writeFile(
    RUNTIME_TYPES,
    `declare namespace Cloudflare {\n  interface Env {}\n  interface GlobalProps {}\n}\n${written.slice(begins)}`,
  );
}

/** The compiler writes the new extension into JavaScript, and the old one into declarations. */
async function nameEmittedFiles(declaration: string): Promise<void> {
  const text = await readFile(declaration, 'utf8');
  await writeFile(
    declaration,
    text.replaceAll(/(\bfrom |\bimport\(|\bimport )(['"])(\.\.?\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'),
  );
}
