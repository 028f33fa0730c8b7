/**
 * `npm run pack:package`: makes the package `hybrid-mcp` as it is published, in `dist/hybrid-mcp`, and packs it.
 *
 * The sources are exported as they are in this repository. What is published is JavaScript with declarations: Node strips
 * no types below node_modules, and a consumer's compiler must not check our sources by its own rules.
 *
 *   --no-pack   only the folder, without the tarball
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { parseArgs, promisify } from 'node:util';
import { emitLibrary } from './lib/package-library.ts';
import { bundleCommand } from './lib/package-command.ts';
import { publishedManifest } from './lib/package-manifest.ts';
import { writePages } from './lib/package-pages.ts';
import { PROJECT_ROOT } from './lib/wrangler.ts';

const run = promisify(execFile);
const DIST = path.join(PROJECT_ROOT, 'dist');
const FOLDER = path.join(DIST, 'hybrid-mcp');

const { values } = parseArgs({ options: { pack: { type: 'boolean', default: true } }, allowNegative: true });

// What the platform's types are made from; its output is a page that nobody wants to read here.
if (!existsSync(path.join(PROJECT_ROOT, 'worker-configuration.d.ts'))) {
  await run(process.execPath, ['node_modules/wrangler/bin/wrangler.js', 'types'], { cwd: PROJECT_ROOT });
}
await rm(FOLDER, { recursive: true, force: true });
const modules = await emitLibrary(FOLDER);
await bundleCommand(path.join(FOLDER, 'bin'));
await writeFile(
  path.join(FOLDER, 'package.json'),
  `${JSON.stringify(await publishedManifest(FOLDER, modules), undefined, 2)}\n`,
);
await writePages(FOLDER);
if (values.pack) {
  const { stdout } = await run('npm', ['pack', FOLDER, '--pack-destination', DIST, '--silent'], { cwd: PROJECT_ROOT });
  process.stdout.write(`${path.join(DIST, stdout.trim())}\n`);
}
