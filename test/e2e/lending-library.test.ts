/**
 * The example server as it would be deployed: a D1 database, a KV namespace, a secret, and two APIs over HTTP, of which one
 * is called with the caller's own token. Two callers of different rights use it side by side on every lane.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { callTool, laneTests, LANE_NAMES, openLane, type Lane, type LaneName } from 'hybrid-mcp/contract';
import type { JsonObject } from 'hybrid-mcp/define';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { OFFLINE_ENV, PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';
import type { RunReport } from '../../cli/parity/run/report.ts';
import type { Address, EraChoice } from '../../cli/parity/targets/target.ts';
import { converse } from '../contract/conversation.ts';
import { at, compareTwo, target } from './parity/support/run.ts';

const CONFIG = 'examples/lending-library/wrangler.jsonc';
const WRANGLER = createRequire(import.meta.url).resolve('wrangler');
const CLOCKMAKER = '9780000000028';

const MEMBERS: Readonly<Record<string, object>> = {
  'rae-token': { id: 'rae', role: 'reader', scopes: ['reviews:write'] },
  'sol-token': { id: 'sol', role: 'staff', scopes: ['loans:write', 'reviews:write', 'desk'] },
};

/** Both APIs. Reviews are of whoever a token says, and nobody is told of another's token. */
const reviews: { by: string; text: string }[] = [];
const apis: Server = createServer((request, response) => {
  const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
  const member = MEMBERS[token] as { id: string } | undefined;
  const answer = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (member === undefined) return answer(401, {});
  if (request.url === '/me') return answer(200, member);
  if (request.method === 'GET') return answer(200, [...reviews, { by: 'api', text: `Read by ${member.id}.` }]);
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    reviews.push({ by: member.id, text });
    answer(201, {});
  });
});

let server: DevServer;
let store: string;
beforeAll(async () => {
  store = await mkdtemp(path.join(tmpdir(), 'lending-library-'));
  apis.listen(0, '127.0.0.1');
  await once(apis, 'listening');
  const url = `http://127.0.0.1:${(apis.address() as AddressInfo).port}`;
  const migrate = ['d1', 'migrations', 'apply', 'BOOKS', '--local', '--config', CONFIG, '--persist-to', store];
  const env = { ...process.env, ...OFFLINE_ENV, CI: 'true' };
  await promisify(execFile)(process.execPath, ['--no-warnings', WRANGLER, ...migrate], { cwd: PROJECT_ROOT, env });
  server = await startDevServer({
    config: CONFIG,
    persistTo: store,
    vars: { MEMBERS_URL: url, REVIEWS_URL: url, CARD_SECRET: 'of the test' },
  });
});
afterAll(async () => {
  await server?.stop();
  apis.close();
  apis.closeAllConnections();
  await rm(store, { recursive: true, force: true });
});

const as = (name: 'rae' | 'sol') => ({ headers: { authorization: `Bearer ${name}-token` } });
const open = (lane: LaneName, name: 'rae' | 'sol'): Promise<Lane> =>
  openLane(lane, {
    origin: server.url,
    send: fetch,
    ...as(name),
    paths: { mcp: '/mcp', legacy: '/legacy/mcp' },
    capabilities: { elicitation: { form: {} } },
  });

const result = (structuredContent: JsonObject) => ({
  kind: 'result' as const,
  result: { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent },
});
const said = (text: string) => ({ kind: 'result' as const, result: { content: [{ type: 'text', text }] } });
const unknown = (name: string) => ({
  kind: 'error' as const,
  error: { code: -32602, message: `Unknown tool: ${name}` },
});
const TIDES = { isbn: '9780000000035', title: 'Tides and Timetables', author: 'Ines Marlow', copies: 3 };

describe('each lane answers two callers of different rights the same, alone and side by side', () => {
  const tests = laneTests({
    send: (request) => fetch(new Request(request.url.replace('http://localhost', server.url), request)),
    callers: { rae: as('rae'), sol: as('sol') },
    cases: [
      {
        name: 'books are found',
        steps: [callTool('find-books', { words: 'timetables' })],
        expected: result({ books: [TIDES] }),
      },
      {
        name: 'nothing is found by a pattern',
        steps: [callTool('find-books', { words: '%_' })],
        expected: result({ books: [] }),
      },
      {
        name: 'a page of a book',
        steps: [{ method: 'resources/read', params: { uri: `library://books/${TIDES.isbn}` } }],
      },
      {
        name: 'titles complete themselves',
        steps: [
          {
            method: 'completion/complete',
            params: { ref: { type: 'ref/prompt', name: 'recommend' }, argument: { name: 'like', value: 'clock' } },
          },
        ],
      },
      { name: 'rae may not borrow', as: 'rae', steps: [callTool('borrow-book', { isbn: CLOCKMAKER })] },
      { name: 'sol borrows', as: 'sol', steps: [callTool('borrow-book', { isbn: CLOCKMAKER }), callTool('my-loans')] },
      { name: 'rae has borrowed nothing', as: 'rae', steps: [callTool('my-loans')], expected: result({ loans: [] }) },
      {
        name: 'rae reads reviews with her token',
        as: 'rae',
        steps: [callTool('reviews-of', { isbn: CLOCKMAKER })],
        expected: result({ reviews: [{ by: 'api', text: 'Read by rae.' }] }),
      },
      {
        name: 'sol reads reviews with his token',
        as: 'sol',
        steps: [callTool('reviews-of', { isbn: CLOCKMAKER })],
        expected: result({ reviews: [{ by: 'api', text: 'Read by sol.' }] }),
      },
      {
        name: 'nothing is set aside',
        steps: [callTool('my-shelf', { clear: true })],
        expected: result({ titles: [] }),
      },
      { name: 'a card is the caller’s', steps: [callTool('my-card')] },
      {
        name: 'the hours are changed by staff',
        as: 'sol',
        steps: [callTool('change-hours', { text: 'Open all day.' }), callTool('opening-hours')],
        expected: said('Open all day.'),
      },
      {
        name: 'rae does not know that they can be',
        as: 'rae',
        steps: [callTool('change-hours', { text: 'Closed.' })],
        expected: unknown('change-hours'),
      },
    ],
    // They ask, which is not the same on every lane.
    uncalled: ['set-aside', 'write-review'],
  });
  for (const { name, run } of tests) it(name, run);
});

describe('mcp-parity, as two callers of different rights at the same time', () => {
  it('finds every lane equal for each, and a scope that is missing an answer', async ({ expect }) => {
    const compareAs = (name: 'rae' | 'sol'): Promise<RunReport> => {
      const on = (lane: string, era: EraChoice, address: Address) => ({ ...target(lane, address, era), ...as(name) });
      const [legacy, mcp] = [at(`${server.url}/legacy/mcp`), at(`${server.url}/mcp`)];
      return compareTwo(legacy, mcp, {
        control: on('legacy', '2025', legacy),
        candidates: [
          on('compat', '2025', mcp),
          on('modern', '2026', mcp),
          on('old transport', '2025', { kind: 'sse', url: `${server.url}/legacy/sse` }),
        ],
        cases: 2,
        selection: {
          only: ['find-books', 'my-loans', 'reviews-of', 'borrow-book', 'my-card'],
          skip: [],
          allowWrites: false,
        },
        examples: [{ method: 'tools/call', params: { name: 'borrow-book', arguments: { isbn: CLOCKMAKER } } }],
        slower: { factor: 1000, byMs: 60_000 },
      });
    };
    const [rae, sol] = await Promise.all([compareAs('rae'), compareAs('sol')]);
    const told = ({ exitCode, harnessErrors, failures, surface, groups }: RunReport) => ({
      exitCode,
      harnessErrors,
      failures,
      surface,
      borrow: groups.find(({ group }) => group === 'borrow-book')?.answers['modern'],
    });
    const equal = { exitCode: 0, harnessErrors: [], failures: [], surface: [] };
    expect([told(rae), told(sol)]).toMatchObject([
      { ...equal, borrow: { result: 0 } },
      { ...equal, borrow: { result: 1 } },
    ]);
  });
});

describe('what asks first and acts afterwards', () => {
  const yes = { action: 'accept', content: { sure: true, publish: true } };

  it('a shelf is one piece on all lanes, and each caller’s own', async ({ expect }) => {
    const CANNOT =
      'The tool "set-aside" has to ask the user a question, and this connection cannot carry one. Connect with a client that speaks MCP 2026-07-28, or use the server\'s /legacy/mcp URL.';
    const asked: unknown[] = [];
    for (const name of LANE_NAMES) {
      const [rae, sol] = await Promise.all([open(name, 'rae'), open(name, 'sol')]);
      const isbn = { legacy: TIDES.isbn, compat: CLOCKMAKER, modern: CLOCKMAKER }[name];
      const { saw } = await converse(
        rae,
        { name: 'set-aside', arguments: { isbn } },
        { 'Set "Tides and Timetables" aside?': yes, 'Set "The Clockmaker\'s Garden" aside?': yes },
      );
      const [hers, his] = await Promise.all(
        [rae, sol].map(
          async (lane) =>
            (await lane.request('tools/call', { name: 'my-shelf', arguments: {} })).answer?.result?.[
              'structuredContent'
            ],
        ),
      );
      asked.push([name, saw.kind === 'result' && (saw.result['content'] as { text: string }[])[0]?.text, hers, his]);
      await Promise.all([rae.close(), sol.close()]);
    }
    const one = { titles: ['Tides and Timetables'] };
    const two = { titles: ['Tides and Timetables', "The Clockmaker's Garden"] };
    expect(asked).toEqual([
      ['legacy', JSON.stringify(one), one, { titles: [] }],
      ['compat', CANNOT, one, { titles: [] }],
      ['modern', JSON.stringify(two), two, { titles: [] }],
    ]);
  });

  it('a review is published with the token of its writer', async ({ expect }) => {
    for (const name of ['legacy', 'modern'] as const) {
      const lanes = await Promise.all([open(name, 'rae'), open(name, 'sol')]);
      await Promise.all(
        lanes.map((lane, at) =>
          converse(
            lane,
            { name: 'write-review', arguments: { isbn: CLOCKMAKER, text: `${name} ${at}` } },
            { [`Publish "${name} ${at}"?`]: yes },
          ),
        ),
      );
      await Promise.all(lanes.map((lane) => lane.close()));
    }
    expect(reviews.toSorted((one, other) => one.text.localeCompare(other.text))).toEqual([
      { by: 'rae', text: 'legacy 0' },
      { by: 'sol', text: 'legacy 1' },
      { by: 'rae', text: 'modern 0' },
      { by: 'sol', text: 'modern 1' },
    ]);
  });
});
