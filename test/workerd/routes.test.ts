/** What answers where, on the shipped Worker. */
import { exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';

const ask = (path: string, init?: RequestInit): Promise<Response> =>
  exports.default.fetch(new Request(`http://localhost${path}`, init));

describe('routes', () => {
  it('the landing page names the URL and can load nothing from elsewhere', async ({ expect }) => {
    const response = await ask('/');
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).toContain('http://localhost/mcp');
  });

  it('the landing page names the legacy routes', async ({ expect }) => {
    const html = await (await ask('/')).text();
    expect(html).toContain('http://localhost/legacy/mcp');
    expect(html).toContain('http://localhost/legacy/sse');
  });

  it('/healthz answers in JSON', async ({ expect }) => {
    const response = await ask('/healthz');
    expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
  });

  it('anything else is 404 with a JSON-RPC error', async ({ expect }) => {
    const response = await ask('/nowhere');
    expect([response.status, await response.json()]).toEqual([
      404,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: 'Not found: /nowhere. This server answers at /mcp and /legacy/mcp' },
      },
    ]);
  });

  it.for([
    ['GET', '/mcp', 'POST, DELETE, OPTIONS'],
    ['PUT', '/mcp', 'GET, POST, DELETE, OPTIONS'],
    ['DELETE', '/mcp', 'POST, OPTIONS'],
    ['PUT', '/legacy/mcp', 'GET, POST, DELETE, OPTIONS'],
    ['POST', '/legacy/sse', 'GET, OPTIONS'],
    ['GET', '/legacy/sse/message', 'POST, OPTIONS'],
    ['POST', '/', 'GET, HEAD, OPTIONS'],
  ] as const)('%s %s is 405 and says what is allowed', async ([method, path, allow], { expect }) => {
    const response = await ask(path, { method });
    expect([response.status, response.headers.get('allow'), response.headers.get('content-type')]).toEqual([
      405,
      allow,
      'application/json',
    ]);
  });
});
