/** The project whose Worker a command is for: the nearest folder with a package.json, from where the command is called. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { CONFIGURATION_FILES } from '../../scripts/lib/wrangler-configuration.ts';

function nearest(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const above = path.dirname(folder);
  return above === folder ? process.cwd() : nearest(above);
}

export const PROJECT_ROOT = nearest(process.cwd());

function isThisRepository(): boolean {
  const file = path.join(PROJECT_ROOT, 'package.json');
  return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'hybrid-mcp';
}

/** How the commands are called there: by a script in this repository, by the package's name in a project that uses it. */
export const COMMANDS = isThisRepository()
  ? ({
      name: 'cutover',
      cutover: 'npm run cutover --',
      flags: 'npm run flags --',
      parity: 'npm run parity --',
      check: 'node scripts/check-migrations.ts && npm test',
    } as const)
  : ({
      name: 'hybrid-mcp',
      cutover: 'npx hybrid-mcp',
      flags: 'npx hybrid-mcp flags',
      parity: 'npx mcp-parity',
      check: 'npx wrangler deploy --dry-run && npm test',
    } as const);

/** Where wrangler keeps the state of a Worker on this machine, if it is not given another folder. */
export const DEFAULT_STORE = path.join(PROJECT_ROOT, '.wrangler/state');

/** The configuration that wrangler itself would take. */
export const DEFAULT_CONFIG =
  CONFIGURATION_FILES.find((file) => existsSync(path.join(PROJECT_ROOT, file))) ?? 'wrangler.toml';
