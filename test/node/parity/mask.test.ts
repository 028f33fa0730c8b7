/** No secret that a run was given stands in what it tells, in whatever form a server gives it back. */
import { describe, it } from 'vitest';
import { secretsOf } from '../../../cli/parity/secrets.ts';
import type { Target } from '../../../cli/parity/targets/target.ts';
import { maskOf } from '../../../src/parity/mask.ts';

const SECRET = 'tok"en/with+forms=and more';
const target = (fields: Partial<Target>): Target => ({
  name: 'control',
  address: { kind: 'http', url: 'https://one.example/mcp' },
  era: 'auto',
  headers: {},
  ...fields,
});

describe('a mask', () => {
  it.for([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify({ env: SECRET })],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ env: 'sk-1234567890' }))],
    ['in a URL', `https://one.example/?q=${encodeURIComponent(SECRET)}`],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['cut', `it said: ${SECRET.slice(0, 9)}…`],
  ] as const)('hides a secret %s', ([, text], { expect }) => {
    const masked = maskOf([SECRET, 'sk-1234567890'])({ deep: [{ [text]: text }] });
    const said = JSON.stringify(masked);
    expect(said).toContain('<hidden>');
    for (const form of [SECRET.slice(0, 9), 'sk-1234', encodeURIComponent(SECRET).slice(0, 9), 'dG9rImVu'])
      expect(said).not.toContain(form);
  });

  it('leaves alone what is no secret, and what is too short to be one', ({ expect }) => {
    const report = { counts: { match: 3 }, text: 'docs are fine', list: [null, true, 1.5] };
    expect(maskOf(['doc', '', SECRET])(report)).toEqual(report);
  });
});

describe('the secrets of a run', () => {
  it('are tokens, headers, and what an address or a variable hides', ({ expect }) => {
    const found = secretsOf(
      [
        target({ bearerEnv: 'TOKEN', headers: { 'x-team': 'docs', 'x-api-key': 'k-1', authorization: 'Basic YTpi' } }),
        target({ headers: { 'x-trace': 'a-long-value-nobody-should-see' } }),
        target({ address: { kind: 'sse', url: 'https://ann:pass%40word@one.example/sse?api_key=in-the-url&page=2' } }),
        target({ address: { kind: 'http', url: 'https://ann:100%25%zz@one.example/mcp' } }),
        target({
          address: { kind: 'stdio', command: ['node'], env: { DB_PASSWORD: 'db-pass', DEBUG: '1' } },
          passEnv: ['MY_SECRET', 'LANG'],
        }),
      ],
      { TOKEN: 'the-token', MY_SECRET: 'my-secret', LANG: 'en_GB.UTF-8' },
    );
    expect(new Set(found)).toEqual(
      new Set([
        ...['the-token', 'k-1', 'Basic YTpi', 'YTpi', 'a-long-value-nobody-should-see'],
        ...['pass%40word', 'pass@word', 'in-the-url', 'db-pass', 'my-secret', '100%25%zz'],
      ]),
    );
  });
});
