/** A bounded share of `npm run fuzz`, with a new seed each time; a failure prints the seed and a small request. */
import process from 'node:process';
import { describe, it } from 'vitest';
import { fuzz, FUZZ_VARS } from '../../scripts/fuzz/run.ts';
import { faultOf } from '../../scripts/fuzz/judge.ts';
import { bytesOf, curlOf } from '../../scripts/fuzz/request.ts';
import { wasReloaded, wrongLines } from '../../scripts/fuzz/output.ts';
import { startDevServer } from '../../scripts/lib/dev-server.ts';

const LIMIT_MS = 6_000;

describe('hostile HTTP', () => {
  it('breaks no rule on either route', async ({ expect }) => {
    await using server = await startDevServer({ config: 'test/fuzz/target.toml', vars: FUZZ_VARS });
    const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const report = await fuzz({
      url: server.url,
      seed,
      requests: 800,
      parallel: 8,
      limitMs: LIMIT_MS,
      output: () => server.output(),
    });
    console.log(`${report.sent} hostile requests, seed ${seed}: ${JSON.stringify(report.statuses)}`);
    expect(report.failures).toEqual([]);
    expect(report.sent).toBeGreaterThan(50);
  });
});

describe('the judge', () => {
  const request = { method: 'POST', target: '/mcp', headers: [], body: undefined, framing: 'none' } as const;
  const answered = (status: number, body: string, headers: Record<string, string> = {}) =>
    faultOf(request, {
      kind: 'answer',
      answer: { status, body, headers: new Map(Object.entries({ 'content-type': 'application/json', ...headers })) },
    });
  const error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}';

  it('lets pass what is right', ({ expect }) => {
    expect(answered(200, 'anything')).toBeUndefined();
    expect(answered(400, error)).toBeUndefined();
    expect(answered(202, '')).toBeUndefined();
  });

  it('finds what is wrong', ({ expect }) => {
    expect(answered(500, error)).toContain('status 500');
    expect(answered(504, error)).toContain('status 504');
    expect(answered(400, 'Bad Request')).toContain('without a JSON-RPC error');
    expect(answered(400, '{"jsonrpc":"2.0","id":1}')).toContain('without a JSON-RPC error');
    expect(answered(400, error, { 'content-type': 'text/plain' })).toContain('content type text/plain');
    expect(answered(200, 'data: {"error":{"message":"The call was not answered within 9 ms"}}')).toBe(
      'the door had to end the stream',
    );
    expect(faultOf(request, { kind: 'hang', received: '' })).toBe('no whole answer in time');
    expect(faultOf(request, { kind: 'closed', received: '' })).toContain('closed without an answer');
    const foreign = { ...request, headers: [['Origin', 'null']] as const };
    const readable = { status: 200, body: '', headers: new Map([['access-control-allow-origin', 'null']]) };
    expect(faultOf(foreign, { kind: 'answer', answer: readable })).toBe('a foreign page may read the answer');
  });

  it('reads the output of a server', ({ expect }) => {
    const output = [
      'before',
      '[wrangler:info] Ready on http://127.0.0.1:1',
      '[wrangler:info] POST /mcp 200 OK (1ms)',
      '✘ [ERROR] {"level":"warn","fault":"sdk_error"}',
      '{"level":"info","verdict":"ok"}',
      'exception = workerd/io/trace-stream.c++:841: disconnected: jsg.Error: canceled',
      'stack: /a/workerd@6320d20 /a/workerd@6319910',
      '✘ [ERROR] Uncaught Error: oh',
      '',
    ];
    expect(wrongLines(output.join('\n'))).toEqual(['Uncaught Error: oh']);
    expect(wasReloaded(output.join('\n'))).toBe(false);
    expect(wasReloaded([...output, '⎔ Reloading local server...'].join('\n'))).toBe(true);
  });
});

describe('a hostile request', () => {
  const request = {
    method: 'POST',
    target: '/mcp?a=b',
    headers: [['Accept', '*/*']],
    body: Buffer.from("it's"),
    framing: 'chunked',
  } as const;

  it('is sent as it is', ({ expect }) => {
    expect(bytesOf(request, 'localhost').toString()).toBe(
      "POST /mcp?a=b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: */*\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nit's\r\n0\r\n\r\n",
    );
  });

  it('can be sent by hand', ({ expect }) => {
    expect(curlOf(request, 'http://localhost:1')).toBe(
      `curl -sS -i --max-time 10 -X POST -H 'User-Agent:' -H 'Content-Type:' -H 'Accept: */*' -H 'Transfer-Encoding: chunked' --path-as-is 'http://localhost:1/mcp?a=b' --data-binary 'it'\\''s'`,
    );
    expect(curlOf({ ...request, body: Buffer.from([0xff]) }, 'http://localhost:1')).toBe(
      `printf %s /w== | base64 -d | curl -sS -i --max-time 10 -X POST -H 'User-Agent:' -H 'Content-Type:' -H 'Accept: */*' -H 'Transfer-Encoding: chunked' --path-as-is 'http://localhost:1/mcp?a=b' --data-binary @-`,
    );
  });
});
