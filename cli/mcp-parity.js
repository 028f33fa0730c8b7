#!/usr/bin/env node
/**
 * Starts `mcp-parity`. A published package carries one bundle, because Node strips no types below node_modules; in the
 * project itself the sources run, on the Node that the project brings where the caller's is too old to strip types.
 */
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access -- plain JavaScript, since the Node that starts it may strip no types, so no types are known here */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const bundle = new URL('../dist/mcp-parity.mjs', import.meta.url);
const source = new URL('./parity/main.ts', import.meta.url);
const ownNode = new URL('../node_modules/.bin/node', import.meta.url);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const stripsTypes = major > 22 || (major === 22 && minor >= 18);

if (!existsSync(source)) {
  await import(bundle.href);
} else if (stripsTypes || !existsSync(ownNode)) {
  await import(source.href);
} else {
  const { status } = spawnSync(fileURLToPath(ownNode), [fileURLToPath(source), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 2;
}
