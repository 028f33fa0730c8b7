/** Hostile requests: mostly nearly right, because what is wholly wrong is refused at the first check. */
import * as fc from 'fast-check';
import { FOREIGN_ORIGINS } from './judge.ts';
import { message } from './message.ts';
import type { HostileRequest } from './request.ts';

/** What only a running server can give: ids that it gave out. */
export interface Sessions {
  readonly legacy: string;
  /** Ended with DELETE. */
  readonly ended: string;
  readonly compat: string;
}

const paths = fc.oneof(
  { weight: 24, arbitrary: fc.constantFrom('/mcp', '/legacy/mcp') },
  { weight: 2, arbitrary: fc.constantFrom('/legacy/sse/message', '/legacy/sse', '/mcp/', '/legacy/mcp//') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '//mcp',
      '/MCP',
      '/%6dcp',
      '/mcp/..',
      '/mcp%00',
      '/',
      '/healthz',
      '/legacy',
      '/a%ff',
      '/mcp;x',
    ),
  },
  { weight: 1, arbitrary: fc.webPath({ size: 'small' }).map((path) => (path.startsWith('/') ? path : `/${path}`)) },
);

const queryOf = (sessions: Sessions): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 24, arbitrary: fc.constant('') },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        '?',
        '?_pk=a:b',
        '?__agents_transport=capnweb',
        '?sessionId=',
        '?sessionId=..%2f',
        `?sessionId=${'f'.repeat(64)}`,
        `?sessionId=${sessions.legacy.toUpperCase()}`,
        `?sessionId=${'a'.repeat(5_000)}`,
      ),
    },
    { weight: 1, arbitrary: fc.webQueryParameters({ size: 'small' }).map((query) => `?${query}`) },
  );

/** What may stand in a header line without ending it. */
const headerText = fc.oneof(
  fc.string({ maxLength: 20 }).filter((text) => /^[\x20-\x7e]*$/.test(text)),
  fc.constantFrom('é', 'a,b', '=?base64?w6k=?=', '=?base64?!?=', 'x'.repeat(2_000)),
);

function sessionHeader(sessions: Sessions): fc.Arbitrary<readonly [string, string][]> {
  const name = 'Mcp-Session-Id';
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant([[name, sessions.legacy] as [string, string]]) },
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.constant([[name, sessions.compat] as [string, string]]) },
    {
      weight: 2,
      arbitrary: fc
        .oneof(
          fc.constantFrom(sessions.ended, `c_${'A'.repeat(27)}`, sessions.legacy.toUpperCase(), '../x', ''),
          fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
          headerText,
        )
        .map((value): [string, string][] => [[name, value]]),
    },
    {
      weight: 1,
      arbitrary: fc.constant([
        [name, sessions.legacy],
        [name, sessions.compat],
      ] as [string, string][]),
    },
  );
}

const one = (name: string, ...values: string[]): fc.Arbitrary<[string, string]> =>
  fc.constantFrom(...values).map((value): [string, string] => [name, value]);

/** Each wrong in its own way; several at a time. */
const oddHeaders = fc.oneof(
  one('MCP-Protocol-Version', '2026-07-28', '2025-11-25', '2024-11-05', '1999-01-01', '', '2026-07-28, 2025-11-25'),
  one('Mcp-Method', 'tools/call', 'ping', 'nope', ''),
  one('Mcp-Name', 'echo', 'nope', '', '=?base64?!?='),
  headerText.map((value): [string, string] => ['Mcp-Param-Region', value]),
  one('Origin', 'http://localhost:6274', ...FOREIGN_ORIGINS),
  one('Last-Event-ID', 'x', '_GET_stream:1', ':', `a:${'0'.repeat(16)}`, ''),
  one('Content-Encoding', 'gzip', 'identity', 'br, gzip'),
  one('Authorization', 'Bearer x', 'Basic', ''),
  one('Upgrade', 'websocket', 'h2c'),
  one('X-Agents-Lifecycle-Props', 'garbage', '{}', 'e30='),
  one('Cf-Mcp-Method', 'GET', 'POST', 'SSE'),
  one('Cf-Mcp-Message', 'e30=', '!'),
  one('X-Partykit-Room', 'a'),
  one('X-Cf-Agents-Subagent-Url', 'http://localhost/sub/a/b'),
  one('Sec-WebSocket-Key', 'x'),
  one('Accept-Encoding', 'gzip', 'br'),
  one('Range', 'bytes=0-1'),
  one('Expect', '100-continue'),
  fc.tuple(fc.constantFrom('X-Forwarded-Host', 'X-Odd', 'Cookie'), headerText),
);

const accept = fc.oneof(
  { weight: 24, arbitrary: one('Accept', 'application/json, text/event-stream') },
  { weight: 3, arbitrary: one('Accept', '*/*', 'application/json', 'text/event-stream', '', ';;;', '*/*;q=0') },
);
const contentType = fc.oneof(
  { weight: 40, arbitrary: one('Content-Type', 'application/json') },
  {
    weight: 3,
    arbitrary: one(
      'Content-Type',
      'application/json; charset=utf-16',
      'text/plain',
      'text/plain; a=application/json',
      '',
    ),
  },
);

const encoder = new TextEncoder();
/** Nearly always the text as it is; else cut, doubled, in another encoding, or with bytes of no character. */
const bodyOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 40, arbitrary: text.map((json) => encoder.encode(json)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(text, fc.double({ min: 0, max: 1, noNaN: true }))
        .map(([json, part]) => encoder.encode(json.slice(0, Math.floor(json.length * part)))),
    },
    { weight: 1, arbitrary: text.map((json) => encoder.encode(json + json)) },
    { weight: 1, arbitrary: text.map((json) => encoder.encode(`\uFEFF${json}`)) },
    { weight: 1, arbitrary: text.map((json) => Buffer.from(json, 'utf16le')) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
    {
      weight: 1,
      arbitrary: text.map((json) => Buffer.concat([encoder.encode(json.slice(0, -2)), Buffer.from([0xc3, 0x28])])),
    },
  );

export function hostileRequest(sessions: Sessions): fc.Arbitrary<HostileRequest> {
  return fc
    .record({
      method: fc.oneof(
        { weight: 28, arbitrary: fc.constant('POST') },
        { weight: 2, arbitrary: fc.constantFrom('GET', 'DELETE') },
        { weight: 1, arbitrary: fc.constantFrom('OPTIONS', 'HEAD', 'PUT', 'PATCH', 'PROPFIND') },
      ),
      path: paths,
      query: queryOf(sessions),
      accept,
      contentType,
      session: sessionHeader(sessions),
      message,
      era: fc.constantFrom('kept', 'kept', 'kept', 'kept', 'kept', 'kept', 'dropped'),
      odd: fc.oneof(fc.constant([]), fc.array(oddHeaders, { maxLength: 3 })),
      framing: fc.constantFrom('length' as const, 'length' as const, 'chunked' as const),
    })
    .chain(({ message: { json, headers }, era, path, query, ...rest }) =>
      bodyOf(fc.constant(json)).map((body): HostileRequest => {
        const { method } = rest;
        const posts = method !== 'GET' && method !== 'HEAD';
        return {
          method,
          target: `${path}${query}`,
          // DELETE of the live sessions would end what the other requests need.
          headers: [
            rest.accept,
            rest.contentType,
            ...(method === 'DELETE' ? rest.session.filter(([, value]) => !isLive(value, sessions)) : rest.session),
            ...(era === 'kept' ? headers : []),
            ...rest.odd,
          ],
          body: posts ? body : undefined,
          framing: posts ? rest.framing : 'none',
        };
      }),
    );
}

const isLive = (value: string, { legacy, compat }: Sessions): boolean => value === legacy || value === compat;
