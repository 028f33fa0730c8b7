/** Tokens checked by published keys: a real issuer over HTTP, its keys changed under way, and what others could send. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { callerOf, subjectIn } from '../../../src/shared/caller.ts';
import { accessTokens, jwtTokens, signIn, type SignInOptions, type TokenOwner } from '../../../src/sign-in/index.ts';

const RESOURCE = 'https://mcp.example.com/mcp';
let server: Server;
let issuer = '';
let fetched = 0;
let key: CryptoKey;
let strange: CryptoKey;
beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  strange = (await generateKeyPair('ES256')).privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
  server = createServer((request, response) => {
    fetched += 1;
    if (request.url === '/down') response.writeHead(502).end('<h1>down</h1>');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

interface Written {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly by?: CryptoKey;
  readonly ends?: string;
  readonly from?: string;
}
const written = ({ claims = {}, header = {}, by = key, ends = '5m', from = issuer }: Written = {}): Promise<string> =>
  new SignJWT({ sub: 'ann', aud: RESOURCE, scope: 'read write', client_id: 'editor', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt', ...header })
    .setIssuer(from)
    .setIssuedAt()
    .setExpirationTime(ends)
    .sign(by);
const QUESTION = { env: {}, resources: ['https://mcp.example.com', RESOURCE] };

describe('tokens of an outside authorization server', () => {
  it('name their caller, scopes, client and end, and give their claims as properties', async ({ expect }) => {
    const check = jwtTokens({ issuer, keys: `${issuer}/keys` });
    const owner = (await check(await written(), QUESTION)) as TokenOwner;
    expect(owner).toEqual({
      subject: 'ann',
      scopes: ['read', 'write'],
      clientId: 'editor',
      audience: RESOURCE,
      expiresAt: expect.closeTo(Date.now() / 1000 + 300, -1) as number,
      props: expect.objectContaining({ iss: issuer, sub: 'ann', scope: 'read write' }) as object,
    });
    expect(owner.props?.['exp']).toBe(owner.expiresAt);
  });

  it('have no claim that takes the place of what is read of them', async ({ expect }) => {
    const claims = { subject: 'eve', clientId: 'other', scopes: ['admin'] };
    const callerBy = async (tokens: SignInOptions['tokens'], header: string): Promise<unknown> => {
      const request = new Request(RESOURCE, { headers: { [header]: await written({ claims }) } });
      const admission = await signIn({ tokens, resources: [RESOURCE] }).admit(request, new URL(RESOURCE), {});
      const { subject, clientId, scopes } = callerOf(admission.kind === 'admitted' ? admission.props : undefined, {
        subjectOf: subjectIn('subject'),
      });
      return { subject, clientId, scopes };
    };
    const bearer = { header: 'x-token', check: jwtTokens({ issuer, keys: `${issuer}/keys` }) };
    expect(await callerBy(bearer, 'x-token')).toEqual({
      subject: 'ann',
      clientId: 'editor',
      scopes: ['read', 'write'],
    });
    const access = accessTokens({ teamDomain: issuer, audience: RESOURCE });
    expect(await callerBy(access, access.header)).toMatchObject({ subject: 'ann' });
  });

  it('name the caller and the audience as their issuer does', async ({ expect }) => {
    const check = jwtTokens({ issuer, keys: `${issuer}/keys`, audience: 'api://desk', subject: 'oid' });
    const claims = { aud: 'api://desk', oid: 'id-of-ann', scp: ['read'], scope: undefined, client_id: undefined };
    expect(await check(await written({ claims: { ...claims, azp: 'editor' } }), QUESTION)).toMatchObject({
      subject: 'id-of-ann',
      scopes: ['read'],
      clientId: 'editor',
    });
    expect(await check(await written(), QUESTION)).toBeUndefined();
  });

  it('are checked with one fetch of the keys', async ({ expect }) => {
    const check = jwtTokens({ issuer, keys: `${issuer}/keys` });
    const before = fetched;
    for (let asked = 0; asked < 3; asked += 1) expect(await check(await written(), QUESTION)).toBeDefined();
    expect(fetched - before).toBe(1);
  });

  it.for([
    [
      'by another key',
      {
        get by() {
          return strange;
        },
      },
    ],
    ['of another issuer', { from: 'https://elsewhere.example' }],
    ['for another resource', { claims: { aud: 'https://elsewhere.example/mcp' } }],
    ['for nobody', { claims: { aud: undefined } }],
    ['that has expired', { ends: '-5m' }],
    ['that begins later', { claims: { nbf: Date.now() / 1000 + 600 } }],
    ['of no caller', { claims: { sub: '' } }],
    ['whose caller is no text', { claims: { sub: 7 } }],
    ['that only says who has signed in', { header: { typ: 'id_token+jwt' } }],
    ['that is for logging out', { header: { typ: 'logout+jwt' } }],
    ['with a key that is not published', { header: { kid: 'two' } }],
  ] satisfies [string, Written][])('are not good if they are: %s', async ([, one], { expect }) => {
    const check = jwtTokens({ issuer, keys: `${issuer}/keys` });
    expect(await check(await written(one), QUESTION)).toBeUndefined();
  });

  it('are not good without a signature, without an end, or with anything else in their place', async ({ expect }) => {
    const check = jwtTokens({ issuer, keys: `${issuer}/keys` });
    const claims = { sub: 'ann', aud: RESOURCE, iss: issuer };
    const unsigned = new UnsecuredJWT(claims).setExpirationTime('5m').encode();
    const endless = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(key);
    for (const token of [unsigned, endless, 'no.token.at-all', 'x', `${await written()}x`]) {
      expect(await check(token, QUESTION)).toBeUndefined();
    }
  });

  it('cannot be checked while the keys cannot be had, which is not their fault', async ({ expect }) => {
    for (const keys of [`${issuer}/down`, 'http://127.0.0.1:9/keys']) {
      await expect(jwtTokens({ issuer, keys })(await written(), QUESTION)).rejects.toThrow(
        'The published keys could not be fetched',
      );
    }
  });
});

describe('assertions of Cloudflare Access', () => {
  it('come in their own header, and name a user by id or a service by name', async ({ expect }) => {
    const { header, check } = accessTokens({ teamDomain: issuer, audience: 'the tag' });
    expect(header).toBe('Cf-Access-Jwt-Assertion');
    const user = { aud: ['the tag'], email: 'ann@example.com' };
    expect(await check(await written({ claims: user, header: { typ: 'JWT' } }), QUESTION)).toMatchObject({
      subject: 'ann',
      props: { email: 'ann@example.com' },
    });
    const service = { aud: ['the tag'], sub: '', common_name: 'a-service.access' };
    expect(await check(await written({ claims: service }), QUESTION)).toMatchObject({ subject: 'a-service.access' });
    expect(await check(await written({ claims: { aud: ['another tag'] } }), QUESTION)).toBeUndefined();
  });
});
