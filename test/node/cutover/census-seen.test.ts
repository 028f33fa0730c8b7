/** What clients say of themselves, made safe to keep and to print. */
import { describe, it } from 'vitest';
import { cleanClient, cleanText, knownProtocol, userAgentFamily } from '../../../src/cutover/census/seen.ts';

describe('names that clients give themselves', () => {
  it('an ordinary name stays as it is', ({ expect }) => {
    expect(cleanClient({ name: 'Claude Code ✓', version: '2.1.0-beta+5' })).toEqual({
      name: 'Claude Code ✓',
      version: '2.1.0-beta+5',
    });
  });

  it.for([
    ['control characters', 'a\u0000b\n\u001b[31mc\u007f\u0085', 'ab[31mc'],
    ['characters that turn text around', 'a\u202Eb\u2066c\u200Bd', 'abcd'],
    ['line separators', 'a\u2028b\u2029c', 'abc'],
    ['letters that show nothing', 'a\u3164b\u115Fc\uFFA0d\u034Fe\uFE0Ff', 'abcdef'],
    ['half a character', 'a\uD800b', 'ab'],
    ['space around', '  a b  ', 'a b'],
  ] as const)('%s are taken out', ([, text, cleaned], { expect }) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  it('a long name is cut, and not in the middle of a character', ({ expect }) => {
    expect(cleanText('x'.repeat(100_000))).toBe('x'.repeat(64));
    expect(cleanText(`${'x'.repeat(63)}😀`)).toBe(`${'x'.repeat(63)}\uFFFD`);
  });

  it('a name of nothing is unknown', ({ expect }) => {
    for (const name of ['\u0007 ', '\u3164\u115F'])
      expect(cleanClient({ name, version: '1' })).toEqual({ name: 'unknown', version: '' });
  });

  it('a protocol version that no specification has is "other"', ({ expect }) => {
    expect(['2025-11-25', '2026-07-28', '2025-01-01', 'x', undefined].map(knownProtocol)).toEqual([
      '2025-11-25',
      '2026-07-28',
      'other',
      'other',
      '',
    ]);
  });
});

describe('family of a user agent', () => {
  it.for([
    ['claude-code/2.1.12 (cli)', 'claude-code'],
    ['python-httpx/0.28.1', 'python-httpx'],
    ['node', 'node'],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'Mozilla'],
    ['Go-http-client/2.0', 'Go-http-client'],
    ['', 'other'],
    ['(alice@example.com)', 'other'],
    ['alice@example.com', 'other'],
    ['x'.repeat(33), 'other'],
    [null, ''],
  ] as const)('%s is %s', ([header, family], { expect }) => {
    expect(userAgentFamily(header)).toBe(family);
  });
});
