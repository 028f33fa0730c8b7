/** The packages as they are installed: one copy of each SDK, the versions that `agents` pins, one workerd. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(resolve(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
const lock = JSON.parse(readFileSync(resolve(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version?: string; dev?: boolean }>;
};
/** Every place where a package is installed for the Worker itself. */
const installed = (name: string): string[] =>
  Object.entries(lock.packages).flatMap(([path, { version = '', dev }]) =>
    path.endsWith(`node_modules/${name}`) && dev !== true ? [`${path} ${version}`] : [],
  );

const ours = manifest('.');
const agents = manifest('node_modules/agents');
const SDKS = ['@modelcontextprotocol/sdk', '@modelcontextprotocol/server', '@modelcontextprotocol/client'] as const;

describe('packages', () => {
  it.for(SDKS)('%s is the version that agents pins, and there is one copy', (name, { expect }) => {
    expect(agents.peerDependencies?.[name]).toMatch(/^\d+\.\d+\.\d+$/);
    expect(ours.dependencies?.[name]).toBe(agents.peerDependencies?.[name]);
    expect(installed(name)).toEqual([`node_modules/${name} ${agents.peerDependencies?.[name]}`]);
  });

  it('wrangler is the one that the tests run on', ({ expect }) => {
    const plugin = manifest('node_modules/@cloudflare/vitest-plugin');
    expect(ours.devDependencies?.['wrangler']).toBe(plugin.dependencies?.['wrangler']);
    expect(Object.keys(lock.packages).filter((path) => path.endsWith('node_modules/workerd'))).toEqual([
      'node_modules/workerd',
    ]);
  });

  it('there is one copy of Zod for the Worker', ({ expect }) => {
    expect(installed('zod')).toEqual([`node_modules/zod ${ours.dependencies?.['zod']}`]);
  });

  it('the Worker has the compatibility that the packages need', ({ expect }) => {
    expect(readFileSync(resolve(ROOT, 'wrangler.toml'), 'utf8')).toContain('compatibility_flags = ["nodejs_compat"]');
  });
});
