/** Which hosts and origins the door lets pass. */
import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { readConfig } from '../../../src/router/config.ts';
import { checkHost, checkOrigin } from '../../../src/router/door/door.ts';

const usual = readConfig({}).config;
const reasonOf = (
  check: typeof checkHost,
  url: string,
  headers: Record<string, string>,
  lists: { allowedHosts: readonly string[]; allowedOrigins: readonly string[] } = usual,
): string | undefined => check(new URL(url), new Headers(headers), lists)?.reason;

describe('the Host header', () => {
  it.for([
    ['http://localhost/mcp', 'localhost'],
    ['http://127.0.0.1:8787/mcp', '127.0.0.1:8787'],
    ['http://[::1]:8787/mcp', '[::1]:8787'],
    ['https://hybrid.someone.workers.dev/mcp', 'hybrid.someone.workers.dev'],
  ])('%s with %s passes', ([url = '', host = ''], { expect }) => {
    expect(reasonOf(checkHost, url, { host })).toBeUndefined();
  });

  it.for([
    ['http://localhost/mcp', 'evil.example'],
    ['http://localhost/mcp', 'localhost.evil.example'],
    ['http://localhost/mcp', 'evil.example@localhost'],
    ['http://localhost/mcp', 'localhost/evil.example'],
    ['http://localhost/mcp', 'localhost, evil.example'],
    ['http://localhost/mcp', 'localhost:99999'],
    ['http://localhost/mcp', ''],
    ['https://workers.dev/mcp', 'workers.dev'],
    ['https://evil.example/mcp', 'localhost'],
  ])('%s with %s is refused', ([url = '', host = ''], { expect }) => {
    expect(reasonOf(checkHost, url, { host })).toBe('host_not_allowed');
  });

  it('is not needed, as requests through a binding have none', ({ expect }) => {
    expect(reasonOf(checkHost, 'http://localhost/mcp', {})).toBeUndefined();
    expect(reasonOf(checkHost, 'http://evil.example/mcp', {})).toBe('host_not_allowed');
  });

  it('can be any where ALLOWED_HOSTS is *', ({ expect }) => {
    const lists = readConfig({ ALLOWED_HOSTS: '*' }).config;
    expect(reasonOf(checkHost, 'http://evil.example/mcp', { host: 'evil.example' }, lists)).toBeUndefined();
  });
});

describe('the Origin header', () => {
  it.for([
    ['https://mcp.example.com/mcp', 'https://mcp.example.com'],
    ['http://127.0.0.1:8787/mcp', 'http://localhost:6274'],
    ['https://a.workers.dev/mcp', 'http://[::1]:3000'],
  ])('%s with %s passes', ([url = '', origin = ''], { expect }) => {
    expect(reasonOf(checkOrigin, url, { origin })).toBeUndefined();
  });

  it.for([
    ['http://localhost/mcp', 'https://evil.example'],
    ['http://localhost/mcp', 'null'],
    ['http://localhost/mcp', ''],
    ['http://localhost/mcp', 'http://localhost/'],
    ['http://localhost/mcp', 'http://localhost:80'],
    ['http://localhost/mcp', 'http://evil@localhost'],
    ['http://localhost/mcp', 'file://localhost'],
    ['http://localhost/mcp', 'http://localhost http://evil.example'],
    ['https://a.workers.dev/mcp', 'https://b.workers.dev'],
  ])('%s with %s is refused', ([url = '', origin = ''], { expect }) => {
    expect(reasonOf(checkOrigin, url, { origin })).toBe('origin_not_allowed');
  });

  it('is configured by variable, with a wildcard for labels', ({ expect }) => {
    const lists = readConfig({ ALLOWED_ORIGINS: ' App.Example.com , *.example.org' }).config;
    const of = (origin: string): string | undefined => reasonOf(checkOrigin, 'http://localhost/mcp', { origin }, lists);
    expect(of('https://app.example.com')).toBeUndefined();
    expect(of('https://a.b.example.org')).toBeUndefined();
    expect(of('https://example.org')).toBe('origin_not_allowed');
    expect(of('https://evilexample.org')).toBe('origin_not_allowed');
  });

  it('can be any where ALLOWED_ORIGINS is *, but must name one', ({ expect }) => {
    const lists = readConfig({ ALLOWED_ORIGINS: '*' }).config;
    const of = (origin: string): string | undefined => reasonOf(checkOrigin, 'http://localhost/mcp', { origin }, lists);
    expect(of('https://evil.example')).toBeUndefined();
    expect(of('null')).toBe('origin_not_allowed');
  });

  it('never passes for a host name outside the list', ({ expect }) => {
    fc.assert(
      fc.property(fc.webAuthority({ withPort: true }), (authority) => {
        const verdict = reasonOf(checkOrigin, 'http://localhost/mcp', { origin: `https://${authority}` });
        const hostname = new URL(`https://${authority}`).hostname;
        expect(verdict === undefined).toBe(
          ['localhost', '127.0.0.1', '[::1]'].includes(hostname) &&
            new URL(`https://${authority}`).origin === `https://${authority}`,
        );
      }),
    );
  });
});
