#!/usr/bin/env node
/**
 * Starts `mcp-parity`. A published package carries one bundle, because Node strips no types below node_modules; in the
 * project itself the sources run, on the Node that the project brings where the caller's is too old to strip types.
 * Either runs in a process of its own, because how much memory Node lets young objects take can only be said at its start.
 */
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-argument, typescript/no-unsafe-return -- plain JavaScript, since the Node that starts it may strip no types, so no types are known here */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * Every call makes garbage that dies at once; with the defaults of Node it may fill 100 MB before it is swept, and what
 * outlives that some more before the whole heap is.
 */
const MEMORY = ['--max-semi-space-size=2', '--heap-growing-percent=15'];

const fileAt = (path) => fileURLToPath(new URL(path, import.meta.url));
const source = fileAt('../../cli/parity/main.ts');
const ownNode = fileAt('../../node_modules/.bin/node');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const stripsTypes = major > 22 || (major === 22 && minor >= 18);
// Installed, two folders up is the project of whoever installed it.
const fromSource = !import.meta.url.includes('/node_modules/') && existsSync(source);
const node = fromSource && !stripsTypes && existsSync(ownNode) ? ownNode : process.execPath;
const program = fromSource ? source : fileAt('./dist/mcp-parity.mjs');

const child = spawn(node, [...MEMORY, program, ...process.argv.slice(2)], { stdio: 'inherit' });
// A terminal sends these to both; who sends them to this process alone means the other one.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
child.once('exit', (code) => {
  process.exitCode = code ?? 2;
});
