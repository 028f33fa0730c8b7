/**
 * Makes the package `mcp-parity` what it is when it is published: one bundle of the program with everything in it, the
 * schemas of its files, and the licence. Runs before the package is packed.
 */
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { PROJECT_ROOT } from './lib/wrangler.ts';

const PACKAGE = path.join(PROJECT_ROOT, 'packages/mcp-parity');
/** Some libraries are CommonJS, and a module has no `require` of its own. */
const REQUIRE = "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);";

await build({
  entryPoints: [path.join(PROJECT_ROOT, 'cli/parity/main.ts')],
  outfile: path.join(PACKAGE, 'dist/mcp-parity.mjs'),
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
  banner: { js: REQUIRE },
});
await cp(path.join(PROJECT_ROOT, 'cli/parity/schema'), path.join(PACKAGE, 'schema'), { recursive: true });
await cp(path.join(PROJECT_ROOT, 'LICENSE'), path.join(PACKAGE, 'LICENSE'));
