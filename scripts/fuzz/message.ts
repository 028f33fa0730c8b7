/** JSON-RPC messages, right and nearly right, of both protocol generations, as text with the headers that belong to them. */
import * as fc from 'fast-check';

export interface HostileMessage {
  readonly json: string;
  /** What a client of the message's era sends with it. */
  readonly headers: readonly (readonly [string, string])[];
}

const id = fc.oneof(
  { weight: 24, arbitrary: fc.nat(1_000).map(String) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '"a"',
      '""',
      'null',
      '1.5',
      '-1',
      '1e3',
      '9007199254740993',
      '1e999',
      '{}',
      '[]',
      'true',
      '"\\u0000"',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 10 }).map((text) => JSON.stringify(text)) },
);

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** JSON text that a parser takes, or nearly. */
const value: fc.Arbitrary<string> = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '1e999',
    '-0',
    '123456789012345678901234567890',
    '"\\ud800"',
    '"\\u0000"',
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"a":1,"a":2}',
    nested(100),
    nested(5_000),
    'NaN',
    '01',
    '"\t"',
    '[1,]',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => JSON.stringify(text)),
);

const TOOLS = [
  'echo',
  'shapes',
  'valibot',
  'steps',
  'count',
  'note',
  'refuse',
  'throw',
  'bigint',
  'hang',
  'ask',
  'nope',
  'constructor',
  '__proto__',
];

const text = (known: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...known).map((name) => JSON.stringify(name)) },
    { weight: 1, arbitrary: value },
  );

const args = fc.oneof(
  fc.constantFrom(
    '{}',
    '{"text":"a"}',
    '{"text":"y","times":100000}',
    '{"pair":[1,"a"]}',
    '{"steps":2}',
    '{"line":"a"}',
    '{"by":1}',
    '{"by":1,"handle":"h_AAAAAAAAAAAAAAAAAAAAAAAAAAA"}',
    '{"handle":"secret"}',
    '{"__proto__":{"text":"a"}}',
  ),
  value,
);

const METHODS = [
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'constructor',
  '',
] as const;

/** A method with its parameters as members of JSON text, without the braces. */
const call: fc.Arbitrary<{ method: string; name?: string; params: readonly string[] }> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(text(TOOLS), args).map(([name, given]) => ({
      method: 'tools/call',
      name,
      params: [`"name":${name}`, `"arguments":${given}`],
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...METHODS),
        fc.array(fc.tuple(text(['name', 'uri', 'cursor', 'level', 'ref', 'requestId', 'argument']), value), {
          maxLength: 3,
        }),
      )
      .map(([method, members]) => ({
        method,
        params: members.filter(([key]) => key.startsWith('"')).map(([key, given]) => `${key}:${given}`),
      })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      {
        method: 'initialize',
        params: ['"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"f","version":"1"}'],
      },
      { method: 'initialize', params: ['"protocolVersion":"1","capabilities":{"roots":1},"clientInfo":{}'] },
      { method: 'prompts/get', params: ['"name":"greet","arguments":{"who":"a"}'] },
      { method: 'resources/read', params: ['"uri":"test://items/1"'] },
      { method: 'resources/read', params: ['"uri":"test://static/broken"'] },
      { method: 'subscriptions/listen', params: ['"notifications":{}'] },
      { method: 'notifications/cancelled', params: ['"requestId":1'] },
    ),
  },
);

const ENVELOPE =
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}';
const meta = fc.oneof(
  { weight: 12, arbitrary: fc.constant('{}') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '{"progressToken":1}',
      '{"progressToken":"a"}',
      '{"progressToken":{}}',
      '5',
      'null',
      '{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}',
      '{"io.modelcontextprotocol/protocolVersion":1}',
      '{"io.modelcontextprotocol/related-task":{}}',
    ),
  },
);

const request = fc
  .record({
    call,
    id,
    meta,
    modern: fc.boolean(),
    kind: fc.constantFrom('request', 'request', 'request', 'notification'),
  })
  .map(({ call: { method, name, params }, id, meta, modern, kind }): HostileMessage => {
    const _meta = modern ? `{${ENVELOPE}}` : meta;
    const members = _meta === '{}' ? params : [...params, `"_meta":${_meta}`];
    const frame = kind === 'request' ? `"id":${id},` : '';
    const named = name?.startsWith('"') === true ? name.slice(1, -1).replaceAll(/[^\x20-\x7e]/g, '?') : undefined;
    return {
      json: `{"jsonrpc":"2.0",${frame}"method":${JSON.stringify(method)},"params":{${members.join(',')}}}`,
      headers: modern
        ? [
            ['MCP-Protocol-Version', '2026-07-28'],
            ['Mcp-Method', method],
            ...(named === undefined ? [] : [['Mcp-Name', named] as const]),
          ]
        : [['MCP-Protocol-Version', '2025-11-25']],
    };
  });

/** Answers to questions that nobody asked. */
const response = fc
  .tuple(
    id,
    fc.constantFrom('"result":{}', '"error":{"code":-1,"message":"no"}', '"error":{}', '"result":{},"error":{}'),
  )
  .map(([given, rest]): HostileMessage => ({ json: `{"jsonrpc":"2.0","id":${given},${rest}}`, headers: [] }));

const batch = fc
  .array(fc.oneof({ weight: 4, arbitrary: request }, { weight: 1, arbitrary: response }), { maxLength: 4 })
  .map((messages): HostileMessage => ({
    json: `[${messages.map(({ json }) => json).join(',')}]`,
    headers: messages[0]?.headers ?? [],
  }));

export const message: fc.Arbitrary<HostileMessage> = fc.oneof(
  { weight: 10, arbitrary: request },
  { weight: 2, arbitrary: batch },
  { weight: 1, arbitrary: response },
  { weight: 1, arbitrary: value.map((json): HostileMessage => ({ json, headers: [] })) },
);
