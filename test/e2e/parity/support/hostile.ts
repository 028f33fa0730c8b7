/**
 * What servers do to who asks them, one mode each: refuse, lose, redirect, flood, nest, stall, crash, lie. Each says how
 * a run with it ends and what the report has to say of it. The sane half of each is the small server of `bad-servers.ts`.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { ServerResponse } from 'node:http';
import type { EraChoice } from '../../../../cli/parity/targets/target.ts';
import { isPlainObject } from '../../../../src/shared/json.ts';
import { json, type BadOptions } from './bad-servers.ts';
import type { Message } from './faults.ts';

export interface Mode {
  readonly name: string;
  readonly http?: () => BadOptions;
  /** The body of a program that speaks on standard input and output, with `answer(message, result)` at hand. */
  readonly stdio?: string;
  /** The same server is control, too. */
  readonly both?: true;
  readonly era?: EraChoice;
  readonly exitCode: 0 | 1 | 2;
  /** What stands in the report, as JSON. */
  readonly says: RegExp;
  /** Its tool says nothing of itself, so that it may write, and is called all the same. */
  readonly writes?: true;
  /** Where much has to be read before it shows. */
  readonly timeoutMs?: number;
  /** Calls that were compared and equal at the least. */
  readonly matches?: number;
}

type OnCall = NonNullable<BadOptions['onCall']>;
const echo = (message: Message): object => ({
  content: [{ type: 'text', text: JSON.stringify(message['params']) }],
});
const body = (message: Message, result: unknown): object => ({ jsonrpc: '2.0', id: message['id'], result });
const error = (message: Message, code = -32000): object => ({
  jsonrpc: '2.0',
  id: message['id'],
  error: { code, message: 'refused' },
});
const right: OnCall = (response, message) => json(response, 200, body(message, echo(message)));
const onCall = (call: OnCall) => (): BadOptions => ({ onCall: call });
/** Answers one method in another way. */
const on =
  (method: string, reply: (response: ServerResponse, message: Message, time: number) => boolean | void) =>
  (): BadOptions => {
    let time = 0;
    return {
      first: (response, message) => {
        if (message['method'] !== method) return false;
        time += 1;
        return reply(response, message, time) !== false;
      },
    };
  };
const tool = (fields: object) => (): BadOptions => ({
  tool: { name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true }, ...fields },
});
const text = (response: ServerResponse, status: number, said: string, type = 'application/json'): void =>
  void response.writeHead(status, { 'content-type': type }).end(said);
const events = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' });
const event = (message: object): string => `data: ${JSON.stringify(message)}\n\n`;
/** Writes as fast as it is read, for ever. */
function flood(response: ServerResponse, chunk: string): void {
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const STATUSES = [400, 402, 404, 405, 408, 409, 410, 413, 418, 422, 429, 500, 501, 502, 503, 504, 520, 599];

const REFUSALS: readonly Mode[] = [
  ...STATUSES.map((status, at): Mode => ({
    name: `HTTP ${status} ${at % 2 === 0 ? 'with' : 'without'} a JSON-RPC body for every call`,
    http: onCall((response, message) =>
      at % 2 === 0 ? json(response, status, error(message)) : void response.writeHead(status).end(),
    ),
    exitCode: 2,
    says: new RegExp(`"reason":"refused","cause":"HTTP ${status} refuses tools/call`),
  })),
  {
    name: 'HTTP 429 with the right answer in it, on both sides',
    http: onCall((response, message) => json(response, 429, body(message, echo(message)))),
    both: true,
    exitCode: 2,
    says: /control refused 8 calls of it in a row/,
  },
  {
    name: 'HTTP 503 for every second call',
    http: onCall((response, message, call) =>
      call % 2 === 0 ? text(response, 503, 'busy', 'text/plain') : right(response, message, call),
    ),
    exitCode: 2,
    says: /HTTP 503 refuses tools\/call: busy/,
    matches: 5,
  },
  ...[429, 500, 503].map((status): Mode => ({
    name: `HTTP ${status} for the listing`,
    http: on('tools/list', (response, message) => json(response, status, error(message))),
    exitCode: 2,
    says: new RegExp(`"where":"listing","reason":"refused","cause":"tools/list: HTTP ${status}`),
  })),
  ...[404, 429, 503].map((status): Mode => ({
    name: `HTTP ${status} for the session`,
    http: on('initialize', (response, message) => json(response, status, error(message))),
    exitCode: 2,
    says: new RegExp(`"where":"connecting","reason":"refused","cause":"HTTP ${status}`),
  })),
  {
    name: 'HTTP 500 for notifications/initialized',
    http: on('notifications/initialized', (response) => text(response, 500, 'no')),
    exitCode: 2,
    says: /HTTP 500 refuses notifications\/initialized/,
  },
  ...[401, 403].map((status): Mode => ({
    name: `HTTP ${status} in the middle of a run`,
    http: onCall((response, message, call) =>
      call > 8 ? text(response, status, 'token expired') : right(response, message, call),
    ),
    exitCode: 2,
    says: new RegExp(`"reason":"refused_sign_in","cause":"HTTP ${status}: token expired`),
    matches: 4,
  })),
  {
    name: 'HTTP 429 with Retry-After now and then',
    http: onCall((response, message, call) =>
      call % 9 === 0
        ? void response.writeHead(429, { 'retry-after': '1' }).end('slow down')
        : right(response, message, call),
    ),
    exitCode: 0,
    says: /"broken":"told_to_wait"/,
    matches: 20,
  },
  {
    name: 'HTTP 503 with a Retry-After of a day',
    http: onCall((response) => void response.writeHead(503, { 'retry-after': '86400' }).end()),
    exitCode: 2,
    says: /HTTP 503 refuses tools\/call \(Retry-After: 86400\)/,
  },
  {
    name: 'HTTP 429 with a Retry-After that is rubbish',
    http: onCall((response) => void response.writeHead(429, { 'retry-after': 'later\t' }).end()),
    exitCode: 2,
    says: /HTTP 429 refuses tools\/call/,
  },
  {
    name: 'HTTP 429 with Retry-After for ever',
    http: onCall((response) => void response.writeHead(429, { 'retry-after': '0' }).end()),
    exitCode: 2,
    says: /"broken":"told_to_wait".*"reason":"refused"|"reason":"refused".*"broken":"told_to_wait"/s,
  },
];

/** Sessions that are there, and are lost as `lost` says. */
const sessions = (lost: (call: number) => boolean, status: number, said: string) => (): BadOptions => {
  let calls = 0;
  const live = new Set<string>();
  return {
    first: (response, message, request) => {
      if (message['method'] === 'initialize') {
        const id = `s-${live.size + calls + 1}`;
        live.add(id);
        const result = {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'bad', version: '1' },
        };
        response
          .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': id })
          .end(JSON.stringify(body(message, result)));
        return true;
      }
      if (message['method'] !== 'tools/call') return false;
      calls += 1;
      if (lost(calls)) live.clear();
      if (live.has(String(request.headers['mcp-session-id']))) return false;
      json(response, status, { jsonrpc: '2.0', id: null, error: { code: -32001, message: said } });
      return true;
    },
  };
};

const SESSIONS: readonly Mode[] = [
  {
    name: 'a session that is lost once',
    http: sessions((call) => call === 12, 404, 'Session not found'),
    exitCode: 0,
    says: /"broken":"opened_again","text":"had to be opened again: HTTP 404/,
    matches: 20,
  },
  {
    name: 'a session that is lost once, said with HTTP 400',
    http: sessions((call) => call === 12, 400, 'Bad Request: No valid session ID provided'),
    exitCode: 0,
    says: /"broken":"opened_again"/,
    matches: 20,
  },
  {
    name: 'a session of a tool that writes that is lost once',
    http: () => ({ ...sessions((call) => call === 40, 404, 'Session not found')(), ...tool({ annotations: {} })() }),
    both: true,
    writes: true,
    exitCode: 0,
    says: /its session was lost at echo#\d+, and new ones were opened on all sides/,
    matches: 20,
  },
  {
    name: 'sessions that are lost again and again',
    http: sessions((call) => call > 8, 404, 'Session not found'),
    exitCode: 2,
    says: /"reason":"session_lost"/,
    matches: 4,
  },
];

const redirect = (status: number, location: string) => (response: ServerResponse) =>
  void response.writeHead(status, { location }).end();
const REDIRECTS: readonly Mode[] = [
  ...[
    [302, 'https://elsewhere.example/mcp'],
    [307, 'https://elsewhere.example/mcp'],
    [308, 'http://127.0.0.1:9/mcp'],
    [307, '//elsewhere.example/mcp'],
    [303, '/mcp'],
  ].map(([status, location]): Mode => ({
    name: `a redirect with ${status} to ${location}`,
    http: on('initialize', redirect(Number(status), String(location))),
    exitCode: 2,
    says: /"reason":"refused","cause":"HTTP 30\d redirects to .* which is not followed/,
  })),
  {
    name: 'a redirect that leads to itself',
    http: on('initialize', redirect(307, '/mcp')),
    exitCode: 2,
    says: /more than 5 redirects/,
  },
  {
    name: 'a redirect within its origin',
    http: () => ({
      first: (response, message, request) => {
        if (request.url !== '/mcp' || message['method'] === undefined) return false;
        redirect(308, '/mcp/')(response);
        return true;
      },
    }),
    exitCode: 0,
    says: /"outcome":"equal"/,
    matches: 20,
  },
  {
    name: 'HTTP+SSE that names an endpoint elsewhere',
    http: () => ({
      first: (response, _message, request) => {
        if (request.method !== 'GET') text(response, 405, 'no');
        else {
          events(response);
          response.write('event: endpoint\ndata: https://elsewhere.example/post\n\n');
        }
        return true;
      },
    }),
    exitCode: 2,
    says: /the endpoint that the stream names is at https:\/\/elsewhere\.example/,
  },
  {
    name: 'HTTP+SSE that names an endpoint that is no URL',
    http: () => ({
      first: (response, _message, request) => {
        if (request.method !== 'GET') text(response, 405, 'no');
        else {
          events(response);
          response.write('event: endpoint\ndata: http://\n\n');
        }
        return true;
      },
    }),
    exitCode: 2,
    says: /what is no URL/,
  },
];

const PROBES: readonly Mode[] = [
  ...[429, 500, 503].map((status): Mode => ({
    name: `HTTP ${status} for the probe of the newer era`,
    http: on('server/discover', (response) => text(response, status, 'no')),
    era: 'auto',
    exitCode: 2,
    says: new RegExp(`"where":"connecting","reason":"refused","cause":"HTTP ${status} refuses server/discover`),
  })),
  {
    name: 'newer versions only',
    http: on('server/discover', (response, message) =>
      json(response, 400, {
        ...error(message),
        error: { code: -32022, message: 'no', data: { supported: ['2027-01-01'] } },
      }),
    ),
    era: 'auto',
    exitCode: 2,
    says: /"reason":"wrong_era"/,
  },
  {
    name: 'a page for the probe of the newer era',
    http: on('server/discover', (response) => text(response, 200, '<h1>Welcome</h1>', 'text/html')),
    era: 'auto',
    exitCode: 2,
    says: /"reason":"garbage"/,
  },
  {
    name: 'HTTP 404 for the probe of the newer era, and the older one works',
    http: on('server/discover', (response) => text(response, 404, 'no')),
    era: 'auto',
    exitCode: 0,
    says: /"era":"2025"/,
    matches: 20,
  },
];

/** A server of the 2026 era, whose results may lack what it asks for. */
const modern = (change: (method: string, result: Record<string, unknown>) => object) => (): BadOptions => ({
  first: (response, message) => {
    const method = String(message['method']);
    const envelope = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    const result: Record<string, Record<string, unknown>> = {
      'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...envelope },
      'tools/list': {
        tools: [{ name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
        ...envelope,
      },
      'tools/call': { resultType: 'complete', content: [{ type: 'text', text: 'fine' }] },
    };
    const found = result[method];
    if (found === undefined) json(response, 404, error(message, -32601));
    else json(response, 200, body(message, change(method, { ...found })));
    return true;
  },
});
const lacking = (where: string, key: string, value?: unknown) =>
  modern((method, result) => {
    if (method !== where) return result;
    const { [key]: _left, ...rest } = result;
    return value === undefined ? rest : { ...rest, [key]: value };
  });
const ENVELOPES: readonly Mode[] = [
  {
    name: 'nothing wrong in the 2026 era',
    http: modern((_method, result) => result),
    both: true,
    era: '2026',
    exitCode: 0,
    says: /"era":"2026"/,
    matches: 20,
  },
  ...(
    [
      ['tools/list', 'ttlMs', undefined],
      ['tools/list', 'cacheScope', 'everybody'],
      ['tools/list', 'resultType', undefined],
      ['server/discover', 'ttlMs', -1],
      ['tools/call', 'resultType', undefined],
      ['tools/call', 'resultType', 'someday'],
      ['tools/call', 'content', 'a text'],
    ] as const
  ).map(([where, key, value]): Mode => ({
    name: `${key} ${value === undefined ? 'missing' : `as ${value}`} in ${where}`,
    http: lacking(where, key, value),
    both: true,
    era: '2026',
    exitCode: 1,
    says: new RegExp(`"path":"envelope.${key}"`),
  })),
];

const ANSWERS: readonly Mode[] = [
  ...(
    [
      ['an empty body', '', /is no JSON-RPC answer to tools\/call: \(empty\)/],
      ['half of a message', '{"jsonrpc":"2.0","id":', /no JSON-RPC answer/],
      ['null', 'null', /no JSON-RPC answer/],
      ['a list of nothing', '[]', /no JSON-RPC answer/],
      ['a number', '42', /no JSON-RPC answer/],
    ] as const
  ).map(([name, said, says]): Mode => ({
    name: `${name} for an answer`,
    http: onCall((response) => text(response, 200, said)),
    exitCode: 2,
    says,
  })),
  {
    name: 'HTTP 202 for a call',
    http: onCall((response) => void response.writeHead(202).end()),
    exitCode: 2,
    says: /HTTP 202/,
  },
  {
    name: 'a result that is a list',
    http: onCall((response, message) => json(response, 200, body(message, [1]))),
    exitCode: 2,
    says: /neither a result nor an error/,
  },
  {
    name: 'neither a result nor an error',
    http: onCall((response, message) => json(response, 200, { jsonrpc: '2.0', id: message['id'] })),
    exitCode: 2,
    says: /neither a result nor an error/,
  },
  {
    name: 'an id as text',
    http: onCall((response, message) =>
      json(response, 200, { ...body(message, echo(message)), id: String(message['id']) }),
    ),
    exitCode: 2,
    says: /no JSON-RPC answer/,
  },
  {
    name: 'two answers in a list',
    http: onCall((response, message) => json(response, 200, [body(message, echo(message)), body(message, {})])),
    exitCode: 1,
    says: /"broken":"answered_twice"/,
    matches: 15,
  },
  {
    name: 'two answers on a stream, one of them late',
    http: onCall((response, message) => {
      events(response);
      response.write(event(body(message, echo(message))));
      setTimeout(() => response.end(event(body(message, {}))), 30);
    }),
    exitCode: 1,
    says: /"broken":"answered_twice"/,
    matches: 15,
  },
  {
    name: 'rubbish between the events',
    http: onCall((response, message) => {
      events(response);
      response.end(`data: not json\n\n: comment\n\n${event(body(message, echo(message)))}`);
    }),
    exitCode: 0,
    says: /"broken":"stray_output","text":"[^"]*not json/,
    matches: 20,
  },
  {
    name: 'a stream that ends without an answer',
    http: onCall((response) => {
      events(response);
      response.end(': nothing\n\n');
    }),
    exitCode: 1,
    says: /"candidate":"none \(died\): the stream ended before the answer/,
  },
  {
    name: 'an error without code and text',
    http: onCall((response, message) => json(response, 200, { jsonrpc: '2.0', id: message['id'], error: {} })),
    both: true,
    exitCode: 1,
    says: /error\.code is to be a whole number/,
  },
  {
    name: 'an answer nested 6,000 levels deep',
    http: onCall((response, message) =>
      text(
        response,
        200,
        `{"jsonrpc":"2.0","id":${String(message['id'])},"result":{"content":[],"structuredContent":${nested(6_000)}}}`,
      ),
    ),
    exitCode: 2,
    says: /"where":"echo","reason":"too_deep"/,
  },
  {
    name: 'an answer nested 900 levels deep, on both sides',
    http: onCall((response, message) =>
      text(
        response,
        200,
        `{"jsonrpc":"2.0","id":${String(message['id'])},"result":{"content":[],"structuredContent":${nested(900)}}}`,
      ),
    ),
    both: true,
    exitCode: 0,
    says: /"outcome":"equal"/,
    matches: 20,
  },
  {
    name: 'a text that holds JSON nested 100,000 levels deep',
    http: onCall((response, message, call) =>
      json(response, 200, body(message, { content: [{ type: 'text', text: '['.repeat(100_000 + (call % 2)) }] })),
    ),
    exitCode: 1,
    says: /characters\)/,
  },
  {
    name: 'an answer of 40 MB',
    timeoutMs: 20_000,
    http: onCall((response, message) =>
      json(response, 200, body(message, { content: [{ type: 'text', text: 'x'.repeat(40_000_000) }] })),
    ),
    exitCode: 2,
    says: /"reason":"flood"/,
  },
  {
    name: 'an answer of 5 MB that differs',
    timeoutMs: 20_000,
    http: onCall((response, message) =>
      json(response, 200, body(message, { content: [{ type: 'text', text: 'x'.repeat(5_000_000) }] })),
    ),
    exitCode: 1,
    says: /\(5000000 characters\)/,
  },
  {
    name: 'thirty thousand keys that differ',
    timeoutMs: 20_000,
    http: onCall((response, message, call) => {
      const keys = Array.from({ length: 30_000 }, (_each, at) => [`k${call}_${at}`, at]);
      json(response, 200, body(message, { content: [], structuredContent: Object.fromEntries(keys) as object }));
    }),
    exitCode: 1,
    says: /"group":"echo"/,
  },
  {
    name: 'comments without end',
    timeoutMs: 20_000,
    http: onCall((response) => {
      events(response);
      flood(response, `: ${'x'.repeat(60_000)}\n\n`);
    }),
    exitCode: 2,
    says: /"reason":"flood"/,
  },
  {
    name: 'its own requests without end',
    timeoutMs: 20_000,
    http: onCall((response, message, call) => {
      if (call > 40) return right(response, message, call);
      events(response);
      flood(response, event({ jsonrpc: '2.0', id: 1, method: 'roots/list' }).repeat(200));
    }),
    exitCode: 2,
    says: /more than 10000 messages|"reason":"flood"/,
  },
  {
    name: 'one byte a second',
    http: onCall((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 300);
      response.once('close', () => clearInterval(timer));
    }),
    exitCode: 1,
    says: /none \(no_answer\)/,
  },
  {
    name: 'fewer bytes than it says',
    http: onCall((response, message) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      response.write(JSON.stringify(body(message, echo(message))));
      setTimeout(() => response.destroy(), 20);
    }),
    exitCode: 1,
    says: /none \(died\)/,
  },
  {
    name: 'a header of 100 kB',
    http: onCall((response, message) => {
      response.setHeader('x-long', 'y'.repeat(100_000));
      right(response, message, 1);
    }),
    exitCode: 1,
    says: /none \(died\)/,
  },
  {
    name: 'bytes that are no UTF-8',
    http: onCall((response, message) => {
      const parts = [
        `{"jsonrpc":"2.0","id":${String(message['id'])},"result":{"content":[{"type":"text","text":"`,
        '"}]}}',
      ];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        Buffer.concat([Buffer.from(parts[0] ?? ''), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from(parts[1] ?? '')]),
      );
    }),
    exitCode: 1,
    says: /�/,
  },
  {
    name: 'control characters, markup and half an emoji',
    http: onCall((response, message) =>
      text(
        response,
        200,
        `{"jsonrpc":"2.0","id":${String(message['id'])},"result":{"content":[{"type":"text","text":"\\u001b[2J\\n| forged | \\ud83d </script>"}]}}`,
      ),
    ),
    exitCode: 1,
    says: /"group":"echo"/,
  },
  {
    name: "names of an object's own prototype",
    http: onCall((response, message) =>
      text(
        response,
        200,
        `{"jsonrpc":"2.0","id":${String(message['id'])},"result":{"__proto__":{"polluted":true},"constructor":1,"content":[]}}`,
      ),
    ),
    exitCode: 1,
    says: /"group":"echo"/,
  },
  {
    name: 'silence for one input',
    http: onCall((response, message, call) => {
      const params = message['params'];
      const args = isPlainObject(params) && isPlainObject(params['arguments']) ? params['arguments'] : {};
      if ('text' in args) right(response, message, call);
    }),
    exitCode: 1,
    says: /"path":"answer","control":"result","candidate":"none \(no_answer\)/,
    matches: 10,
  },
];

const references = (levels: number): object => ({
  type: 'object',
  $ref: '#/$defs/l0',
  $defs: Object.fromEntries(
    Array.from({ length: levels + 1 }, (_each, at) => [
      `l${at}`,
      at === levels
        ? { required: ['never'] }
        : { anyOf: [{ $ref: `#/$defs/l${at + 1}` }, { $ref: `#/$defs/l${at + 1}` }] },
    ]),
  ),
});
const structured =
  (value: unknown): OnCall =>
  (response, message) =>
    json(response, 200, body(message, { content: [], structuredContent: value }));
const listing = (result: () => object) =>
  on('tools/list', (response, message) => json(response, 200, body(message, result())));
const plainTool = (name: string): object => ({
  name,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
});

const LISTINGS: readonly Mode[] = [
  {
    name: 'an input schema that is itself',
    http: tool({ inputSchema: { type: 'object', $ref: '#' } }),
    both: true,
    exitCode: 2,
    says: /"where":"tool echo"/,
  },
  {
    name: 'an output schema that is itself',
    http: () => ({ ...tool({ outputSchema: { $ref: '#' } })(), onCall: structured({ a: 1 }) }),
    both: true,
    exitCode: 2,
    says: /"where":"tool echo"/,
  },
  {
    name: 'a pattern that backtracks, in an output schema',
    http: () => ({
      ...tool({ outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } })(),
      onCall: structured({ a: `${'a'.repeat(40)}!` }),
    }),
    both: true,
    exitCode: 2,
    says: /"where":"tool echo","reason":"schema_work","cause":"outputSchema: working on its schema took longer/,
    matches: 15,
  },
  {
    name: 'a pattern that backtracks, in an input schema',
    http: tool({
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'string', pattern: '^(a+)+$', minLength: 30 } },
        required: ['a'],
      },
    }),
    both: true,
    exitCode: 0,
    says: /"outcome":"equal"/,
  },
  {
    name: 'twenty-five levels of anyOf',
    http: tool({ inputSchema: references(25) }),
    both: true,
    exitCode: 2,
    says: /"where":"tool echo","reason":"schema_work"/,
  },
  {
    name: 'a text of two thousand million letters',
    http: tool({
      inputSchema: { type: 'object', properties: { a: { type: 'string', minLength: 2e9 } }, required: ['a'] },
    }),
    both: true,
    exitCode: 2,
    says: /no input could be generated|"reason":"schema_work"/,
  },
  {
    name: 'a schema nested 3,000 levels deep',
    http: () => ({
      first: (response, message) => {
        if (message['method'] !== 'tools/list') return false;
        text(
          response,
          200,
          `{"jsonrpc":"2.0","id":${String(message['id'])},"result":{"tools":[{"name":"echo","inputSchema":${nested(3_000)}}]}}`,
        );
        return true;
      },
    }),
    both: true,
    exitCode: 2,
    says: /"where":"listing","reason":"too_deep"/,
  },
  ...([true, null, 'text', [], 7] as const).map((inputSchema): Mode => ({
    name: `an input schema that is ${JSON.stringify(inputSchema)}`,
    http: tool({ inputSchema }),
    both: true,
    exitCode: inputSchema === true ? 0 : 2,
    says: inputSchema === true ? /"group":"echo"/ : /"where":"tool echo","reason":"broken_listing"/,
  })),
  {
    name: 'a schema somewhere on the network',
    http: tool({ inputSchema: { type: 'object', $ref: 'https://elsewhere.example/schema.json' } }),
    both: true,
    exitCode: 2,
    says: /"reason":"broken_listing"/,
  },
  {
    name: 'a dialect that nobody knows',
    http: tool({ inputSchema: { $schema: 'https://elsewhere.example/dialect', type: 'object' } }),
    both: true,
    exitCode: 0,
    says: /"group":"echo"/,
  },
  {
    name: 'an enumeration of 2,000',
    http: tool({
      inputSchema: {
        type: 'object',
        properties: { a: { enum: Array.from({ length: 2_000 }, (_each, at) => `v${at}`) } },
      },
    }),
    both: true,
    exitCode: 0,
    says: /"outcome":"equal"/,
    matches: 20,
  },
  {
    name: 'two tools of one name',
    http: listing(() => ({ tools: [plainTool('echo'), plainTool('echo')] })),
    both: true,
    exitCode: 0,
    says: /"group":"echo"/,
  },
  {
    name: "tools called like an object's own prototype",
    http: listing(() => ({ tools: [plainTool('__proto__'), plainTool('constructor')] })),
    both: true,
    exitCode: 0,
    says: /"group":"__proto__"/,
  },
  {
    name: 'a tool whose name forges lines',
    http: listing(() => ({ tools: [plainTool('echo\n\u001B[2J| forged |')] })),
    both: true,
    exitCode: 0,
    says: /forged/,
  },
  {
    name: 'thirty thousand tools',
    timeoutMs: 20_000,
    http: listing(() => ({ tools: Array.from({ length: 30_000 }, (_each, at) => ({ name: `t${at}` })) })),
    exitCode: 2,
    says: /"where":"listing","reason":"flood"/,
  },
  {
    name: 'a listing of 20 MB',
    timeoutMs: 20_000,
    http: listing(() => ({ tools: [{ ...plainTool('echo'), description: 'd'.repeat(20_000_000) }] })),
    exitCode: 2,
    says: /"where":"listing","reason":"flood"/,
  },
  {
    name: 'pages without end, each with another cursor',
    http: on('tools/list', (response, message, time) =>
      json(response, 200, body(message, { tools: [], nextCursor: `c${time}` })),
    ),
    exitCode: 2,
    says: /more than 1000 pages|did not end within/,
  },
  {
    name: 'a listing that hangs',
    http: on('tools/list', () => undefined),
    exitCode: 2,
    says: /"where":"listing","reason":"no_answer"/,
  },
];

const DEATHS: readonly Mode[] = [
  {
    name: 'text between the messages of a program',
    stdio: `console.log('starting up'); answer = (m, r) => { console.log('log'); send(m, r); };`,
    exitCode: 0,
    says: /"broken":"stray_output"/,
    matches: 20,
  },
  {
    name: 'a program that says 20,000 lines first',
    stdio: `for (let i = 0; i < 20_000; i += 1) console.log('line ' + i);`,
    exitCode: 2,
    says: /"reason":"flood"/,
  },
  {
    name: 'JSON that is no message between the messages',
    stdio: `answer = (m, r) => { console.log('42'); console.log('[]'); console.log('"text"'); send(m, r); };`,
    exitCode: 0,
    says: /"broken":"stray_output"/,
    matches: 20,
  },
  {
    name: 'a program that ends at one input',
    stdio: `call = (m) => { if (!('text' in (m.params.arguments ?? {}))) process.exit(7); return echo(m); };`,
    exitCode: 1,
    says: /"path":"answer","control":"result","candidate":"none \(died\): the process ended with exit code 7/,
    matches: 10,
  },
  {
    name: 'a program that ends at every call',
    stdio: `call = () => process.exit(7);`,
    exitCode: 1,
    says: /calls were not asked: candidate left 3 calls of it without an answer/,
  },
  {
    name: 'a program that ends at the listing',
    stdio: `list = () => process.exit(1);`,
    exitCode: 2,
    says: /"where":"listing","reason":"died"/,
  },
  {
    name: 'a program that hangs at every call',
    stdio: `call = () => undefined;`,
    exitCode: 1,
    says: /none \(no_answer\)/,
  },
  {
    name: 'a program that never answers',
    stdio: `answer = () => undefined;`,
    exitCode: 2,
    says: /"where":"connecting","reason":"no_answer"/,
  },
  {
    name: 'a program that answers twice',
    stdio: `answer = (m, r) => { send(m, r); if (m.method === 'tools/call') send(m, r); };`,
    exitCode: 1,
    says: /"broken":"answered_twice"/,
    matches: 20,
  },
  {
    name: 'a program that answers in another order',
    stdio: `answer = (m, r) => setTimeout(() => send(m, r), (m.id % 5) * 4);`,
    exitCode: 0,
    says: /"outcome":"equal"/,
    matches: 20,
  },
  {
    name: 'a program that answers what nobody asked',
    stdio: `answer = (m, r) => { send({ id: 1e9 }, {}); send(m, r); };`,
    exitCode: 0,
    says: /"outcome":"equal"/,
    matches: 20,
  },
  {
    name: 'a line of 40 MB',
    timeoutMs: 20_000,
    stdio: `call = (m) => ({ content: [{ type: 'text', text: 'x'.repeat(40_000_000) }] });`,
    exitCode: 2,
    says: /"reason":"flood"/,
  },
  {
    name: 'half a line and silence',
    stdio: `answer = (m, r) => { if (m.method === 'tools/call') process.stdout.write('{"jsonrpc"'); else send(m, r); };`,
    exitCode: 1,
    says: /none \(no_answer\)/,
  },
  {
    name: 'a program that will not end',
    stdio: `process.on('SIGTERM', () => undefined); process.stdin.on('end', () => setInterval(() => undefined, 1_000));`,
    exitCode: 0,
    says: /"outcome":"equal"/,
    matches: 20,
  },
  {
    name: 'a program that talks on standard error for ever',
    stdio: `setInterval(() => process.stderr.write('noise '.repeat(10_000)), 5);`,
    exitCode: 0,
    says: /"outcome":"equal"/,
    matches: 20,
  },
  {
    name: 'a program that closes its output and lives',
    stdio: `call = () => { require('node:fs').closeSync(1); setInterval(() => undefined, 1_000); return undefined; };`,
    exitCode: 1,
    says: /none \((?:no_answer|died)\)/,
  },
  {
    name: 'a program that leaves a child with its pipes',
    stdio: `require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 4_000)'], { stdio: 'inherit', detached: true }).unref();`,
    exitCode: 0,
    says: /"outcome":"equal"/,
    matches: 20,
  },
  {
    name: 'a program that asks all the time',
    stdio: `answer = (m, r) => { for (let i = 0; i < 50; i += 1) console.log(JSON.stringify({ jsonrpc: '2.0', id: 'q' + i, method: 'roots/list' })); send(m, r); };`,
    exitCode: 0,
    says: /"outcome":"equal"/,
    matches: 20,
  },
];

export const MODES: readonly Mode[] = [
  ...REFUSALS,
  ...SESSIONS,
  ...REDIRECTS,
  ...PROBES,
  ...ENVELOPES,
  ...ANSWERS,
  ...LISTINGS,
  ...DEATHS,
];

/** The program of a mode: a sane server, then what the mode changes of it. */
export function programOf(stdio: string): string {
  return `${SANE}\n${stdio}`;
}
const SANE = readFileSync(path.resolve(import.meta.dirname, 'sane-program.txt'), 'utf8');
export const NODE = process.execPath;
