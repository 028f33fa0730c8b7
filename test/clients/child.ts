/**
 * The process of one client: `child.ts <client> <folder of its installation> <worker> <worker> …`, a worker for each route.
 * Prints a line of JSON for each route. Needs `--experimental-import-meta-resolve`, to import from that folder.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { CLIENTS, ROUTES } from './packages.ts';
import { tryOn } from './run.ts';

const [, , name, folder = '', ...workers] = process.argv;
const client = CLIENTS.find((each) => each.name === name);
if (client === undefined) throw new TypeError(`There is no client ${name}`);
const from = pathToFileURL(path.join(folder, 'from-here.js')).href;

async function load(specifier: string): Promise<unknown> {
  // A program and no library.
  if (specifier === 'mcp-remote') {
    const at = path.join(folder, 'node_modules', specifier);
    const { bin } = JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8')) as { bin: Record<string, string> };
    return { program: path.join(at, bin[specifier] ?? '') };
  }
  return import(import.meta.resolve(specifier, from));
}

/** What a client leaves unhandled after it was closed is not what is tried. */
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);

for (const [index, route] of ROUTES.entries()) {
  const worker = workers[index];
  if (worker === undefined || !client.transports.includes(route.transport)) continue;
  process.stdout.write(`\n@tried ${JSON.stringify(await tryOn({ client, route, worker, load, ends: true }))}\n`);
}
// What it leaves open is not waited for.
process.kill(process.pid, 'SIGTERM');
