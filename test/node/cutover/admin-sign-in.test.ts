/** Who is let in to the operator's API, and what everybody else is told. */
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT, type GenerateKeyPairResult } from 'jose';
import { beforeAll, describe, it } from 'vitest';
import type { SignInEnv } from '../../../src/cutover/admin/sign-in.ts';
import { adminWorld, TOKEN, type World } from './admin-support.ts';

const ACCESS = { ACCESS_TEAM_DOMAIN: 'team.cloudflareaccess.com', ACCESS_AUD: 'the-audience' } as const;
const ISSUER = 'https://team.cloudflareaccess.com';
const NOTHING = { error: { code: 'not_found', message: 'Not found' } };

describe('the admin token', () => {
  it('lets in', async ({ expect }) => {
    expect((await adminWorld().call('/status')).status).toBe(200);
  });

  it.for([
    ['another of the same length', `Bearer ${TOKEN.replace('a-', 'b-')}`],
    ['one that it begins with', `Bearer ${TOKEN.slice(0, -1)}`],
    ['one that begins with it', `Bearer ${TOKEN}x`],
    ['none', 'Bearer '],
    ['another scheme', `Basic ${TOKEN}`],
  ])('is not %s', async ([, authorization = ''], { expect }) => {
    const world = adminWorld();
    const { status, body, headers } = await world.call('/brake', {
      body: { on: true, who: 'eve', why: 'because' },
      headers: { authorization },
    });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer realm="admin"');
    expect(body.error.code).toBe('not_signed_in');
    expect(body.error.remedy).toContain('ADMIN_TOKEN');
    expect(JSON.stringify(body)).not.toContain(TOKEN);
    expect(world.log).toEqual([]);
  });

  it('counts as absent below 32 characters, and the log says so once', async ({ expect }) => {
    const short = 'x'.repeat(31);
    const world = adminWorld({ ADMIN_TOKEN: short });
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await world.call('/status', { headers: { authorization: `Bearer ${short}` } });
      expect({ status, body }).toEqual({ status: 404, body: NOTHING });
    }
    expect(world.reports.map(({ cause }) => String(cause))).toEqual([
      'ConfigurationProblems: The variable ADMIN_TOKEN must have at least 32 characters.',
    ]);
  });
});

describe('without a sign-in in the configuration', () => {
  it.for(['/status', '/brake', '/nothing', ''])('there is nothing at /admin%s', async (path, { expect }) => {
    const world = adminWorld({});
    const { status, body } = await world.call(path, { body: { on: true, who: 'eve', why: 'because' } });
    expect({ status, body, log: world.log }).toEqual({ status: 404, body: NOTHING, log: [] });
  });
});

describe('pages', () => {
  it('are refused, with the right token too', async ({ expect }) => {
    const { status, body } = await adminWorld().call('/status', { headers: { origin: 'https://worker.example' } });
    expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'browser_not_allowed' });
  });
});

describe('Cloudflare Access', () => {
  let keys: GenerateKeyPairResult;
  let next: GenerateKeyPairResult;
  let others: GenerateKeyPairResult;
  beforeAll(async () => {
    keys = await generateKeyPair('RS256');
    next = await generateKeyPair('RS256');
    others = await generateKeyPair('RS256');
  });

  /** Two keys, as a team has them while Access changes from one to the next. */
  async function guarded(vars: SignInEnv = ACCESS): Promise<World & { asked: string[] }> {
    const jwks = createLocalJWKSet({
      keys: [
        { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'RS256' },
        { ...(await exportJWK(next.publicKey)), kid: 'next', alg: 'RS256' },
      ],
    });
    const asked: string[] = [];
    const world = adminWorld(vars);
    Object.assign(world.options, {
      accessKeys: (url: URL) => {
        asked.push(url.href);
        return jwks;
      },
    });
    return Object.assign(world, { asked });
  }

  interface Deviation {
    readonly iss?: string;
    readonly aud?: string;
    readonly exp?: string | number;
    readonly claims?: Record<string, unknown>;
    readonly key?: CryptoKey;
    readonly header?: { readonly kid?: string; readonly typ?: string };
  }
  const assertion = ({
    iss = ISSUER,
    aud = ACCESS.ACCESS_AUD,
    exp = '5m',
    claims,
    key,
    header = { kid: 'k' },
  }: Deviation = {}) =>
    new SignJWT(claims ?? { email: 'jane@example.com', sub: 'u-1' })
      .setProtectedHeader({ alg: 'RS256', ...header })
      .setIssuer(iss)
      .setAudience(aud)
      .setIssuedAt()
      .setExpirationTime(exp)
      .sign(key ?? keys.privateKey);
  const brake = (jwt: string) => ({
    body: { on: true, who: 'somebody else', why: 'errors' },
    headers: { 'cf-access-jwt-assertion': jwt, authorization: '' },
  });

  it('lets in, and names who it was in the log whatever they say', async ({ expect }) => {
    const world = await guarded();
    expect((await world.call('/brake', brake(await assertion()))).status).toBe(200);
    expect(world.log.map(({ who }) => who)).toEqual(['jane@example.com']);
    expect(world.asked).toEqual(['https://team.cloudflareaccess.com/cdn-cgi/access/certs']);
  });

  it('names a service token by its name', async ({ expect }) => {
    const world = await guarded();
    await world.call('/brake', brake(await assertion({ claims: { common_name: 'ci.access', sub: '' } })));
    expect(world.log.map(({ who }) => who)).toEqual(['ci.access']);
  });

  it.for<[string, () => Deviation]>([
    ['another team', () => ({ iss: 'https://other.cloudflareaccess.com' })],
    ['another application', () => ({ aud: 'another' })],
    ['the past', () => ({ exp: Math.floor(Date.now() / 1000) - 60 })],
    ['another key', () => ({ key: others.privateKey })],
    ['nobody', () => ({ claims: {} })],
  ])('refuses an assertion of %s', async ([, deviation], { expect }) => {
    const world = await guarded();
    const { status, body } = await world.call('/brake', brake(await assertion(deviation())));
    expect({ status, code: body.error.code, log: world.log, reports: world.reports }).toEqual({
      status: 401,
      code: 'not_signed_in',
      log: [],
      reports: [],
    });
  });

  /** Each is what anybody can send, so none may say that the keys are away, or write a line into the log. */
  const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = (header: unknown, payload: unknown = { email: 'eve@example.com' }, signature = 'AA'): string =>
    `${base64url(header)}.${base64url(payload)}.${signature}`;
  it.for<[string, () => string | Promise<string>]>([
    ['without a key id', () => assertion({ header: {} })],
    ['with a key id that nobody has', () => assertion({ header: { kid: 'another' } })],
    ['with a key id that is no text', () => forged({ alg: 'RS256', kid: 7 })],
    ['without an algorithm', () => forged({ kid: 'k' })],
    ['with the algorithm "none"', () => forged({ alg: 'none', kid: 'k' }, {}, '')],
    ['with a symmetric algorithm', () => forged({ alg: 'HS256', kid: 'k' })],
    ['with an algorithm of another kind of key', () => forged({ alg: 'ES256', kid: 'k' })],
    ['of another type', () => assertion({ header: { kid: 'k', typ: 'at+jwt' } })],
    ['with an extension that must be understood', () => forged({ alg: 'RS256', kid: 'k', crit: ['x'], x: 1 })],
    ['with a payload that is not encoded', () => forged({ alg: 'RS256', kid: 'k', crit: ['b64'], b64: false })],
    ['whose header is a list', () => forged([])],
    ['whose header is null', () => forged(null)],
    ['whose payload is no object', async () => (await assertion()).replace(/\..*\./, `.${base64url('text')}.`)],
    ['whose signature was cut', async () => (await assertion()).slice(0, -8)],
    ['whose expiry is a text', () => assertion({ claims: { email: 'a@b', exp: 'never' }, exp: '5m' }).then(withoutExp)],
    ['encrypted', () => `${base64url({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: 'k' })}.a.b.c.d`],
    ['with no dot', () => 'x'],
    ['with two parts', async () => (await assertion()).split('.').slice(0, 2).join('.')],
    ['with four parts', async () => `${await assertion()}.a`],
    ['of three letters', () => 'a.b.c'],
    ['of nothing', () => ''],
    ['of dots', () => '..'],
    ['longer than any', () => assertion({ claims: { email: 'jane@example.com', groups: 'g'.repeat(20_000) } })],
    ['that names a control character', () => assertion({ claims: { email: '\u0007' } })],
  ])('refuses an assertion %s', async ([, malformed], { expect }) => {
    const world = await guarded();
    const { status, body } = await world.call('/brake', brake(await malformed()));
    expect({ status, code: body.error.code, log: world.log, reports: world.reports }).toEqual({
      status: 401,
      code: 'not_signed_in',
      log: [],
      reports: [],
    });
  });

  const withoutExp = (jwt: string): string => {
    const [header = '', , signature = ''] = jwt.split('.');
    return `${header}.${base64url({ iss: ISSUER, aud: ACCESS.ACCESS_AUD, exp: 'never', email: 'a@b' })}.${signature}`;
  };

  it('who it was is one line in the log, whatever the claim has in it', async ({ expect }) => {
    const world = await guarded();
    const email = `jane\u001B[2J\n\u202E@example.com${'x'.repeat(300)}`;
    expect((await world.call('/brake', brake(await assertion({ claims: { email } })))).status).toBe(200);
    expect(world.log.map(({ who }) => who)).toEqual([`jane[2J@example.com${'x'.repeat(181)}`]);
  });

  it('says that the keys could not be fetched, and lets nobody in', async ({ expect }) => {
    const world = await guarded();
    Object.assign(world.options, { accessKeys: () => () => Promise.reject(new Error('no network')) });
    const { status, body } = await world.call('/brake', brake(await assertion()));
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'sign_in_unavailable' });
    expect(world.reports).toHaveLength(1);
    expect(world.log).toEqual([]);
  });

  it.for([
    { ACCESS_TEAM_DOMAIN: 'team.cloudflareaccess.com' },
    { ACCESS_AUD: 'the-audience' },
    { ACCESS_TEAM_DOMAIN: 'http://team.cloudflareaccess.com', ACCESS_AUD: 'the-audience' },
  ])('is absent while %o is all there is of it', async (vars, { expect }) => {
    const world = await guarded(vars);
    expect((await world.call('/status', { headers: { 'cf-access-jwt-assertion': await assertion() } })).status).toBe(
      404,
    );
    expect(world.reports.map(({ cause }) => String(cause))).toEqual([
      expect.stringMatching(/^ConfigurationProblems: The variable ACCESS_(AUD|TEAM_DOMAIN) must be /),
    ]);
  });

  it('stands beside the token', async ({ expect }) => {
    const world = await guarded({ ...ACCESS, ADMIN_TOKEN: TOKEN });
    expect((await world.call('/status')).status).toBe(200);
    expect((await world.call('/status', brakeless(await assertion()))).status).toBe(200);
  });
  const brakeless = (jwt: string) => ({ headers: { 'cf-access-jwt-assertion': jwt, authorization: '' } });
});
