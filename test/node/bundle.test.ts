/** What ships is checked, not only what is written: the stateless half's bundle holds nothing of SDK v1. */
import { builtinModules } from 'node:module';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { describe, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

async function inputsOf(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2024',
    loader: { '.html': 'text' },
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*', ...builtinModules],
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}

const LEGACY = /^src\/legacy\/|node_modules\/@modelcontextprotocol\/sdk\/|node_modules\/agents\/dist\/mcp\/index\.js$/;

describe('bundles', () => {
  it('the stateless half holds no SDK v1 and no legacy code', async ({ expect }) => {
    const inputs = await inputsOf('src/stateless/half.ts');
    expect(inputs.some((file) => file.includes('node_modules/@modelcontextprotocol/server/'))).toBe(true);
    expect(inputs.filter((file) => LEGACY.test(file))).toEqual([]);
  });

  it('registrations hold no SDK at all, and Zod 3 only where it is asked for', async ({ expect }) => {
    const inputs = await inputsOf('src/port/index.ts');
    expect(inputs.some((file) => file.includes('node_modules/zod/'))).toBe(true);
    expect(
      inputs.filter((file) => /node_modules\/(@modelcontextprotocol|agents|zod\/v3|zod-to-json-schema)\//.test(file)),
    ).toEqual([]);
    const withThree = await inputsOf('src/port/zod3.ts');
    expect(withThree.some((file) => file.includes('node_modules/zod/v3/'))).toBe(true);
  });

  it('the same look does find the legacy half in the whole Worker', async ({ expect }) => {
    const inputs = await inputsOf('test/desk/worker.ts');
    expect(inputs.filter((file) => LEGACY.test(file)).length).toBeGreaterThan(5);
  });
});
