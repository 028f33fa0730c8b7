/** The Worker as `wrangler dev` serves it. */
import { describe, it } from 'vitest';
import { startDevServer } from '../../scripts/lib/dev-server.ts';

describe('the local server', () => {
  it('serves both routes and stops', async ({ expect }) => {
    await using server = await startDevServer();
    const landing = await fetch(server.url);
    expect(await landing.text()).toContain(`${server.url}/legacy/mcp`);
    await server.stop();
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed');
  });
});
