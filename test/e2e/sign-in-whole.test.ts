/**
 * The development mode of `examples/sign-in`, and the official suite's scenarios for authorization servers against it; the
 * flows themselves are in sign-in.test.ts. `npm run prove:sign-in` runs both.
 */
import { spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';
import { LANE_NAMES, openLane } from '../../src/contract/wire.ts';
import { Browser, locationOf } from './support/signed-in.ts';

const CONFORMANCE = path.join(PROJECT_ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const TOKEN = 'a-token-for-development-only';

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

let server: DevServer;
beforeAll(async () => {
  server = await startDevServer({ config: 'examples/sign-in/development/wrangler.jsonc' });
});
afterAll(() => server.stop());

describe('the development mode', () => {
  it.for(LANE_NAMES)('lets commands in by its token on %s', async (name, { expect }) => {
    const lane = await openLane(name, {
      origin: server.url,
      headers: { authorization: `Bearer ${TOKEN}` },
      send: fetch,
    });
    const { answer } = await lane.request('tools/call', { name: 'who-am-i', arguments: {} });
    expect(answer?.result?.['content']).toEqual([{ type: 'text', text: 'developer' }]);
    await lane.close();
  });

  it('answers nobody who asks for another host than this machine', async ({ expect }) => {
    // As a request to a deployed Worker would come: fetch sets this header itself.
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const { port } = new URL(server.url);
      const headers = { host: 'mcp.example.com', authorization: `Bearer ${TOKEN}` };
      const asked = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.once('error', reject).end();
    });
    expect(status).toBe(403);
  });
});

describe('the official suite', () => {
  it('finds an authorization server that gives codes and tokens', async ({ expect }) => {
    const port = await freePort();
    const registered = await fetch(`${server.url}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        token_endpoint_auth_method: 'none',
      }),
    });
    const { client_id: clientId } = await registered.json<{ client_id: string }>();
    const args = ['authorization', '--url', server.url, '--resource', server.url, '--client-id', clientId];
    const suite = spawn(process.execPath, [CONFORMANCE, ...args, '-p', String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    const asked = new Promise<URL>((resolve) => {
      suite.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        printed += chunk;
        const url = /^(http:\S+\/authorize\?\S+)$/m.exec(printed)?.[1];
        if (url !== undefined) resolve(new URL(url));
      });
    });
    const whole = text(suite.stdout);
    const browser = new Browser();
    const identity = await browser.consent(await asked);
    identity.searchParams.set('login', 'ann');
    const back = locationOf(await browser.visit(locationOf(await browser.visit(identity))));
    expect((await fetch(back)).status).toBe(200);
    expect(await whole).toContain('Total: 3 passed, 0 failed');
  });
});
