/** What the door reads of a request takes time in proportion to its length, however it is made. */
import { describe, it } from 'vitest';
import { cleanText } from '../../../src/cutover/census/seen.ts';
import { bearerOf } from '../../../src/cutover/admin/token.ts';
import { readConfig } from '../../../src/router/config.ts';
import { preflight } from '../../../src/router/answer.ts';
import { enter } from '../../../src/router/door/door.ts';
import { forwarded, widenedAccept } from '../../../src/router/door/forward.ts';
import { clientKey } from '../../../src/router/door/rate.ts';
import { readMessage } from '../../../src/router/door/shape.ts';
import { DEFAULT_PATHS, routesAt } from '../../../src/router/routes.ts';
import { verdictOf } from '../../../src/router/outcome.ts';
import { oneLine, printable, shortened } from '../../../src/shared/one-line.ts';
import { faultOfText } from '../../../src/shared/pipeline/fault-of-text.ts';

const LENGTH = 200_000;
/** A thousand times what the slowest takes; a loop in a loop over so many characters takes minutes. */
const LONGEST_MS = 2_000;

const routes = routesAt(DEFAULT_PATHS);
const config = { ...readConfig({ ALLOWED_HOSTS: '*', ALLOWED_ORIGINS: 'a.example,*.b.example' }).config, routes };
const asked = (headers: Record<string, string>, path = '/mcp'): Request =>
  new Request(`http://localhost${path}`, { headers });
const entered = (headers: Record<string, string>, path = '/mcp'): void => {
  const request = asked(headers, path);
  enter(request, new URL(request.url), config);
};
const legacy = routes.legacy;
const sse = routes.find('/legacy/sse');

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'the path': (text) => entered({}, `/${text.replaceAll(/[^\w/.:-]/g, '/')}`),
  'the path with slashes in it': (text) => entered({}, `/${text.replaceAll(/\W/g, '/')}x`),
  Host: (text) => entered({ host: text }),
  Origin: (text) => entered({ origin: `http://${text}` }),
  Accept: (text) => widenedAccept(text),
  'a weight in Accept': (text) => widenedAccept(`*/*;q=0.${text}`),
  'Access-Control-Request-Headers': (text) =>
    preflight(asked({ 'access-control-request-headers': text }), ['POST'], ['x']),
  'CF-Connecting-IP': (text) => clientKey(`1:${text}`),
  Authorization: (text) => bearerOf(new Headers({ authorization: `Bearer ${text} x` })),
  'a header’s name': (text) => forwarded(asked({ [`x-agents-${text.replaceAll(/\W/g, '-')}`]: 'x' }), legacy),
  'the query': (text) => sse?.kind === 'mcp' && forwarded(asked({}, `/legacy/sse?${encodeURI(text)}`), sse),
  'a method': (text) => readMessage({ jsonrpc: '2.0', id: 1, method: text }, true),
  'an id': (text) => readMessage({ jsonrpc: '2.0', id: text, method: 'ping' }, true),
  'a client’s name': (text) => [cleanText(text), oneLine(text, 100), printable(text), shortened(text, 100)],
  'an error’s text': (text) => faultOfText(`The tool "${text}`),
  'an answer': (text) => verdictOf(new TextEncoder().encode(`data: ${text}`)),
};

const TEXTS = [
  ' ',
  ',',
  ';',
  ':',
  '/',
  '.',
  '0',
  'a',
  '=',
  '"',
  '\t',
  '::',
  ', ',
  ' ;',
  '0:',
  'a.',
  ';q=0',
  '*/*,',
  '&a=',
  '\\',
];
/** A header’s value is trimmed, so that what stands inside of it is between letters. */
const inside = (text: string): string => `a${text}b`;

describe('the door', () => {
  it.for(Object.keys(READERS))('reads %s in time, however long it is', (name, { expect }) => {
    let tried = 0;
    for (const text of TEXTS) {
      const startedAt = performance.now();
      try {
        READERS[name]!(inside(text.repeat(LENGTH / text.length)));
      } catch {
        // Not every text can be a header or a URL; refusing it has to be as quick.
      }
      expect(performance.now() - startedAt, `${name} of ${JSON.stringify(text)}`).toBeLessThan(LONGEST_MS);
      tried += 1;
    }
    expect(tried).toBe(20);
  });

  it('reads many members, ids and levels in time', ({ expect }) => {
    const startedAt = performance.now();
    const ids = Array.from({ length: LENGTH / 4 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    expect(readMessage(ids, true).ok).toBe(false);
    const wide = Object.fromEntries(ids.map(({ id }) => [`k${id}`, id]));
    expect(readMessage({ jsonrpc: '2.0', id: 1, method: 'ping', params: wide }, true).ok).toBe(true);
    expect(readMessage({ jsonrpc: '2.0', id: 1, method: 'ping', ...wide }, true).ok).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(LONGEST_MS);
  });
});
