/** What the door refuses, on both routes alike, before any lane sees it. */
import { exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { LANE_NAMES, openLane, readReply, type Message } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const send = (request: Request): Promise<Response> => exports.default.fetch(request);
const PATHS = ['/mcp', '/legacy/mcp'] as const;
const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } as const;
const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}';

interface Posted {
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
  readonly url?: string;
}

async function post(path: string, { body = PING, headers = {}, url = `${ORIGIN}${path}` }: Posted = {}) {
  const response = await send(new Request(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body }));
  const type = response.headers.get('content-type');
  const { id, error } = await response.json<Message>();
  return { status: response.status, type, id, code: error?.code, message: error?.message, headers: response.headers };
}

describe.each(PATHS)('the door of %s', (path) => {
  it('refuses a foreign host without any CORS header', async ({ expect }) => {
    const foreign = { headers: { origin: 'http://evil.example' }, url: `http://evil.example${path}` };
    const { status, code, message, headers } = await post(path, foreign);
    expect([status, code, message]).toEqual([
      403,
      -32000,
      'Forbidden: this server does not answer to this host name. Its operator can add it to ALLOWED_HOSTS.',
    ]);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  const METHODS = ['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PUT'] as const;
  const ways = [path, ...(path === '/mcp' ? [] : ['/legacy/sse', '/legacy/sse/message?sessionId=x'])].flatMap((at) =>
    METHODS.flatMap((method) => ['cross-site', 'same-site', 'anything'].map((site) => [method, at, site] as const)),
  );
  it.for(ways)('refuses what a browser sends without Origin: %s %s from %s', async ([method, at, site], { expect }) => {
    const headers = { ...JSON_TYPE, 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
    const body = method === 'POST' || method === 'PUT' ? PING : null;
    const response = await send(new Request(`${ORIGIN}${at}`, { method, headers, body }));
    const text = method === 'HEAD' ? undefined : (await response.json<Message>()).error?.message;
    expect([response.status, text]).toEqual([
      403,
      method === 'HEAD'
        ? undefined
        : 'Forbidden: a page of another site may call this server only with an Origin header, as scripts send it.',
    ]);
  });

  it.for([
    ['none', undefined],
    ['same-origin', undefined],
    ['cross-site', 'http://localhost:6274'],
    [undefined, undefined],
  ])('answers a browser whose request is from %s with Origin %s', async ([site, origin], { expect }) => {
    const headers = { ...(site !== undefined && { 'sec-fetch-site': site }), ...(origin !== undefined && { origin }) };
    const { status } = await post(path, { body: '{', headers });
    expect(status).toBe(400);
  });

  it.for(['https://evil.example', 'null'])(
    'refuses a page of %s without any CORS header',
    async (origin, { expect }) => {
      const { status, code, message, headers } = await post(path, { headers: { origin } });
      expect([status, code, message]).toEqual([
        403,
        -32000,
        'Forbidden: pages of this origin may not call this server. Its operator can add the host name to ALLOWED_ORIGINS.',
      ]);
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    },
  );

  it('refuses the preflight of a foreign page', async ({ expect }) => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const response = await send(new Request(`${ORIGIN}${path}`, { method: 'OPTIONS', headers }));
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  it.for([['text/plain; a=application/json'], ['application/jsonp'], ['multipart/form-data'], ['']])(
    'takes the content type for what it is: %s',
    async ([type = ''], { expect }) => {
      const { status, code, message } = await post(path, { headers: { 'content-type': type } });
      expect([status, code, message]).toEqual([
        415,
        -32000,
        'Unsupported Media Type: Content-Type must be application/json',
      ]);
    },
  );

  it.for(['APPLICATION/JSON', 'Application/Json; charset=utf-8', ' application/JSON;x=text/plain'])(
    'does not mind how the content type is written: %s',
    async (type, { expect }) => {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize', params });
      const headers = { ...JSON_TYPE, 'content-type': type };
      const { status, answer } = await readReply(
        await send(new Request(`${ORIGIN}${path}`, { method: 'POST', headers, body })),
        7,
      );
      expect([status, answer?.result?.['protocolVersion']]).toEqual([200, '2025-11-25']);
    },
  );

  it('does not unpack bodies', async ({ expect }) => {
    const { status, message } = await post(path, { headers: { 'content-encoding': 'gzip' } });
    expect([status, message]).toEqual([415, 'Unsupported Media Type: send the body without Content-Encoding']);
  });

  it('counts the bytes of a body that does not say its length', async ({ expect }) => {
    const chunk = new TextEncoder().encode(' '.repeat(1024 * 1024));
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        chunks += 1;
        if (chunks > 100) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const { status, code, type, message } = await post(path, { body });
    expect([status, code, type, message]).toEqual([
      413,
      -32000,
      'application/json',
      'Request body too large: the limit is 4194304 bytes',
    ]);
    expect(chunks).toBeLessThan(20);
  });

  it('believes a body that says it is too large', async ({ expect }) => {
    const { status } = await post(path, { body: ' '.repeat(4 * 1024 * 1024 + 1) });
    expect(status).toBe(413);
  });

  it.for([
    ['nothing', ''],
    ['half a message', PING.slice(0, 20)],
    ['two messages', PING + PING],
    ['a comment', `/* */${PING}`],
    ['a NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}'],
    ['UTF-16', Uint16Array.from(PING, (unit) => unit.charCodeAt(0))],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['half a character', new Uint8Array([0x22, 0xf0, 0x9f])],
  ] as const)('answers what is no JSON with a parse error: %s', async ([, body], { expect }) => {
    const { status, code, id, type } = await post(path, { body });
    expect([status, code, id, type]).toEqual([400, -32700, null, 'application/json']);
  });

  it.for([
    ['{"foo":1}', null],
    ['null', null],
    ['"ping"', null],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":1e400,"method":"ping"}', null],
    ['{"jsonrpc":"1.0","id":7}', 7],
    ['{"jsonrpc":"2.0","id":7,"result":1}', null],
    ['{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":5}}', 7],
    ['{"jsonrpc":"2.0","id":7,"method":"ping","extra":1}', 7],
    ['{"jsonrpc":"2.0","id":7,"method":"ping","__proto__":{}}', 7],
  ] as const)('answers what is no JSON-RPC as an invalid request: %s', async ([body, id], { expect }) => {
    const refused = await post(path, { body });
    expect([refused.status, refused.code, refused.id, refused.message]).toEqual([
      400,
      -32600,
      id,
      'Invalid Request: the body is not a JSON-RPC 2.0 message',
    ]);
  });

  it.for(['null', '[]', '7', '"a"'])(
    'says what is wrong with parameters that are no object: %s',
    async (params, { expect }) => {
      const refused = await post(path, { body: `{"jsonrpc":"2.0","id":7,"method":"ping","params":${params}}` });
      expect([refused.status, refused.code, refused.id, refused.message]).toEqual([
        400,
        -32600,
        7,
        'Invalid Request: "params" must be an object, or be left out',
      ]);
    },
  );

  it.for([
    ['[]', 'Invalid Request: a batch has 1 to 100 messages'],
    [
      `[${Array.from({ length: 101 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`).join()}]`,
      'Invalid Request: a batch has 1 to 100 messages',
    ],
    [`[${PING},${PING}]`, 'Invalid Request: each request of a batch needs an id of its own'],
    [
      `[${PING},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}]`,
      'Invalid Request: a batch cannot cancel',
    ],
    ['[{"jsonrpc":"2.0","id":1,"method":"initialize"}]', 'Invalid Request: initialize cannot be part of a batch'],
    ['[1]', 'Invalid Request: the body is not a JSON-RPC 2.0 message'],
  ] as const)('refuses a batch that would not end: %.40s', async ([body, message], { expect }) => {
    const refused = await post(path, { body });
    expect([refused.status, refused.code, refused.id, refused.message]).toEqual([400, -32600, null, message]);
  });

  it('refuses JSON deeper than either package can write again', async ({ expect }) => {
    const deep = `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}}`;
    const { status, code, message } = await post(path, { body: deep });
    expect([status, code, message]).toEqual([400, -32600, 'Invalid Request: JSON may be 128 levels deep']);
  });

  it('refuses a malformed initialize by name, and starts no session', async ({ expect }) => {
    const { status, code, message, headers } = await post(path, {
      body: '{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}',
    });
    expect([status, code, message, headers.get('mcp-session-id')]).toEqual([
      400,
      -32602,
      'Invalid params: initialize needs "protocolVersion", "capabilities" and "clientInfo"',
      null,
    ]);
  });

  it('answers at its path with slashes at the end, and at no other spelling', async ({ expect }) => {
    const statusOf = async (spelling: string): Promise<number> =>
      (await post(path, { url: `${ORIGIN}${spelling}` })).status;
    expect(
      await Promise.all([`${path}/x`, `/${path}`, path.toUpperCase(), path.replace('m', '%6d')].map(statusOf)),
    ).toEqual([404, 404, 404, 404]);
    const response = await send(new Request(`${ORIGIN}${path}//?a=b`, { method: 'PUT' }));
    expect([response.status, (await response.json<Message>()).error?.message.split(':')[0]]).toEqual([
      405,
      'Method not allowed',
    ]);
  });
});

describe.each(LANE_NAMES)('the same body on %s', (name) => {
  it.for([
    ['a byte order mark', `\uFEFF${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'notifications/none' })}`],
    ['a key twice', '{"jsonrpc":"2.0","id":6,"id":7,"method":"x","method":"notifications/none"}'],
    ['a number too large', '{"jsonrpc":"2.0","id":7,"method":"notifications/none","params":{"n":1e999}}'],
    ['half a surrogate', '{"jsonrpc":"2.0","id":7,"method":"notifications/none","params":{"s":"\\ud800"}}'],
    ['a NUL', '{"jsonrpc":"2.0","id":7,"method":"notifications/none","params":{"\\u0000":"\\u0000"}}'],
    [
      'a __proto__ in its params',
      '{"jsonrpc":"2.0","id":7,"method":"notifications/none","params":{"__proto__":{"x":1}}}',
    ],
  ] as const)('is read in spite of %s', async ([, body], { expect }) => {
    const lane = await openLane(name, { origin: ORIGIN, send });
    const response = await lane.post(body);
    const text = await response.text();
    expect(response.status).toBe(name === 'modern' ? 400 : 200);
    expect(text).toContain('"id":7');
    await lane.close();
  });
});
