/**
 * Servers that go wrong: each is a harness error that names the target and the cause, what was compared until then is in
 * the report, the exit code is 2, and the outcome is never "equal".
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Address, EraChoice } from '../../../cli/parity/targets/target.ts';
import { json, startBad, type BadOptions } from './support/bad-servers.ts';
import type { CopyServer } from './support/copy-server.ts';
import type { Message } from './support/faults.ts';
import { at, compareTwo, program, target } from './support/run.ts';

let control: CopyServer;
beforeAll(async () => {
  control = await startBad();
});
afterAll(() => control[Symbol.asyncDispose]());

const right = (message: Message) => ({
  jsonrpc: '2.0',
  id: message['id'],
  result: { content: [{ type: 'text', text: JSON.stringify(message['params']) }] },
});
const EVENT = `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(65_000)}"}}\n\n`;
const listing = (result: object): BadOptions => ({
  first: (response, message) => {
    if (message['method'] !== 'tools/list') return false;
    json(response, 200, { jsonrpc: '2.0', id: message['id'], result });
    return true;
  },
});

interface Row {
  readonly name: string;
  readonly server: BadOptions;
  readonly where: string;
  readonly reason: string;
  readonly cause: RegExp;
  /** Calls that were compared before it went wrong. */
  readonly compared?: number;
}

const ROWS: readonly Row[] = [
  {
    name: 'refuses the sign-in',
    server: {
      first: (response) => {
        response.writeHead(401, { 'www-authenticate': 'Bearer realm="desk"' }).end('no');
        return true;
      },
    },
    where: 'connecting',
    reason: 'refused_sign_in',
    cause: /^HTTP 401 \(Bearer realm="desk"\): no$/,
  },
  {
    name: 'answers with a page of a proxy',
    server: {
      first: (response) => {
        response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
        return true;
      },
    },
    where: 'connecting',
    reason: 'refused',
    cause: /^HTTP 502 refuses initialize: <h1>Bad gateway<\/h1>$/,
  },
  {
    name: 'answers with what is no JSON',
    server: { onCall: (response) => json(response, 200, 'not json') },
    where: 'echo',
    reason: 'garbage',
    cause: /no JSON-RPC answer to tools\/call: not json$/,
  },
  {
    name: 'answers another request',
    server: { onCall: (response, message) => json(response, 200, { ...right(message), id: 999 }) },
    where: 'echo',
    reason: 'garbage',
    cause: /no JSON-RPC answer/,
  },
  {
    name: 'floods with events',
    server: {
      onCall: (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const more = (): void => {
          while (!response.destroyed && response.write(EVENT));
        };
        response.on('drain', more);
        more();
      },
    },
    where: 'echo',
    reason: 'flood',
    cause: /^the answer is larger than 33554432 bytes$/,
  },
  {
    name: 'lists a schema that is none',
    server: { tool: { name: 'echo', inputSchema: { type: 'objekt' }, annotations: { readOnlyHint: true } } },
    where: 'tool echo',
    reason: 'broken_listing',
    cause: /^inputSchema: schema is invalid/,
    compared: 20,
  },
  {
    name: 'lists no list',
    server: listing({ tools: 'none' }),
    where: 'listing',
    reason: 'broken_listing',
    cause: /gave no list of tools/,
  },
  {
    name: 'lists a tool without a name',
    server: listing({ tools: [{}] }),
    where: 'listing',
    reason: 'broken_listing',
    cause: /an entry without name/,
  },
  {
    name: 'lists pages without end',
    server: listing({ tools: [], nextCursor: 'more' }),
    where: 'listing',
    reason: 'flood',
    cause: /gives the cursor more again/,
  },
];

describe.concurrent('a candidate that', () => {
  it.for(ROWS)('$name', async ({ server, where, reason, cause, compared = 0 }, { expect }) => {
    await using candidate = await startBad(server);
    const timeoutMs = reason === 'no_answer' ? 800 : 20_000;
    const report = await compareTwo(at(control.url), at(candidate.url), { cases: 20, timeoutMs });
    expect([report.exitCode, report.outcome]).toEqual([2, 'could_not_run']);
    const error = report.harnessErrors.find((each) => each.where === where);
    expect(error).toMatchObject({ target: 'candidate', reason, cause: expect.stringMatching(cause) });
    expect(report.counts.match).toBeGreaterThanOrEqual(compared);
    expect(report.counts.mismatch).toBe(0);
  });
});

/** The control answered what the candidate did not: that is a difference, and the run says what it did not ask. */
const SILENCES: readonly (readonly [string, string, BadOptions])[] = [
  [
    'dies half-way',
    'died',
    {
      onCall: (response, message, call) => {
        if (call > 10) response.destroy();
        else json(response, 200, right(message));
      },
    },
  ],
  ['hangs', 'no_answer', { onCall: () => undefined }],
];

describe.concurrent('a candidate alone that', () => {
  it.for(SILENCES)('%s', async ([, fault, server], { expect }) => {
    await using candidate = await startBad(server);
    const timeoutMs = fault === 'no_answer' ? 800 : 20_000;
    const report = await compareTwo(at(control.url), at(candidate.url), { cases: 20, timeoutMs });
    expect(report.exitCode).toBe(1);
    expect(report.failures.find(({ group }) => group === 'echo')?.differences).toEqual([
      { path: 'answer', control: 'result', candidate: expect.stringContaining(`none (${fault})`) },
    ]);
    expect(report.notCompared).toContainEqual({
      group: 'echo',
      reason: expect.stringMatching(/^\d+ calls were not asked: candidate left 3 calls of it without an answer$/),
    });
    // Everything that was planned was compared or is named as not asked.
    const asked = report.groups.find(({ group }) => group === 'echo')?.calls ?? 0;
    expect(asked + Number(/^\d+/.exec(report.notCompared[0]?.reason ?? '')?.[0])).toBe(20);
  });
});

const SILENT = 'setTimeout(() => {}, 60_000)';
const ADDRESSES: readonly (readonly [string, Address, EraChoice, string, RegExp])[] = [
  ['has no such name', at('http://no-such-host.invalid/mcp'), 'auto', 'unreachable', /no-such-host\.invalid/],
  [
    'is no program',
    { kind: 'stdio', command: ['no-such-program'] },
    'auto',
    'unreachable',
    /no-such-program could not be started/,
  ],
  [
    'ends at once',
    program('-e', 'console.error("boom"); process.exit(3)'),
    'auto',
    'died',
    /exit code 3, and said: boom/,
  ],
  [
    'prints what is no JSON and nothing else',
    program('-e', `console.log("hello"); ${SILENT}`),
    '2025',
    'no_answer',
    /it said what is no JSON-RPC: hello/,
  ],
  ['says nothing', program('-e', SILENT), '2025', 'no_answer', /no answer to initialize within 1500 ms/],
];

describe.concurrent('an address that', () => {
  it.for(ADDRESSES)('%s', async ([, address, era, reason, cause], { expect }) => {
    const candidates = [target('candidate', address, era)];
    const limit = reason === 'no_answer' ? { connectTimeoutMs: 1_500 } : {};
    const report = await compareTwo(at(control.url), at(control.url), { candidates, ...limit });
    expect([report.exitCode, report.groups]).toEqual([2, []]);
    expect(report.harnessErrors).toEqual([
      { target: 'candidate', where: 'connecting', reason, cause: expect.stringMatching(cause), count: 1 },
    ]);
  });

  it('nobody listens at', async ({ expect }) => {
    const closed = await startBad();
    await closed[Symbol.asyncDispose]();
    const report = await compareTwo(at(control.url), at(closed.url));
    expect(report.harnessErrors).toMatchObject([
      { target: 'candidate', reason: 'unreachable', cause: expect.stringContaining('ECONNREFUSED') },
    ]);
    expect(report.exitCode).toBe(2);
  });

  it('speaks another era', async ({ expect }) => {
    const candidates = [target('candidate', at(control.url), '2026')];
    const report = await compareTwo(at(control.url), at(control.url), { candidates });
    expect(report.harnessErrors).toMatchObject([
      { target: 'candidate', reason: 'wrong_era', cause: expect.stringContaining('2026-07-28') },
    ]);
    expect(report.exitCode).toBe(2);
  });

  it('is the control', async ({ expect }) => {
    const report = await compareTwo(at('http://no-such-host.invalid/'), at(control.url));
    expect([report.exitCode, report.harnessErrors[0]?.target]).toEqual([2, 'control']);
  });

  it('lists nothing to call, so that nothing would be compared', async ({ expect }) => {
    const selection = { only: ['no-such-tool'], skip: [], allowWrites: false };
    const report = await compareTwo(at(control.url), at(control.url), { selection });
    expect([report.exitCode, report.groups]).toEqual([2, []]);
  });

  it('is one of two candidates: the other one is compared, and the exit code is 2 all the same', async ({ expect }) => {
    const candidates = [target('gone', at('http://no-such-host.invalid/')), target('there', at(control.url))];
    const report = await compareTwo(at(control.url), at(control.url), { candidates, cases: 20 });
    expect(report.exitCode).toBe(2);
    expect(report.groups[0]?.candidates.find(({ name }) => name === 'there')?.counts.match).toBe(20);
  });
});
