/** The examples of docs/sign-in.md: the page shows the files as they are, and the files let in whom they should. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { door as access } from '../../../docs/examples/sign-in/access.ts';
import { doorOf } from '../../../docs/examples/sign-in/former-url.ts';
import { door as published } from '../../../docs/examples/sign-in/published-keys.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const EXAMPLES = 'docs/examples/sign-in';
const page = readFileSync(resolve(ROOT, 'docs/sign-in.md'), 'utf8');
const shown = [...readdirSync(resolve(ROOT, EXAMPLES)).map((file) => `${EXAMPLES}/${file}`), 'examples/sign-in/app.ts'];

/** Both issuers' keys are at one place here. */
let key: CryptoKey;
const asked: string[] = [];
beforeEach(async () => {
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' }];
  asked.length = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
    asked.push(String(url));
    return Response.json({ keys });
  });
});
afterEach(() => void vi.restoreAllMocks());

const written = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).setExpirationTime('5m').sign(key);
const at = 'https://mcp.example.com/mcp';
const asks = (headers: Record<string, string>): Request => new Request(at, { method: 'POST', headers });

describe('docs/sign-in.md', () => {
  it('shows every example as it is', ({ expect }) => {
    expect(shown).toHaveLength(6);
    const missing = shown.filter(
      (file) => !page.includes(`\`\`\`ts\n// ${file}\n${readFileSync(resolve(ROOT, file), 'utf8')}\`\`\``),
    );
    expect(missing).toEqual([]);
    expect(page.match(/```ts/g)?.length).toBe(shown.length);
  });

  it('published keys let in whom the issuer has given a token with the scope', async ({ expect }) => {
    const claims = { iss: 'https://login.example.com', aud: 'https://mcp.example.com', sub: 'ann' };
    const bearer = async (more: object) => asks({ authorization: `Bearer ${await written({ ...claims, ...more })}` });
    expect(await published.admit(await bearer({ scope: 'orders:read' }), new URL(at), {})).toMatchObject({
      kind: 'admitted',
      props: { subject: 'ann', scopes: ['orders:read'] },
    });
    expect(asked).toEqual(['https://login.example.com/.well-known/jwks.json']);
    expect(await published.admit(await bearer({ scope: 'x' }), new URL(at), {})).toMatchObject({
      kind: 'refused',
      refusal: { status: 403 },
    });
  });

  it('Access lets in whom it has let through', async ({ expect }) => {
    const assertion = await written({
      iss: 'https://team.cloudflareaccess.com',
      aud: ['the audience tag of the application'],
      sub: 'id-of-ann',
      email: 'ann@example.com',
    });
    expect(await access.admit(asks({ 'cf-access-jwt-assertion': assertion }), new URL(at), {})).toMatchObject({
      kind: 'admitted',
      props: { subject: 'id-of-ann', email: 'ann@example.com' },
    });
    expect(asked).toEqual(['https://team.cloudflareaccess.com/cdn-cgi/access/certs']);
    expect(await access.admit(asks({}), new URL(at), {})).toMatchObject({ refusal: { status: 401 } });
  });

  it('a former URL’s tokens are good until the day', async ({ expect }) => {
    const door = doorOf(() => ({ subject: 'ann', audience: 'https://old.example.com/mcp' }));
    const admitted = async (now: string): Promise<string> => {
      vi.useFakeTimers({ now: new Date(now) });
      const { kind } = await door.admit(asks({ authorization: 'Bearer x' }), new URL(at), {});
      vi.useRealTimers();
      return kind;
    };
    expect(await admitted('2027-02-28T23:59:59Z')).toBe('admitted');
    expect(await admitted('2027-03-01T00:00:00Z')).toBe('refused');
  });
});
