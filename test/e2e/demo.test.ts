/** `npm run demo`: what it prints, and that it fails when a lane differs or cannot be asked. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { demo } from '../../cli/demo/command.ts';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';

const run = promisify(execFile);
const TOOLS = [
  'add',
  'ping',
  'search',
  'lookup',
  'readDocument',
  'qrCode',
  'incrementCounter',
  'getCounter',
  'resetCounter',
];

describe('npm run demo', () => {
  it('starts a server, prints a row that matches for every tool, and ends with 0', async ({ expect }) => {
    // Rejects on any other exit code.
    const { stdout, stderr } = await run('npm', ['run', '--silent', 'demo'], { cwd: PROJECT_ROOT });
    expect(stderr).toBe('');
    for (const tool of TOOLS) {
      expect(stdout).toMatch(new RegExp(`^${tool} +\\d+\\.\\d ms +\\d+\\.\\d ms +\\d+\\.\\d ms  match$`, 'm'));
    }
    expect(stdout).toContain('25 calls on each lane: 24 match, 1 known difference, 0 mismatch, 0 harness error');
    expect(stdout).toMatch(/^ +SDK v1 +SDK v2 +SDK v2$/m);
    expect(stdout).toMatch(/^ +2025-11-25 +2025-11-25 +2026-07-28$/m);
  });
});

describe('the demo against a running server', () => {
  let server: DevServer;
  beforeAll(async () => {
    server = await startDevServer();
  });
  afterAll(() => server.stop());

  it('prints its report as JSON', async ({ expect }) => {
    const { exitCode, out } = await demo(['--url', server.url, '--json']);
    expect(exitCode).toBe(0);
    const report = JSON.parse(out ?? '');
    expect(report).toMatchObject({
      exitCode: 0,
      lanes: [
        { name: 'legacy', client: 'SDK v1', protocol: '2025-11-25', path: '/legacy/mcp' },
        { name: 'compat', client: 'SDK v2', protocol: '2025-11-25', path: '/mcp' },
        { name: 'modern', client: 'SDK v2', protocol: '2026-07-28', path: '/mcp' },
      ],
      counts: { match: 24, known_difference: 1, mismatch: 0, harness_error: 0, inconclusive: 0 },
      uncovered: [],
      stale: [],
    });
    const answers = report.rows.find((row: { name: string }) => row.name === 'add').answers;
    expect(answers.map((answer: { saw: unknown }) => answer.saw)).toEqual(
      Array.from({ length: 3 }, () => ({
        kind: 'result',
        result: { content: [{ type: 'text', text: '{"sum":5}' }], structuredContent: { sum: 5 } },
      })),
    );
  });

  it.for([
    { lane: 'compat', others: 'legacy against modern' },
    { lane: 'modern', others: 'legacy against compat' },
  ])('goes red when one answer of $lane is altered', async ({ lane, others }, { expect }) => {
    const { exitCode, out } = await demo(['--url', server.url, '--spoil', lane]);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^add +[\d.]+ ms +[\d.]+ ms +[\d.]+ ms  MISMATCH$/m);
    expect(out).toContain(
      [
        `add, legacy against ${lane}: MISMATCH`,
        '  result.structuredContent.sum',
        '    legacy  5',
        `    ${lane}  6`,
      ].join('\n'),
    );
    expect(out).not.toContain(`add, ${others}`);
  });

  it('goes red against both other lanes when the control is altered', async ({ expect }) => {
    const { exitCode, out } = await demo(['--url', server.url, '--spoil', 'legacy']);
    expect(exitCode).toBe(1);
    expect(out).toContain('add, legacy against compat: MISMATCH\n  result.structuredContent.sum\n    legacy  6');
    expect(out).toContain('add, legacy against modern: MISMATCH\n  result.structuredContent.sum\n    legacy  6');
  });
});

describe('a demo that cannot be made ends with 2', () => {
  it('when nothing listens at the URL', async ({ expect }) => {
    const { exitCode, out, error } = await demo(['--url', 'http://127.0.0.1:1']);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: undefined });
    expect(error).toContain('A client could not connect to http://127.0.0.1:1');
  });

  it('when the server does not start', async ({ expect }) => {
    const { exitCode, out, error } = await demo([], () => startDevServer({ config: 'no-such-file.toml' }));
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: undefined });
    expect(error).toContain('The local server did not start. It printed:');
    expect(error).toContain('no-such-file.toml');
  });

  it.for([
    { args: ['--spoil', 'both'], says: '--spoil takes legacy, compat or modern, not: both' },
    { args: ['--url', 'nowhere'], says: '--url is not a web address: nowhere' },
    { args: ['--url', 'localhost:8787'], says: 'Use http://localhost:8787' },
    { args: ['--faster'], says: "Unknown option '--faster'" },
  ])('when the arguments are wrong: $args', async ({ args, says }, { expect }) => {
    const { exitCode, error } = await demo(args);
    expect(exitCode).toBe(2);
    expect(error).toContain(says);
    expect(error).toContain('npm run demo [-- options]');
  });
});
