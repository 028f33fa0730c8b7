/** What decides how a target is asked: its era, its redirects, the rest that it asks for, what a program gets to see. */
import { URL } from 'node:url';
import { describe, it } from 'vitest';
import { environmentFor } from '../../../cli/parity/targets/environment.ts';
import { eraOfAnswer, eraOfFault } from '../../../cli/parity/targets/probe.ts';
import { redirectOf } from '../../../cli/parity/targets/redirect.ts';
import { scriptHint } from '../../../cli/parity/targets/stdio.ts';
import { readAddress } from '../../../cli/parity/targets/target.ts';
import { retryAfter, Throttle } from '../../../cli/parity/targets/throttle.ts';
import { readJson, WireFault } from '../../../cli/parity/targets/wire.ts';
import { deeperThan } from '../../../src/parity/depth.ts';
import { envelopeFaults } from '../../../src/parity/envelope.ts';

const refused = (status: number, body = ''): WireFault => new WireFault('refused', `HTTP ${status}`, { status, body });
const rpc = (code: number, data?: object): string => JSON.stringify({ jsonrpc: '2.0', id: -1, error: { code, data } });
const result = (fields: object): object => ({ jsonrpc: '2.0', id: 1, result: fields });

describe('a target', () => {
  it.for([
    ['localhost:18711/mcp', '. Use http://localhost:18711/mcp'],
    ['sse:[::1]:8787/sse', '. Use sse:http://[::1]:8787/sse'],
    ['//old.example.com/mcp', '. Use https://old.example.com/mcp'],
    ['old.example.com?key=1', '. Use https://old.example.com?key=1'],
    ['old.example.com', '. Use https://old.example.com'],
    ['10.0.0.1:80', '. Use https://10.0.0.1:80'],
    ['node server.js', 'not: node server.js'],
    ['server.js', 'not: server.js'],
    ['./a.example/mcp', 'not: ./a.example/mcp'],
    ['dist/server', 'not: dist/server'],
    ['localhost:999999', 'not: localhost:999999'],
    ['ftp://old.example.com', 'not: ftp://old.example.com'],
  ] as const)('%s is refused with what was meant, if that is clear', ([text, end], { expect }) => {
    expect(readAddress(text)).toEqual({ ok: false, why: expect.stringMatching(new RegExp(`${RegExp.escape(end)}$`)) });
  });
});

describe('the era of a server', () => {
  it.for([
    ['that describes itself', result({ supportedVersions: ['2026-07-28'], capabilities: {} }), '2026'],
    ['of another version', result({ supportedVersions: ['2025-11-25'], capabilities: {} }), '2025'],
    ['that does not know the method', JSON.parse(rpc(-32601)), '2025'],
    ['that supports older versions', JSON.parse(rpc(-32022, { supported: ['2025-11-25'] })), '2025'],
    ['that supports newer versions only', JSON.parse(rpc(-32022, { supported: ['2027-01-01'] })), 'none'],
    ['that answers with nothing', { jsonrpc: '2.0', id: 1 }, 'none'],
  ] as const)('is told from the answer of one %s', ([, message, era], { expect }) => {
    expect(eraOfAnswer(message).era).toBe(era);
  });

  it.for([
    ['HTTP 400', refused(400), false, '2025'],
    ['HTTP 404 with -32601', refused(404, rpc(-32601)), false, '2025'],
    ['HTTP 400 with newer versions', refused(400, rpc(-32022, { supported: ['2027-01-01'] })), false, 'none'],
    ['HTTP 500', refused(500), false, 'none'],
    ['HTTP 503 with -32601', refused(503, rpc(-32601)), false, 'none'],
    ['HTTP 429', refused(429), false, 'none'],
    ['a redirect', refused(302), false, 'none'],
    ['a sign-in', new WireFault('refused_sign_in', 'HTTP 401', { status: 401 }), false, 'none'],
    ['silence over HTTP', new WireFault('no_answer', ''), false, 'none'],
    ['silence of a program', new WireFault('no_answer', ''), true, '2025'],
    ['the end of a program', new WireFault('died', ''), true, '2025'],
    ['a page', new WireFault('garbage', '', { status: 200 }), false, 'none'],
  ] as const)('is told from %s', ([, fault, pipe, era], { expect }) => {
    expect(eraOfFault(fault, pipe).era).toBe(era);
  });
});

describe('a redirect', () => {
  const from = new URL('http://one.example/mcp');
  it.for([
    ['POST', 308, '/mcp/', 'http://one.example/mcp/'],
    ['GET', 302, '/sse', 'http://one.example/sse'],
    ['POST', 307, 'https://one.example/mcp', 'https://one.example/mcp'],
    ['POST', 200, 'http://two.example/', undefined],
  ] as const)('of %s with %i to %s is followed', ([method, status, location, to], { expect }) => {
    expect(redirectOf(method, from, status, location)?.href).toBe(to);
  });

  it.for([
    ['POST', 302, '/other'],
    ['POST', 307, 'http://two.example/mcp'],
    ['GET', 302, 'http://one.example:8080/sse'],
    ['GET', 301, 'http://user:secret@one.example/sse'],
    ['POST', 308, 'http://'],
  ] as const)(
    'of %s with %i to %s is refused, and not with what it holds',
    ([method, status, location], { expect }) => {
      expect(() => redirectOf(method, from, status, location)).toThrow(/is not followed\. Give that URL/);
      expect(() => redirectOf(method, from, status, location)).not.toThrow(/secret/);
    },
  );
});

describe('a throttle', () => {
  it('waits as long as it is told to and sends again, fewer side by side', async ({ expect }) => {
    const waits: number[] = [];
    const throttle = new Throttle((ms) => waits.push(ms));
    let running = 0;
    let most = 0;
    let refusals = 0;
    const one = (): Promise<string> =>
      throttle.run(async () => {
        running += 1;
        if (refusals >= 8) most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (refusals < 8) {
          refusals += 1;
          throw new WireFault('refused', 'HTTP 429', { status: 429, retryAfterMs: 60 });
        }
        return 'answered';
      });
    expect(await Promise.all(Array.from({ length: 8 }, one))).toEqual(Array.from({ length: 8 }, () => 'answered'));
    expect(waits.length).toBeGreaterThanOrEqual(1);
    expect(waits[0]).toBeGreaterThanOrEqual(59);
    expect(most).toBeLessThanOrEqual(4);
  });

  it.for([
    ['never ends', 50],
    ['asks for a day', 86_400_000],
  ] as const)('gives up where the refusal %s', async ([, retryAfterMs], { expect }) => {
    let sent = 0;
    const fault = new WireFault('refused', 'HTTP 503', { retryAfterMs });
    const work = (): Promise<never> => {
      sent += 1;
      return Promise.reject(fault);
    };
    await expect(new Throttle().run(work)).rejects.toBe(fault);
    expect(sent).toBe(retryAfterMs === 50 ? 6 : 1);
  });

  it('ends its wait with the run', async ({ expect }) => {
    const stop = new AbortController();
    const throttle = new Throttle(() => stop.abort(), stop.signal);
    const work = (): Promise<never> => Promise.reject(new WireFault('refused', '', { retryAfterMs: 30_000 }));
    await expect(throttle.run(work)).rejects.toMatchObject({ reason: 'interrupted' });
  });

  it('reads seconds and dates', ({ expect }) => {
    const now = Date.parse('2026-12-01T00:00:00Z');
    expect(retryAfter('3', now)).toBe(3_000);
    expect(retryAfter('Tue, 01 Dec 2026 00:00:05 GMT', now)).toBe(5_000);
    expect(retryAfter('Mon, 30 Nov 2026 00:00:00 GMT', now)).toBe(0);
    expect(retryAfter('soon', now)).toBeUndefined();
    expect(retryAfter(undefined, now)).toBeUndefined();
  });
});

describe('a message', () => {
  it('that is nested too deep is refused before anything walks through it', ({ expect }) => {
    const nested = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
    expect(readJson(nested(1_000))).toBeDefined();
    expect(() => readJson(nested(6_000))).toThrow(/more than 1000 levels/);
    expect(deeperThan(JSON.stringify('['.repeat(5_000)), 1_000)).toBe(false);
    expect(deeperThan(`["\\\\"${',[]'.repeat(5_000)}]`, 1_000)).toBe(false);
  });

  const listing = { tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const without = (key: keyof typeof listing): object => {
    const { [key]: _left, ...rest } = listing;
    return rest;
  };
  it.for([
    ['2026', 'tools/list', result(listing), []],
    ['2026', 'tools/list', result(without('resultType')), ['resultType']],
    ['2026', 'tools/list', result(without('ttlMs')), ['ttlMs']],
    ['2026', 'tools/list', result(without('cacheScope')), ['cacheScope']],
    ['2026', 'tools/list', result(without('tools')), ['tools']],
    [
      '2026',
      'resources/read',
      result({ resultType: 'complete', contents: [], ttlMs: -1, cacheScope: 'all' }),
      ['ttlMs', 'cacheScope'],
    ],
    ['2026', 'tools/call', result({ resultType: 'complete', content: [] }), []],
    ['2026', 'tools/call', result({ resultType: 'later', content: [] }), ['resultType']],
    ['2026', 'tools/call', result({ resultType: 'input_required' }), ['inputRequests']],
    ['2026', 'tools/call', result({ resultType: 'input_required', requestState: 's' }), []],
    ['2025', 'tools/call', result({ structuredContent: {} }), []],
    ['2025', 'tools/list', result({ tools: [] }), []],
    ['2025', 'prompts/get', result({}), ['messages']],
    ['2025', 'initialize', result({ capabilities: {}, serverInfo: { name: 'a' } }), ['serverInfo']],
    ['2025', 'tools/call', { id: 1, result: {} }, ['jsonrpc']],
    [
      '2025',
      'tools/call',
      { jsonrpc: '2.0', id: 1, error: { code: '1', message: 1 } },
      ['error.code', 'error.message'],
    ],
  ] as const)('of %s for %s lacks what its era requires: %#', ([era, method, message, keys], { expect }) => {
    expect(envelopeFaults(era, method, message).map(({ key }) => key)).toEqual(keys);
  });
});

describe('the environment of a program', () => {
  const all = { PATH: '/bin', HOME: '/home/a', SECRET_TOK: 's3cret', API_KEY: 'k', NODE_OPTIONS: '--x' };
  it('is the usual few, what is named, and what the configuration gives', ({ expect }) => {
    expect(environmentFor(all, [], {})).toEqual({ PATH: '/bin', HOME: '/home/a' });
    expect(environmentFor(all, ['API_KEY', 'NOT_SET'], { DEBUG: '1' })).toEqual({
      PATH: '/bin',
      HOME: '/home/a',
      API_KEY: 'k',
      DEBUG: '1',
    });
  });

  it('is found on Windows however its names are written, and each name is there once', ({ expect }) => {
    const windows = {
      Path: String.raw`C:\bin`,
      SystemRoot: String.raw`C:\Windows`,
      Api_Key: 'k',
      SECRET_TOK: 's3cret',
    };
    expect(environmentFor(windows, ['API_KEY'], {}, true)).toEqual({
      Path: String.raw`C:\bin`,
      SystemRoot: String.raw`C:\Windows`,
      Api_Key: 'k',
    });
    expect(environmentFor(windows, [], { PATH: String.raw`D:\bin` }, true)).toEqual({
      PATH: String.raw`D:\bin`,
      SystemRoot: String.raw`C:\Windows`,
    });
  });

  it('has a hint for a script of Windows, which is no program', ({ expect }) => {
    expect(scriptHint('npx', 'win32')).toBe('. A script such as npx needs its interpreter: stdio:cmd /c npx …');
    expect([scriptHint('npx', 'linux'), scriptHint('node.exe', 'win32')]).toEqual(['', '']);
  });
});
