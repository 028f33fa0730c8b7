/**
 * The program as a user starts it: help, exit codes, and every report in its file. Without arguments it starts the Worker
 * and compares its three lanes.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { mcpParity } from '../../../cli/parity/command.ts';
import { PROJECT_ROOT } from '../../../scripts/lib/wrangler.ts';
import { compileSchema } from '../../../cli/parity/validate.ts';
import certificateSchema from '../../../cli/parity/schema/certificate.schema.json' with { type: 'json' };
import reportSchema from '../../../cli/parity/schema/report.schema.json' with { type: 'json' };
import type { Json } from '../../../src/shared/json.ts';
import { startCopy, type CopyServer } from './support/copy-server.ts';
import { faultNamed } from './support/faults.ts';

interface Ended {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

function parity(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const launcher = path.join(PROJECT_ROOT, 'packages/mcp-parity/mcp-parity.js');
    execFile(
      process.execPath,
      [launcher, ...args],
      { cwd: PROJECT_ROOT, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : error.code, stdout, stderr });
      },
    );
  });
}

/** The same without a process of its own, for what a process would not show better. */
async function inProcess(...args: readonly string[]): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const out = (text: string): void => void (said.stdout += text);
  const error = (text: string): void => void (said.stderr += text);
  return { code: await mcpParity(args, { out, error, colour: false }), ...said };
}

let folder: string;
let control: CopyServer;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parity-'));
  control = await startCopy();
});
afterAll(async () => {
  await control[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
const fileIn = (name: string): string => path.join(folder, name);
const check = async (schema: unknown, file: string): Promise<string | undefined> => {
  const compiled = compileSchema(schema);
  return compiled.ok ? compiled.validate(JSON.parse(await readFile(file, 'utf8')) as Json) : compiled.why;
};

describe.concurrent('mcp-parity', () => {
  it('explains itself', async ({ expect }) => {
    const { code, stdout } = await inProcess('run', '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('--control <target>');
    expect(stdout).toContain('Exit code: 0 equal, 1 something differs');
  });

  it.for([
    [['--no-such-flag'], "unknown option '--no-such-flag'"],
    [['--control', 'http://a/'], 'There is a control and no candidate'],
    [['--control', 'x', '--candidate', 'y'], 'a target is an http(s) URL'],
    [['--cases', 'many'], 'It takes a whole number'],
  ] as const)('refuses %o with exit code 2', async ([args, said], { expect }) => {
    const { code, stderr } = await inProcess(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it('compares two URLs and writes every report', async ({ expect }) => {
    await using candidate = await startCopy();
    const files = ['json', 'ndjson', 'junit', 'markdown', 'html', 'certificate'].flatMap((kind) => [
      `--${kind}`,
      fileIn(`new/${kind}`),
    ]);
    const { code, stdout, stderr } = await parity(
      '--control',
      control.url,
      '--candidate',
      candidate.url,
      '--cases',
      '10',
      ...files,
    );
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^control and candidate answer the same: \d+ calls/)]);
    // No terminal: whole lines, and nothing that moves a cursor.
    expect(stderr).toContain('connecting\n');
    expect(stderr).not.toContain('\u001B');
    expect(await check(reportSchema, fileIn('new/json'))).toBeUndefined();
    expect(await check(certificateSchema, fileIn('new/certificate'))).toBeUndefined();
    const lines = (await readFile(fileIn('new/ndjson'), 'utf8')).trim().split('\n');
    const report = JSON.parse(await readFile(fileIn('new/json'), 'utf8')) as { groups: { calls: number }[] };
    expect(lines.length).toBe(report.groups.reduce((sum, { calls }) => sum + calls, 0));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ candidate: 'candidate', verdict: 'match' });
    for (const kind of ['junit', 'markdown', 'html'])
      expect((await stat(fileIn(`new/${kind}`))).size).toBeGreaterThan(200);

    const checked = ['verify', fileIn('new/certificate'), '--min-succeeded', '1'];
    const unsigned = await inProcess(...checked, '--exempt', 'incrementCounter,lookup');
    expect([unsigned.code, unsigned.stderr]).toEqual([1, expect.stringContaining('It is not signed')]);
    const good = await inProcess(...checked, '--unsigned', '--exempt', 'incrementCounter,lookup');
    expect([good.code, good.stdout]).toEqual([0, 'The certificate is good.\n']);
    const bad = await inProcess(...checked, '--unsigned');
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('Not compared: incrementCounter.')]);
    // Its own earlier name.
    expect((await inProcess('certificate', fileIn('new/certificate'))).code).toBe(1);
    const table = fileIn('new/certificate.table.ndjson');
    await writeFile(table, (await readFile(table, 'utf8')).replace('"verdict":"match"', '"verdict":"mismatch"'));
    const edited = await inProcess(...checked, '--unsigned', '--exempt', 'incrementCounter,lookup');
    expect([edited.code, edited.stderr]).toEqual([1, expect.stringContaining('is not the one that it was made from')]);
  });

  it('ends with 1 on a difference, and the command that it prints shows it again', async ({ expect }) => {
    await using candidate = await startCopy(faultNamed('error class'));
    const { code, stdout } = await parity(
      '--control',
      control.url,
      '--candidate',
      candidate.url,
      '--cases',
      '10',
      '--only',
      'add',
      '--quiet',
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/add#\d+ \((near-valid|hostile) input\): control and candidate differ/);
    const call = /--call '(.+)'$/m.exec(stdout)?.[1] ?? '';
    const again = await parity('--control', control.url, '--candidate', candidate.url, '--call', call, '--quiet');
    expect([again.code, again.stdout]).toEqual([
      1,
      expect.stringContaining('control and candidate differ: 1 calls, 1 MISMATCH'),
    ]);
  });

  it('says of a name in --only and --skip that nothing has it', async ({ expect }) => {
    const names = ['--only', 'add,nosuch', '--skip', 'neither'];
    const { code, stdout } = await inProcess(
      '--control',
      control.url,
      '--candidate',
      control.url,
      '--cases',
      '2',
      ...names,
    );
    expect(code).toBe(0);
    expect(stdout).toContain('nosuch: --only names it, and the control lists nothing of that name');
    expect(stdout).toContain('neither: --skip names it, and the control lists nothing of that name');
    expect(stdout).not.toContain('add: --only');
  });

  it('ends with 2 when a target cannot be asked, and writes the report of it', async ({ expect }) => {
    const json = fileIn('failed.json');
    const { code, stdout } = await parity(
      '--control',
      control.url,
      '--candidate',
      'http://no-such-host.invalid/',
      '--json',
      json,
    );
    expect([code, stdout]).toEqual([
      2,
      expect.stringContaining('Harness error at candidate, connecting (unreachable)'),
    ]);
    expect(await check(reportSchema, json)).toBeUndefined();
  });

  it('takes its targets from a file', async ({ expect }) => {
    await writeFile(
      fileIn('parity.yaml'),
      `control: { name: old, url: "${control.url}" }\ncandidates: [{ name: new, url: "${control.url}", era: "2026" }]\ncases: 3\nonly: [add]\nreports: { json: "${fileIn('config.json')}" }\n`,
    );
    const { code, stdout } = await inProcess('--config', fileIn('parity.yaml'));
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^old and new answer the same: 3 calls, 3 match\n/)]);
    expect(await check(reportSchema, fileIn('config.json'))).toBeUndefined();
  });

  it('compares the three lanes of the project when it is given no target', { timeout: 120_000 }, async ({ expect }) => {
    // A few tools; `npm run parity` asks all of them, in CI too.
    const { code, stdout } = await parity('--cases', '4', '--only', 'ping,add,incrementCounter', '--quiet');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^legacy and compat and modern answer the same: \d+ calls/),
    ]);
    expect(stdout).toMatch(/^candidate {2}modern .*MCP 2026-07-28\)$/m);
    expect(stdout).toContain('ping: result.content.0.text.at, result.structuredContent.at');
  });
});
