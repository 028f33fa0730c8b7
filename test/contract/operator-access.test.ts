/** Cloudflare Access as the operator's sign-in inside workerd, with a team that gives its keys over the network. */
import { env } from 'cloudflare:workers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, describe, it, vi } from 'vitest';
import { createAdmin } from '../../src/cutover/admin/admin.ts';

const ISSUER = 'https://team.cloudflareaccess.com';
const ACCESS = { ACCESS_TEAM_DOMAIN: 'team.cloudflareaccess.com', ACCESS_AUD: 'the-audience' };

describe('Cloudflare Access', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('lets in whom the keys of the team vouch for, and asks for the keys once', async ({ expect }) => {
    const { publicKey, privateKey } = await generateKeyPair('RS256');
    const stranger = await generateKeyPair('RS256');
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }] };
    const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(keys));
    const admin = createAdmin({
      catalogue: { info: { name: 'fixture', title: 'Fixture', version: '1' } },
      paths: { legacy: '/legacy/mcp', sse: '/legacy/sse', mcp: '/mcp', admin: '/admin' },
      names: { operator: 'OPERATOR_OBJECT', legacy: 'LEGACY_AGENT', census: 'CENSUS_OBJECT', flags: 'FLAGS' },
      report: () => {},
      stages: () => ({ stageOf: async (route) => ({ stage: route === 'mcp' ? 'stateless' : 'gone', reason: 'flag' }) }),
      census: {
        read: () => Promise.reject(new Error('there is no census')),
        sessions: async () => [],
        setDrained: async () => {},
        findJunk: async () => ({ clients: [], calls: 0, at: 0 }),
        forgetJunk: async () => {},
        ended: async () => {},
      },
    });
    const statusFor = async (key: CryptoKey): Promise<number> => {
      const assertion = await new SignJWT({ email: 'jane@example.com' })
        .setProtectedHeader({ alg: 'RS256', kid: 'k' })
        .setIssuer(ISSUER)
        .setAudience(ACCESS.ACCESS_AUD)
        .setExpirationTime('5m')
        .sign(key);
      const headers = { 'Cf-Access-Jwt-Assertion': assertion };
      const request = new Request('http://localhost/admin/audit', { headers });
      return (await admin.fetch(request, { OPERATOR_OBJECT: env.OPERATOR_OBJECT, ...ACCESS }, { waitUntil: () => {} }))
        .status;
    };
    expect([await statusFor(privateKey), await statusFor(stranger.privateKey), await statusFor(privateKey)]).toEqual([
      200, 401, 200,
    ]);
    expect(fetched.mock.calls.map(([url]) => String(url instanceof Request ? url.url : url))).toEqual([
      'https://team.cloudflareaccess.com/cdn-cgi/access/certs',
    ]);
  });
});
