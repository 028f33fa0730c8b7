/** The files that a Worker serves to browsers are those that the sources make. */
import { gzipSync } from 'node:zlib';
import { describe, it } from 'vitest';
import { bundleWebmcp } from '../../../scripts/lib/webmcp-bundle.ts';
import { CLIENT_FILE, MODULE_FILE } from '../../../src/webmcp-files/files.ts';

const kilobytes = (text: string): number => gzipSync(text, { level: 9 }).length / 1024;

describe('the files of the module for pages', () => {
  it('are as "npm run build:webmcp" makes them', async ({ expect }) => {
    const { module, client } = await bundleWebmcp();
    expect(module === MODULE_FILE, 'run "npm run build:webmcp"').toBe(true);
    expect(client === CLIENT_FILE, 'run "npm run build:webmcp"').toBe(true);
  });

  it('are small where a page has no use for the client, or has one', ({ expect }) => {
    expect(kilobytes(MODULE_FILE)).toBeGreaterThan(1);
    expect(kilobytes(MODULE_FILE)).toBeLessThan(8);
    expect(MODULE_FILE).toContain('import("./client.js")');
  });
});
