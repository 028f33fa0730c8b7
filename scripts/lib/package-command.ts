/** Bundles the command `hybrid-mcp` into one file, so that what it is made of is no dependency of anybody's Worker. */
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { PROJECT_ROOT } from './wrangler.ts';

export const COMMAND = 'hybrid-mcp.mjs';
/** Some libraries are CommonJS, and a module has no `require` of its own. */
const REQUIRE = "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);";

export async function bundleCommand(folder: string): Promise<void> {
  const outfile = path.join(folder, COMMAND);
  await build({
    absWorkingDir: PROJECT_ROOT,
    entryPoints: ['cli/cutover.ts'],
    outfile,
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    // Of a library in both formats the one that can be bundled.
    mainFields: ['module', 'main'],
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
    banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
  });
  await chmod(outfile, 0o755);
}
